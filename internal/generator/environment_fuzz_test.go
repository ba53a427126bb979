package generator

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzFromEnvironment: a load that is configured has addresses of pods only, and labels with a
// receiver.
func FuzzFromEnvironment(f *testing.F) {
	f.Add("http://10.96.0.7:8080", "http://10.1.0.2:8080, http://10.1.0.3:8080", "2026-11-21T05:00:00Z", "testid=a,namespace=b")
	f.Add("http://user:secret@a?b#c", ",,http://[::1]:1", "0000-00-00T00:00:00Z", "=,a=")
	f.Fuzz(func(t *testing.T, target, addresses, deadline, labels string) {
		given := map[string]string{
			"HASHMARK_TARGET": target, "HASHMARK_PODS": addresses, "HASHMARK_DEADLINE": deadline, "HASHMARK_REMOTE_WRITE_LABELS": labels,
			"HASHMARK_USER": "a", "HASHMARK_PASSWORD": "b", "K6_PROMETHEUS_RW_SERVER_URL": "http://10.96.0.9:9090",
			"HASHMARK_PLAN": `{"version":5,"timeoutMs":1,"steps":[{"kind":"Closed","countedMs":1000,"callers":1}]}`,
		}
		config, err := FromEnvironment(func(name string) string { return given[name] })
		if err != nil {
			return
		}
		for _, address := range append(config.Pods, config.Target) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(address, "/")+"/evidence", nil)
			if err != nil || request.URL.Path != "/evidence" {
				t.Errorf("the evidence can't be requested from %q: %v", address, err)
			}
		}
		if labels != "" && len(config.RemoteWriteLabels) == 0 {
			t.Errorf("the labels %q are lost", labels)
		}
	})
}
