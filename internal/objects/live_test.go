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

// liveSettings let k6 send its series to an address, with credentials.
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
		"no URL at all":                        {"prometheus:9090", "", "is none; write one such as"},
		"a URL that does not parse":            {"http://u:hunter2@host:80 80/", "", "is none"},
		"a scheme that is not HTTP":            {"ftp://example.test/hunter2", "", "is none"},
		"credentials in the URL":               {"http://u:hunter2@example.test/", "", "holds credentials"},
		"a user without a password":            {"http://hunter2@example.test/", "", "holds credentials"},
		"a query, where a token could stand":   {"http://example.test/?token=hunter2", "", "query or a fragment"},
		"an empty query":                       {"http://example.test/?", "", "query or a fragment"},
		"a fragment":                           {"http://example.test/#hunter2", "", "query or a fragment"},
		"a port of zero":                       {"http://example.test:0/", "", "between 1 and 65535"},
		"a port above what there is":           {"http://example.test:65536/", "", "between 1 and 65535"},
		"no host":                              {"http:///api/v1/write", "", "neither an IP address nor a DNS name"},
		"a host that is no name":               {"http://under_score/", "", "neither an IP address nor a DNS name"},
		"the pod itself by name":               {"http://localhost:9090/", "", "leads a generator's pod to itself"},
		"the pod itself by address":            {"http://127.0.0.1:9090/", "", "leads a generator's pod to itself"},
		"the pod itself by IPv6":               {"http://[::1]:9090/", "", "leads a generator's pod to itself"},
		"the pod itself by IPv4 in IPv6":       {"http://[::ffff:127.0.0.1]:9090/", "", "leads a generator's pod to itself"},
		"no address":                           {"http://0.0.0.0:9090/", "", "leads a generator's pod to itself"},
		"an address of one link":               {"http://[fe80::1%25eth0]:9090/", "", "of one link"},
		"an address of many hosts":             {"http://224.0.0.1:9090/", "", "of many hosts"},
		"a Secret without a URL":               {"", "credentials", "without the URL"},
		"a Secret's name that can't be one":    {"http://example.test/", "Not_A_Name", `"Not_A_Name" can't be one`},
		"a Secret's name of another namespace": {"http://example.test/", "team/credentials", `"team/credentials" can't be one`},
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

func TestNewRefusesSettingsThatNobodyChecked(t *testing.T) {
	unchecked := settings()
	unchecked.RemoteWrite = &objects.RemoteWrite{URL: "http://user:password@example.test/"}
	if _, err := objects.New(unchecked, trial(), 1, deadline); err == nil || !strings.Contains(err.Error(), "holds credentials") {
		t.Errorf("error = %v", err)
	}
}

// TestTheGeneratorReachesItsReceiverAndNobodyElse looks at what its policy has
// beyond the login service, and at who resolves names for it.
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
			if got := attempt.Deployment().Spec.Template.Spec.DNSPolicy; got != corev1.DNSDefault {
				t.Errorf("the login service resolves names by %s", got)
			}
		})
	}
}

// TestNothingOfASecretIsNeededForAPodToStart looks at each reference to one.
func TestNothingOfASecretIsNeededForAPodToStart(t *testing.T) {
	job, err := mustNew(t, liveSettings(t, "https://prometheus.monitoring.svc:9090/"), trial()).Job(load())
	if err != nil {
		t.Fatal(err)
	}
	references := 0
	for _, variable := range job.Spec.Template.Spec.Containers[0].Env {
		if variable.ValueFrom != nil {
			references++
			if optional := variable.ValueFrom.SecretKeyRef.Optional; optional == nil || !*optional {
				t.Errorf("%s has to be there", variable.Name)
			}
		}
	}
	for _, volume := range job.Spec.Template.Spec.Volumes {
		if volume.Secret != nil {
			references++
			if optional := volume.Secret.Optional; optional == nil || !*optional {
				t.Errorf("volume %s has to be there", volume.Name)
			}
		}
	}
	if references != 4 {
		t.Errorf("%d references to the Secret, want a user, a password, a token and an authority", references)
	}
}

// TestWithoutASecretNoneIsNamed, be it that the receiver is reached over TLS.
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
