package generator

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// asked is a server that notes which paths it was asked for, by whatever way.
type asked struct {
	*httptest.Server
	mutex sync.Mutex
	paths []string
}

func serve(t *testing.T, handle http.HandlerFunc) *asked {
	t.Helper()
	a := &asked{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mutex.Lock()
		a.paths = append(a.paths, r.URL.Path)
		a.mutex.Unlock()
		handle(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

// requests are all kinds of requests that the generator itself sends to a pod, by their path.
var requests = map[string]func(ctx context.Context, address string){
	"/evidence": func(ctx context.Context, address string) {
		newCollector([]string{address}, nil, slog.New(slog.DiscardHandler)).read(ctx)
	},
	"/speed": func(ctx context.Context, address string) {
		newCollector([]string{address}, nil, slog.New(slog.DiscardHandler)).readSpeeds(ctx, time.Now())
	},
	"/": func(ctx context.Context, address string) {
		newCollector([]string{address}, nil, slog.New(slog.DiscardHandler)).timeIdle(ctx, Config{User: "user", Password: "password"})
	},
	"/readyz": func(ctx context.Context, address string) {
		_ = waitReady(ctx, address, Config{Ready: handover.HealthCheck{Path: "/readyz"}}, slog.New(slog.DiscardHandler))
	},
	"/healthz": func(_ context.Context, address string) {
		newProber([]string{address}, handover.HealthCheck{Path: "/healthz"}).probe(0, time.Now())
	},
}

func TestNoRequestFollowsARedirect(t *testing.T) {
	for path, send := range requests {
		for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect} {
			elsewhere := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
			pod := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL+"/admin", status) })
			send(t.Context(), pod.URL)
			if len(pod.paths) == 0 || len(elsewhere.paths) > 0 {
				t.Errorf("%s: the pod was asked for %q, and somebody else for %q", path, pod.paths, elsewhere.paths)
			}
		}
	}
}

// TestNoRequestGoesToAProxy runs itself in a process with a proxy in its environment, because Go reads
// that once. 0.0.0.0 reaches this machine, and is no address for which Go leaves a proxy out.
func TestNoRequestGoesToAProxy(t *testing.T) {
	const inside = "HASHMARK_TEST_PROXY"
	if os.Getenv(inside) == "" {
		proxy := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		command.Env = append(os.Environ(), inside+"=yes", "NO_PROXY=", "no_proxy=")
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
			command.Env = append(command.Env, name+"="+proxy.URL, strings.ToLower(name)+"="+proxy.URL)
		}
		output, err := command.CombinedOutput()
		if err != nil || len(proxy.paths) != 1 {
			t.Errorf("the proxy was asked for %q, once on purpose: %v\n%s", proxy.paths, err, output)
		}
		return
	}
	pod := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"instanceID":"a"}`) })
	address := strings.Replace(pod.URL, "127.0.0.1", "0.0.0.0", 1)
	response, err := http.Get(address + "/with-a-proxy")
	if err != nil || response.StatusCode != http.StatusTeapot {
		t.Fatalf("the environment has no proxy: %v, %v", response, err)
	}
	response.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), readingTimeout)
	defer cancel()
	for path, send := range requests {
		send(ctx, address)
		if !slices.Contains(pod.paths, path) {
			t.Errorf("the pod was not asked for %s, only for %q", path, pod.paths)
		}
	}
}
