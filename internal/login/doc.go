// Package login is the service under test: it checks passwords over HTTP, with bcrypt or
// another hash that package password supports, and counts what it did.
//
//	POST /login   a form or JSON with user and password: 200, or 401
//	GET  /        the same with Basic auth, or with a session cookie
//	GET  /evidence  counters of the process and of its container, as JSON
//	GET  /speed     CPU time of the hashes in each second, as JSON
//	GET  /metrics   the same and more, for Prometheus
//	GET  /healthz   the process answers
//	GET  /readyz    it answers logins
//
// A login costs one hash, whether its user exists or not. A Concurrency decides when it is
// hashed: at once, or by a pool of workers behind a bounded queue. A full queue is answered
// with 503. The service does not hash for a caller that gave up before its turn.
//
// Each hash is timed by the CPU clock of its thread, which shows how fast the CPU is at the
// moment, whatever the load. Hashes that use several threads are not timed, and at most 64
// hashes are timed at once.
//
// With Sessions, a successful login sets a cookie, and GET / accepts that cookie without a
// hash. Sessions are off by default.
//
// The one account is created at the start. The service can neither end nor list sessions:
// it exists only to be measured. Packages evidence and verdict document what the numbers
// mean.
package login
