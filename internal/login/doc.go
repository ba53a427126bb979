// Package login is the service under test: it checks passwords by bcrypt, or in
// another way that package password knows, over HTTP, and counts what it did.
//
//	POST /login   a form or JSON with user and password: 200, or 401
//	GET  /        the same by Basic auth, or by a session's cookie
//	GET  /evidence  counters of the process and of its container, as JSON
//	GET  /speed     CPU time of the hashes in each second, as JSON
//	GET  /metrics   the same and more, for Prometheus
//	GET  /healthz   the process answers
//	GET  /readyz    it answers logins
//
// A login costs one hash, whether its user exists or not. When it is hashed is
// decided by a Concurrency: at once, or by a pool of workers behind a bounded
// queue, in which a full queue is answered by 503. A caller that gave up
// before its turn is not hashed for.
//
// Each hash is timed by the CPU clock of its thread, which shows how fast the CPU
// is at the moment, whatever the load. Hashes that use several threads are not
// timed, nor are those beyond 64 at a time.
//
// With Sessions a right login earns a cookie, and GET / lets its bearer in
// without a hash. They are off unless asked for.
//
// Its one account is made when it starts, and it can neither end nor list
// sessions: it exists to be measured. What the numbers mean is said elsewhere
// (packages evidence and verdict).
package login
