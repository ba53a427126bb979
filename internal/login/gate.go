package login

import (
	"net/http"
	"sync/atomic"
)

// Gate answers for a service that is still starting: it hashes the test account's password,
// which can take seconds. The zero value is closed.
type Gate struct {
	service atomic.Pointer[http.Handler]
}

// Open passes requests to the service from now on.
func (g *Gate) Open(service http.Handler) { g.service.Store(&service) }

// ServeHTTP answers GET /healthz with 200 and anything else with 503 until the gate is
// open.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if service := g.service.Load(); service != nil {
		(*service).ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/healthz" {
		answer(w, http.StatusOK, status{Status: "starting"})
		return
	}
	w.Header().Set("Retry-After", "1")
	answer(w, http.StatusServiceUnavailable, status{Error: "the service is starting"})
}
