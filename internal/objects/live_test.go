package objects_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/internal/objects"
)

// liveSettings returns settings with which k6 sends its series to an address, with credentials.
func liveSettings(t *testing.T, address string) objects.Settings {
	t.Helper()
	live := settings()
	var err error
	if live.RemoteWrite, err = objects.NewRemoteWrite(address, "k6-remote-write"); err != nil {
		t.Fatal(err)
	}
	return live
}

func TestAddressesThatCanNotBeWrittenToAreRefusedWithoutBeingRepeated(t *testing.T) {
	for name, tt := range map[string]struct{ address, secret, want string }{
		"no URL at all":                        {"prometheus:9090", "", "invalid remote-write URL; use one such as"},
		"a URL that does not parse":            {"http://u:hunter2@host:80 80/", "", "invalid remote-write URL"},
		"a scheme that is not HTTP":            {"ftp://example.test/hunter2", "", "invalid remote-write URL"},
		"credentials in the URL":               {"http://u:hunter2@example.test/", "", "contains credentials"},
		"a user without a password":            {"http://hunter2@example.test/", "", "contains credentials"},
		"a query, which could hold a token":    {"http://example.test/?token=hunter2", "", "query or a fragment"},
		"an empty query":                       {"http://example.test/?", "", "query or a fragment"},
		"a fragment":                           {"http://example.test/#hunter2", "", "query or a fragment"},
		"a port of zero":                       {"http://example.test:0/", "", "between 1 and 65535"},
		"a port above 65535":                   {"http://example.test:65536/", "", "between 1 and 65535"},
		"no host":                              {"http:///api/v1/write", "", "neither an IP address nor a DNS name"},
		"a host that is not a name":            {"http://under_score/", "", "neither an IP address nor a DNS name"},
		"the pod itself by name":               {"http://localhost:9090/", "", "points to the load generator's own pod"},
		"the pod itself by address":            {"http://127.0.0.1:9090/", "", "points to the load generator's own pod"},
		"the pod itself by IPv6":               {"http://[::1]:9090/", "", "points to the load generator's own pod"},
		"the pod itself by IPv4 in IPv6":       {"http://[::ffff:127.0.0.1]:9090/", "", "points to the load generator's own pod"},
		"no address":                           {"http://0.0.0.0:9090/", "", "points to the load generator's own pod"},
		"an address of one link":               {"http://[fe80::1%25eth0]:9090/", "", "link-local"},
		"an address of many hosts":             {"http://224.0.0.1:9090/", "", "multicast"},
		"a Secret without a URL":               {"", "credentials", "without a remote-write URL"},
		"a Secret's name that can't be one":    {"http://example.test/", "Not_A_Name", `invalid Secret name "Not_A_Name"`},
		"a Secret's name of another namespace": {"http://example.test/", "team/credentials", `invalid Secret name "team/credentials"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := objects.NewRemoteWrite(tt.address, tt.secret)
			if got != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v and error %v, want %q in it", got, err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error repeats a secret: %v", err)
			}
		})
	}
}

func TestWithoutAnAddressThereIsNoRemoteWrite(t *testing.T) {
	if got, err := objects.NewRemoteWrite("", ""); got != nil || err != nil {
		t.Errorf("got %v, error %v", got, err)
	}
}

func TestNewChecksTheRemoteWriteAddress(t *testing.T) {
	unchecked := settings()
	unchecked.RemoteWrite = &objects.RemoteWrite{URL: "http://user:password@example.test/"}
	if _, err := objects.New(unchecked, trial(), 1, deadline); err == nil || !strings.Contains(err.Error(), "contains credentials") {
		t.Errorf("error = %v", err)
	}
}

// TestTheGeneratorReachesItsReceiverAndNobodyElse checks what the generator's policy allows in
// addition to the login service, and how the generator resolves names.
func TestTheGeneratorReachesItsReceiverAndNobodyElse(t *testing.T) {
	const names = "- ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]\n"
	toNamespace := func(port, namespace string) string {
		return "- ports: [{port: " + port + ", protocol: TCP}]\n" +
			"  to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: " + namespace + "}}}]\n" + names
	}
	toAnybody := func(port string) string { return "- ports: [{port: " + port + ", protocol: TCP}]\n" + names }
	toBlock := func(port, block string) string {
		return "- ports: [{port: " + port + ", protocol: TCP}]\n  to: [{ipBlock: {cidr: '" + block + "'}}]\n"
	}
	for name, tt := range map[string]struct {
		address, egress string
		dns             corev1.DNSPolicy
	}{
		"an IPv4 address is that address":                 {"http://198.19.0.90:9090/api/v1/write", toBlock("9090", "198.19.0.90/32"), corev1.DNSDefault},
		"an IPv6 address is that address":                 {"http://[fd00::90]:9090/api/v1/write", toBlock("9090", "fd00::90/128"), corev1.DNSDefault},
		"IPv4 written as IPv6 is IPv4":                    {"http://[::ffff:198.19.0.90]:9090/", toBlock("9090", "198.19.0.90/32"), corev1.DNSDefault},
		"http without a port is port 80":                  {"http://198.19.0.90/", toBlock("80", "198.19.0.90/32"), corev1.DNSDefault},
		"https without a port is port 443":                {"https://198.19.0.90/", toBlock("443", "198.19.0.90/32"), corev1.DNSDefault},
		"a Service is the pods of its namespace":          {"http://prometheus.monitoring.svc:9090/", toNamespace("9090", "monitoring"), corev1.DNSClusterFirst},
		"a Service with the cluster's domain is as well":  {"http://Prometheus.monitoring.svc.cluster.local.:9090/", toNamespace("9090", "monitoring"), corev1.DNSClusterFirst},
		"a pod of a headless Service is as well":          {"http://prometheus-0.prometheus.monitoring.svc:9090/", toNamespace("9090", "monitoring"), corev1.DNSClusterFirst},
		"another name may be anybody":                     {"https://metrics.example.test/api/v1/push", toAnybody("443"), corev1.DNSClusterFirst},
		"a name that only begins as a Service's may, too": {"http://prometheus.monitoring.svc.example.test/", toAnybody("80"), corev1.DNSClusterFirst},
		"a namespace without a Service may, too":          {"http://monitoring.svc/", toAnybody("80"), corev1.DNSClusterFirst},
	} {
		t.Run(name, func(t *testing.T) {
			attempt := mustNew(t, liveSettings(t, tt.address), trial())
			var want []networkingv1.NetworkPolicyEgressRule
			if err := yaml.Unmarshal([]byte(tt.egress), &want); err != nil {
				t.Fatal(err)
			}
			rules := attempt.GeneratorPolicy().Spec.Egress
			alone := mustNew(t, settings(), trial()).GeneratorPolicy().Spec.Egress
			if diff := cmp.Diff(append(alone, want...), rules); diff != "" {
				t.Errorf("egress (-want +got):\n%s", diff)
			}
			job, err := attempt.Job(load())
			if err != nil {
				t.Fatal(err)
			}
			if got := job.Spec.Template.Spec.DNSPolicy; got != tt.dns {
				t.Errorf("DNS policy %s, want %s", got, tt.dns)
			}
			if got := attempt.Deployment(nil).Spec.Template.Spec.DNSPolicy; got != corev1.DNSDefault {
				t.Errorf("the login service has DNS policy %s", got)
			}
		})
	}
}

// TestReferencesToASecretAreOptional checks each reference to a Secret.
func TestReferencesToASecretAreOptional(t *testing.T) {
	job, err := mustNew(t, liveSettings(t, "https://prometheus.monitoring.svc:9090/"), trial()).Job(load())
	if err != nil {
		t.Fatal(err)
	}
	references := 0
	for _, variable := range job.Spec.Template.Spec.Containers[0].Env {
		if variable.ValueFrom != nil {
			references++
			if optional := variable.ValueFrom.SecretKeyRef.Optional; optional == nil || !*optional {
				t.Errorf("variable %s requires the Secret", variable.Name)
			}
		}
	}
	for _, volume := range job.Spec.Template.Spec.Volumes {
		if volume.Secret != nil {
			references++
			if optional := volume.Secret.Optional; optional == nil || !*optional {
				t.Errorf("volume %s requires the Secret", volume.Name)
			}
		}
	}
	if references != 4 {
		t.Errorf("%d references to the Secret, want a user, a password, a token and an authority", references)
	}
}

// TestWithoutASecretNoneIsNamed uses a receiver with TLS.
func TestWithoutASecretNoneIsNamed(t *testing.T) {
	open := settings()
	var err error
	if open.RemoteWrite, err = objects.NewRemoteWrite("https://prometheus.monitoring.svc/", ""); err != nil {
		t.Fatal(err)
	}
	job, err := mustNew(t, open, trial()).Job(load())
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ToLower(string(text)), "secret") || strings.Contains(string(text), "SSL_CERT_FILE") {
		t.Errorf("the Job names a Secret:\n%s", text)
	}
}
