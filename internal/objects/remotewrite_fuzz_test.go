package objects_test

import (
	"net/url"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/hashmark-dev/hashmark/internal/objects"
)

// FuzzNewRemoteWrite: an accepted address has no room for a secret and makes a policy with a port;
// a refused one is not repeated.
func FuzzNewRemoteWrite(f *testing.F) {
	for _, address := range []string{
		"http://prometheus.monitoring.svc:9090/api/v1/write", "https://10.0.0.1", "http://[::1]:80", "http://user:secret@host/", "http://host/?token=x",
		"http://127.0.0.1/", "http://host:65536", "http://[fe80::1%25eth0]/", "http://host./#", "http://1.2.3", "HTTP://A", "http://a.b.svc.cluster.local",
	} {
		f.Add(address, "secret")
	}
	f.Fuzz(func(t *testing.T, address, secret string) {
		receiver, err := objects.NewRemoteWrite(address, secret)
		if err != nil {
			if len(address) > 40 && strings.Contains(err.Error(), address) {
				t.Errorf("the error repeats the address: %v", err)
			}
			return
		}
		if receiver == nil {
			if address != "" {
				t.Errorf("%q is no receiver, without an error", address)
			}
			return
		}
		parsed, err := url.Parse(receiver.URL)
		if err != nil || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" || parsed.Hostname() == "" {
			t.Errorf("accepted %q, error %v", address, err)
		}
		full := fullSettings()
		full.RemoteWrite = receiver
		policy := mustNew(t, full, fullTrial()).GeneratorPolicy()
		checkPorts(t, policy.Spec.Egress)
	})
}

func checkPorts(t *testing.T, rules []networkingv1.NetworkPolicyEgressRule) {
	t.Helper()
	for _, rule := range rules {
		for _, port := range rule.Ports {
			if port.Port != nil && (port.Port.IntVal < 1 || port.Port.IntVal > 65535) {
				t.Errorf("the policy allows port %d", port.Port.IntVal)
			}
		}
	}
}
