package main

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/process"
)

// images are the settings that every operator requires.
const images = `{loginService: {image: "example.test/login:v1"}, generator: {image: "example.test/generator:v1"}}`

func TestParseRefusesInvalidSettings(t *testing.T) {
	for name, tt := range map[string]struct{ settings, want string }{
		"no generator's image":             {"generator: {image: ''}", "loginService.image and generator.image are required"},
		"a variable that is not set":       {"generator: {image: $(RELATED_IMAGE_NONE)}", "are required, in the file or in the environment variable that it names"},
		"another kind":                     {"kind: Configuration", "begin it with apiVersion: config.hashmark.dev/v1beta1 and kind: OperatorConfiguration"},
		"a field that does not exist":      {"trials: {maxConcurent: 2}", `unknown field "trials.maxConcurent"`},
		"a value of another type":          {"trials: {maxConcurrent: many}", "trials.maxConcurrent"},
		"no concurrent trial":              {"trials: {maxConcurrent: 0}", "trials.maxConcurrent must be between 1 and 64"},
		"a namespace with a space":         {"watchNamespaces: [team-a, ' team-b']", `" team-b" is not a valid namespace name`},
		"an empty namespace":               {"watchNamespaces: [team-a, '']", `"" is not a valid namespace name`},
		"a namespace twice":                {"watchNamespaces: [team-a, team-b, team-a]", "namespace team-a is listed twice"},
		"an image instead of a repository": {"loginService: {allowedImages: ['registry.example/team/login:v1']}", `"registry.example/team/login:v1" is not a repository such as registry.example/team`},
		"a wildcard for repositories":      {"loginService: {allowedImages: ['registry.example/*']}", "leave out tags, digests, wildcards and spaces"},
		"series of no experiment":          {"metrics: {maxExperiments: 0}", "metrics.maxExperiments must be between 1 and 10000"},
		"series without a bound":           {"metrics: {maxExperiments: 10001}", "metrics.maxExperiments must be between 1 and 10000"},
		"no time to start":                 {"trials: {startTimeout: 1s}", "trials.startTimeout must be at least 10s"},
		"a time without a unit":            {"trials: {startTimeout: '60'}", "missing unit in duration"},
		"an unknown way to pull":           {"imagePullPolicy: always", "imagePullPolicy must be Always, IfNotPresent or Never"},
		"a limit that is not a quantity":   {"generator: {cpuLimit: much}", "generator.cpuLimit must be a quantity above 0"},
		"a limit of nothing":               {"generator: {memoryLimit: '0'}", "generator.memoryLimit must be a quantity above 0"},
		"a toleration of another effect":   {"generator: {tolerations: [{key: load, effect: Never}]}", `the effect "Never" is not NoSchedule`},
		"a toleration of another operator": {"generator: {tolerations: [{key: load, operator: In}]}", `the operator "In" is not Equal or Exists`},
		"a toleration of nothing":          {"generator: {tolerations: [{effect: NoSchedule}]}", "requires operator: Exists"},
		"a toleration with a value":        {"generator: {tolerations: [{key: a, operator: Exists, value: b}]}", "allows no value"},
		"a toleration for some time":       {"generator: {tolerations: [{key: a, tolerationSeconds: 3}]}", "tolerationSeconds is for the effect NoExecute only"},
		"a selector of no label":           {"generator: {nodeSelector: {a b: c}}", `"a b" with the value "c" is not a label`},
		"a toleration of no taint":         {"generator: {tolerations: [{key: é, operator: Exists}]}", `"é" with the value "" is not a label`},
		"a label of Hashmark's":            {"trialPods: {labels: {hashmark.dev/component: a}}", `"hashmark.dev/component" is reserved`},
		"a label of Hashmark's to inherit": {"trialPods: {inheritedLabels: [hashmark.dev/variant]}", `"hashmark.dev/variant" is reserved`},
		"no label":                         {"trialPods: {inheritedLabels: ['a b']}", `"a b" with the value "" is not a label`},
		"no annotation":                    {"trialPods: {annotations: {a b: c}}", `"a b" is not a key`},
		"no pull secret":                   {"trialPods: {imagePullSecrets: [{}]}", `trialPods.imagePullSecrets: "?" is not a name`},
		"no priority class":                {"trialPods: {priorityClassName: High}", `trialPods.priorityClassName: "High" is not a name`},
		"no runtime class":                 {"trialPods: {runtimeClassName: a/b}", `trialPods.runtimeClassName: "a/b" is not a name`},
		"a user that is root":              {"trialPods: {runAsUser: 0}", "trialPods.runAsUser is 0; use a user ID above 0, or null"},
		"a mirror of a tag":                {"trialPods: {imageMirrors: [{source: 'a.example/b:v1', mirror: c.example}]}", "trialPods.imageMirrors: \"a.example/b:v1\" is not a repository"},
		"a mirror without a name":          {"trialPods: {imageMirrors: [{source: a.example}]}", `trialPods.imageMirrors: "" is not a repository`},
		"a toleration of trials' pods":     {"trialPods: {tolerations: [{effect: NoSchedule}]}", "trialPods.tolerations: a toleration without a key requires"},
		"selectors that no node has":       {"trialPods: {nodeSelector: {pool: a}}\ngenerator: {nodeSelector: {pool: b}}", "generator.nodeSelector has pool=b, and trialPods.nodeSelector pool=a"},
		"a selector of trials' pods":       {"trialPods: {nodeSelector: {a b: c}}", "trialPods.nodeSelector"},
		"an invalid URL":                   {"generator: {remoteWrite: {url: 'prometheus:9090'}}", "generator.remoteWrite"},
		"a Secret without a URL":           {"generator: {remoteWrite: {secretName: k6}}", "generator.remoteWrite"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse([]string{process.Config(t, images, tt.settings)})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parsed with error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestParseRefusesInvalidFlags(t *testing.T) {
	config := process.Config(t, images)
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no file":                   {nil, "--config is required"},
		"a file that is not there":  {[]string{"--config=/does/not/exist"}, "can't read the file of --config"},
		"an unknown log format":     {[]string{config, "--log-format=xml"}, `--log-format must be json or text, not "xml"`},
		"an unknown log level":      {[]string{config, "--log-level=trace"}, `--log-level must be info or debug, not "trace"`},
		"a word that is not a flag": {[]string{config, "quickly"}, `unexpected argument "quickly"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parse(tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parsed with error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestParseReadsSettings(t *testing.T) {
	f, err := parse([]string{process.Config(t, images, `
generator:
  remoteWrite: {url: "http://prometheus:9090/api/v1/write", secretName: k6}
  tolerations: [{key: load, value: "true", effect: NoSchedule}, {key: spot, operator: Exists, effect: NoExecute}]
  nodeSelector: {role: load, zone: a}
trialPods: {imagePullSecrets: [{name: pull}]}
`)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.settings()
	if err != nil {
		t.Fatal(err)
	}
	want := objects.Settings{
		ServiceImage: "example.test/login:v1", GeneratorImage: "example.test/generator:v1", PullPolicy: corev1.PullIfNotPresent,
		GeneratorCPULimit: "500m", GeneratorMemoryLimit: "512Mi",
		GeneratorTolerations: []corev1.Toleration{
			{Key: "load", Value: "true", Effect: corev1.TaintEffectNoSchedule},
			{Key: "spot", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		},
		GeneratorNodeSelector: map[string]string{"role": "load", "zone": "a"},
		RemoteWrite:           &objects.RemoteWrite{URL: "http://prometheus:9090/api/v1/write", SecretName: "k6"},
		Pods:                  objects.PodSettings{RunAsUser: ptr.To[int64](objects.Unprivileged), ImagePullSecrets: []corev1.LocalObjectReference{{Name: "pull"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// TestTheDocumentedSettingsAreTheDefaults reads the file in docs/install.md.
func TestTheDocumentedSettingsAreTheDefaults(t *testing.T) {
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "```yaml\napiVersion: "+configurationKind.APIVersion)
	text, _, ended := strings.Cut("apiVersion: "+configurationKind.APIVersion+text, "```")
	if !found || !ended {
		t.Fatal("docs/install.md has no configuration file")
	}
	got, err := readConfiguration([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.TypeMeta, want.LoginService.Image, want.Generator.Image = configurationKind, got.LoginService.Image, got.Generator.Image
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("settings (-want +documented):\n%s", diff)
	}
	named := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &named); err != nil {
		t.Fatal(err)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[configuration]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if _, documented := named[name]; name != "" && !documented {
			t.Errorf("%s is not documented", name)
		}
	}
}

// TestReadYourWritesNeedsASingleCache checks the option that controller-runtime
// documents as wrong for several namespaces.
func TestReadYourWritesNeedsASingleCache(t *testing.T) {
	for name, tt := range map[string]struct {
		namespaces []string
		waits      bool
	}{
		"in all namespaces":   {nil, true},
		"in a single one":     {[]string{"team-a"}, true},
		"not in several ones": {[]string{"team-a", "team-b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := configuration{WatchNamespaces: tt.namespaces}
			options := c.managerOptions()
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

// FuzzConfiguration: settings that are accepted are within their bounds, and written back they are accepted too.
func FuzzConfiguration(f *testing.F) {
	const head = "apiVersion: config.hashmark.dev/v1beta1\nkind: OperatorConfiguration\nloginService: {image: a}\n"
	f.Add(head + "generator: {image: b, tolerations: [{key: load, value: 'true', effect: NoSchedule}]}\nwatchNamespaces: [team-a]")
	f.Add(head + "generator: {image: b, nodeSelector: {a b: c}}\ntrials: {maxConcurrent: 2, startTimeout: 9223372036854775807ns}")
	f.Add(head + "generator: {image: b, cpuLimit: 1e309}\nmetrics: null")
	f.Add("[]")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := readConfiguration([]byte(text))
		if err != nil {
			return
		}
		if outOfRange(read.Trials.MaxConcurrent, 64) || outOfRange(read.Metrics.MaxExperiments, 10_000) {
			t.Errorf("accepted %+v", read)
		}
		again, err := yaml.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readConfiguration(again); err != nil {
			t.Errorf("accepted, and refused when it is written back: %v", err)
		}
	})
}
