package generator

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
)

func TestAPodThatDoesNotAnswerIsProbedOn(t *testing.T) {
	asked, hang := make(chan string, 100), make(chan struct{})
	pod := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		<-hang
	}))
	t.Cleanup(func() { close(hang); pod.Close() })
	p := newProber([]string{pod.URL}, handover.HealthCheck{Path: "/healthz"})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for range 2 {
			if path := <-asked; path != "/healthz" {
				t.Errorf("the pod was asked for %s", path)
			}
		}
		stop()
	}()
	p.run(ctx, time.Now())
	if len(p.probes[0]) != 2 || p.probes[0][0].OK || p.probes[0][1].OK {
		t.Errorf("the probes are %+v", p.probes)
	}
}
