// Package login is the service under test: it checks passwords over HTTP, with a hash that package password
// supports, times each hash by the CPU clock of its thread, and counts what it did. It serves
//
//	POST /login     a form or JSON with user and password: 200, or 401; with a full queue 503
//	GET  /          the same with Basic auth, or with a session cookie if sessions are on
//	GET  /evidence, /speed, /metrics    counters, as JSON or for Prometheus
//	GET  /healthz, /readyz              whether it answers, and whether it answers logins
//
// A login costs one hash, whether its user exists or not. The one account is created at the start.
package login
