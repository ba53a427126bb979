// Package login is the service under test: it checks passwords by bcrypt, over
// HTTP, and counts what it did.
//
//	POST /login   a form or JSON with user and password: 200, or 401
//	GET  /        the same by Basic auth
//	GET  /evidence  counters of the process and of its container, as JSON
//	GET  /metrics   the same and more, for Prometheus
//	GET  /healthz   the process answers
//	GET  /readyz    it answers logins
//
// A login costs one hash, whether its user exists or not. When it is hashed is
// decided by a Concurrency: at once, or by a pool of workers behind a bounded
// queue, in which a full queue is answered by 503. A caller that gave up
// before its turn is not hashed for.
//
// It keeps no sessions, and its one account is made when it starts: it exists
// to be measured. What the numbers mean is said elsewhere (packages evidence
// and verdict).
package login
