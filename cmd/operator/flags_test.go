package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/internal/objects"
)

// images are the flags that every operator requires.
var images = []string{"--service-image=example.test/login:v1", "--generator-image=example.test/generator:v1"}

func TestParseRefusesInvalidFlags(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no images":                        {nil, "--service-image and --generator-image are required"},
		"no concurrent trial":              {append(images, "--max-concurrent-trials=0"), "--max-concurrent-trials must be between 1 and 64"},
		"a namespace with a space":         {append(images, "--watch-namespaces=team-a, team-b"), `" team-b" is not a valid namespace name`},
		"an empty namespace":               {append(images, "--watch-namespaces=team-a,"), `"" is not a valid namespace name`},
		"a namespace twice":                {append(images, "--watch-namespaces=team-a,team-b,team-a"), "namespace team-a is listed twice"},
		"an image instead of a repository": {append(images, "--allowed-service-images=registry.example/team/login:v1"), `"registry.example/team/login:v1" is not a repository such as registry.example/team`},
		"a wildcard for repositories":      {append(images, "--allowed-service-images=registry.example/*"), "leave out tags, digests, wildcards and spaces"},
		"series of no experiment":          {append(images, "--metrics-max-experiments=0"), "--metrics-max-experiments must be between 1 and 10000"},
		"series without a bound":           {append(images, "--metrics-max-experiments=10001"), "--metrics-max-experiments must be between 1 and 10000"},
		"no time to start":                 {append(images, "--start-timeout=1s"), "--start-timeout must be at least 10s"},
		"an unknown way to pull":           {append(images, "--image-pull-policy=always"), "--image-pull-policy must be Always, IfNotPresent or Never"},
		"an unknown log format":            {append(images, "--log-format=xml"), `--log-format must be json or text, not "xml"`},
		"an unknown log level":             {append(images, "--log-level=trace"), `--log-level must be info or debug, not "trace"`},
		"a limit that is not a quantity":   {append(images, "--generator-cpu-limit=much"), "--generator-cpu-limit must be a quantity above 0"},
		"a limit of nothing":               {append(images, "--generator-memory-limit=0"), "--generator-memory-limit must be a quantity above 0"},
		"a toleration without effect":      {append(images, "--generator-toleration=load=true"), "has no taint effect"},
		"a toleration of nothing":          {append(images, "--generator-toleration=:NoSchedule"), "has no taint key"},
		"a selector without a value":       {append(images, "--generator-node-selector=role"), "does not have the form label=value"},
		"a selector of no label":           {append(images, "--generator-node-selector=a b=c"), `"a b" with the value "c" is not a label`},
		"a toleration of no taint":         {append(images, "--generator-toleration=é:NoSchedule"), `"é" with the value "" is not a label`},
		"an invalid URL":                   {append(images, "--k6-remote-write-url=prometheus:9090"), "--k6-remote-write-url"},
		"a Secret without a URL":           {append(images, "--k6-remote-write-secret=k6"), "--k6-remote-write-url"},
		"a word that is not a flag":        {append(images, "quickly"), `unexpected argument "quickly"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parse(tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parsed with error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestParseReadsSettings(t *testing.T) {
	f, err := parse(append(images, "--k6-remote-write-url=http://prometheus:9090/api/v1/write", "--k6-remote-write-secret=k6",
		"--generator-toleration=load=true:NoSchedule", "--generator-toleration=spot:NoExecute",
		"--generator-node-selector=role=load", "--generator-node-selector=zone=a"))
	if err != nil {
		t.Fatal(err)
	}
	want := []corev1.Toleration{
		{Key: "load", Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectNoSchedule},
		{Key: "spot", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	}
	if diff := cmp.Diff(want, f.settings.GeneratorTolerations); diff != "" {
		t.Errorf("tolerations (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"role": "load", "zone": "a"}, f.settings.GeneratorNodeSelector); diff != "" {
		t.Errorf("node selector (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&objects.RemoteWrite{URL: "http://prometheus:9090/api/v1/write", SecretName: "k6"}, f.settings.RemoteWrite); diff != "" {
		t.Errorf("remote write (-want +got):\n%s", diff)
	}
	if f, err := parse(images); err != nil || f.settings.RemoteWrite != nil {
		t.Errorf("by default remote write is %+v, %v", f.settings.RemoteWrite, err)
	}
}

// TestReadYourWritesNeedsASingleCache checks the option that controller-runtime
// documents as wrong for several namespaces.
func TestReadYourWritesNeedsASingleCache(t *testing.T) {
	for name, tt := range map[string]struct {
		flag       string
		namespaces []string
		waits      bool
	}{
		"in all namespaces":   {"--watch-namespaces=", nil, true},
		"in a single one":     {"--watch-namespaces=team-a", []string{"team-a"}, true},
		"not in several ones": {"--watch-namespaces=team-a,team-b", []string{"team-a", "team-b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parse(append(images, tt.flag))
			if err != nil {
				t.Fatal(err)
			}
			options := f.managerOptions()
			if waits := *options.Client.Cache.EnableReadYourWritesConsistency; waits != tt.waits {
				t.Errorf("reads wait for writes: %t, want %t", waits, tt.waits)
			}
			watched := slices.Sorted(maps.Keys(options.Cache.DefaultNamespaces))
			if diff := cmp.Diff(tt.namespaces, watched, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("watched namespaces (-want +got):\n%s", diff)
			}
		})
	}
}
