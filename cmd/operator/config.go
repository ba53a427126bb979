package main

import (
	"cmp"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// configuration is the operator's settings, as the file that --config names has them. Its defaults are
// those of [defaults].
type configuration struct {
	metav1.TypeMeta `json:",inline"`
	// WatchNamespaces whose experiments are measured; empty means all.
	WatchNamespaces []string `json:"watchNamespaces,omitempty"`
	// Paused takes back all turns, removes all load, and starts no trial; experiments keep their places.
	Paused bool `json:"paused,omitempty"`
	// ImagePullPolicy says when nodes pull the images of the login service and the generator.
	ImagePullPolicy corev1.PullPolicy         `json:"imagePullPolicy"`
	Trials          trialsConfiguration       `json:"trials"`
	LoginService    loginServiceConfiguration `json:"loginService"`
	Generator       generatorConfiguration    `json:"generator"`
	// TrialPods is what the platform requires of the pods of trials.
	TrialPods      objects.PodSettings         `json:"trialPods"`
	LeaderElection leaderElectionConfiguration `json:"leaderElection"`
	Metrics        metricsConfiguration        `json:"metrics"`
	Health         healthConfiguration         `json:"health"`
}

type trialsConfiguration struct {
	// MaxConcurrent is the largest number of trials under load at the same time, in all experiments, 1 to 64.
	MaxConcurrent int `json:"maxConcurrent"`
	// StartTimeout is how long an attempt may wait until a pod is admitted, scheduled, pulled and started.
	StartTimeout metav1.Duration `json:"startTimeout"`
}

type loginServiceConfiguration struct {
	// Image of the login service.
	Image string `json:"image"`
	// AllowedImages are repositories, such as registry.example/team, whose images users may deploy as their own
	// login service; empty means none.
	AllowedImages []string `json:"allowedImages,omitempty"`
	// SecretsPolicy is the name of a ValidatingAdmissionPolicy, and of its binding, that lets users name only Secrets that they
	// can read. Without it, no experiment can name a Secret.
	SecretsPolicy string `json:"secretsPolicy,omitempty"`
}

type generatorConfiguration struct {
	// Image of the load generator.
	Image string `json:"image"`
	// CPULimit of a generator, unless the experiment sets one, a quantity.
	CPULimit string `json:"cpuLimit"`
	// MemoryLimit of a generator, unless the experiment sets one, a quantity.
	MemoryLimit string `json:"memoryLimit"`
	// NodeSelector are labels that a generator's node must have.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Tolerations let generators run on nodes with taints.
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// RemoteWrite is where k6 sends its own series while a trial runs.
	RemoteWrite remoteWriteConfiguration `json:"remoteWrite"`
}

type remoteWriteConfiguration struct {
	// URL of the receiver, such as http://prometheus.monitoring.svc:9090/api/v1/write; empty disables it.
	URL string `json:"url,omitempty"`
	// SecretName in each experiment's namespace with the credentials for it; its keys username, password,
	// bearerToken and ca.crt are all optional.
	SecretName string `json:"secretName,omitempty"`
}

type leaderElectionConfiguration struct {
	// Enabled lets only one of several replicas be active at a time.
	Enabled bool `json:"enabled"`
	// Namespace of the operator's Leases; the pod's namespace by default.
	Namespace string `json:"namespace,omitempty"`
}

type metricsConfiguration struct {
	// BindAddress of /metrics; 0 turns it off.
	BindAddress string `json:"bindAddress"`
	// Secure serves metrics over HTTPS, to clients that the API server authorizes.
	Secure bool `json:"secure"`
	// MaxExperiments is the number of experiments that have series of their own, 1 to 10,000; the others are only counted.
	MaxExperiments int `json:"maxExperiments"`
}

type healthConfiguration struct {
	// BindAddress of /healthz and /readyz.
	BindAddress string `json:"bindAddress"`
}

// configurationKind is what a configuration file must say that it is.
var configurationKind = metav1.TypeMeta{APIVersion: "config.hashmark.dev/v1beta1", Kind: "OperatorConfiguration"}

// defaults returns the settings that a file need not name.
func defaults() configuration {
	return configuration{
		ImagePullPolicy: corev1.PullIfNotPresent,
		Trials:          trialsConfiguration{MaxConcurrent: 1, StartTimeout: metav1.Duration{Duration: 5 * time.Minute}},
		Generator:       generatorConfiguration{CPULimit: "500m", MemoryLimit: "512Mi"},
		TrialPods:       objects.PodSettings{RunAsUser: ptr.To[int64](objects.Unprivileged)},
		LeaderElection:  leaderElectionConfiguration{Enabled: true},
		Metrics:         metricsConfiguration{BindAddress: ":8443", Secure: true, MaxExperiments: 100},
		Health:          healthConfiguration{BindAddress: ":8081"},
	}
}

// flags are what the command line says: about the process, not about experiments.
type flags struct {
	logFormat, logLevel string
	configuration
}

// parse parses the command line, reads the configuration file, and returns an error for values that can't work.
func parse(args []string) (*flags, error) {
	f := &flags{}
	set := flag.NewFlagSet("operator", flag.ContinueOnError)
	file := set.String("config", "", "file with the operator's settings, of kind "+configurationKind.Kind)
	set.StringVar(&f.logFormat, "log-format", "json", "format of the log: json, or text for people")
	set.StringVar(&f.logLevel, "log-level", "info", "info logs every decision that changed something; debug also logs passes that changed nothing")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if rest := set.Args(); len(rest) > 0 {
		return nil, fmt.Errorf("unexpected argument %q; flags start with --", rest[0])
	}
	if err := errors.Join(oneOf("--log-format", f.logFormat, "json", "text"), oneOf("--log-level", f.logLevel, "info", "debug")); err != nil {
		return nil, err
	}
	if *file == "" {
		return nil, errors.New("--config is required: it names the file with the operator's settings")
	}
	text, err := os.ReadFile(*file)
	if err != nil {
		return nil, fmt.Errorf("can't read the file of --config: %w", err)
	}
	if f.configuration, err = readConfiguration(text); err != nil {
		return nil, fmt.Errorf("%s: %w", *file, err)
	}
	return f, nil
}

// readConfiguration reads a configuration file. Fields that it does not know, and values that can't work, are errors.
func readConfiguration(text []byte) (configuration, error) {
	c := defaults()
	asJSON, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return c, err
	}
	strict, err := kjson.UnmarshalStrict(asJSON, &c)
	if err := errors.Join(append(strict, err)...); err != nil {
		return c, err
	}
	return c, c.check()
}

func (c *configuration) check() error {
	switch {
	case c.TypeMeta != configurationKind:
		return fmt.Errorf("it is no configuration of the operator; begin it with apiVersion: %s and kind: %s", configurationKind.APIVersion, configurationKind.Kind)
	case c.LoginService.Image == "" || c.Generator.Image == "":
		return errors.New("loginService.image and generator.image are required")
	case outOfRange(c.Trials.MaxConcurrent, 64):
		return errors.New("trials.maxConcurrent must be between 1 and 64")
	case outOfRange(c.Metrics.MaxExperiments, 10_000):
		return errors.New("metrics.maxExperiments must be between 1 and 10000")
	case c.Trials.StartTimeout.Duration < 10*time.Second:
		return errors.New("trials.startTimeout must be at least 10s: a pod takes seconds to start")
	}
	if _, err := c.remoteWrite(); err != nil {
		return err
	}
	return errors.Join(
		oneOf("imagePullPolicy", string(c.ImagePullPolicy), string(corev1.PullAlways), string(corev1.PullIfNotPresent), string(corev1.PullNever)),
		positive("generator.cpuLimit", c.Generator.CPULimit),
		positive("generator.memoryLimit", c.Generator.MemoryLimit),
		checkNamespaces(c.WatchNamespaces),
		checkRepositories("loginService.allowedImages", c.LoginService.AllowedImages),
		checkPlacement("generator", c.Generator.NodeSelector, c.Generator.Tolerations),
		checkPlacement("trialPods", c.TrialPods.NodeSelector, c.TrialPods.Tolerations),
		checkPods(c.TrialPods, c.Generator),
	)
}

func (c *configuration) remoteWrite() (*objects.RemoteWrite, error) {
	receiver, err := objects.NewRemoteWrite(c.Generator.RemoteWrite.URL, c.Generator.RemoteWrite.SecretName)
	if err != nil {
		return nil, fmt.Errorf("generator.remoteWrite: %w", err)
	}
	return receiver, nil
}

// settings returns what trials are deployed with.
func (c *configuration) settings() (objects.Settings, error) {
	receiver, err := c.remoteWrite()
	return objects.Settings{
		ServiceImage: c.LoginService.Image, AllowedServiceImages: c.LoginService.AllowedImages, SecretsPolicy: c.LoginService.SecretsPolicy,
		GeneratorImage: c.Generator.Image, PullPolicy: c.ImagePullPolicy,
		GeneratorCPULimit: c.Generator.CPULimit, GeneratorMemoryLimit: c.Generator.MemoryLimit,
		GeneratorNodeSelector: c.Generator.NodeSelector, GeneratorTolerations: c.Generator.Tolerations,
		RemoteWrite: receiver, Pods: c.TrialPods,
	}, err
}

func oneOf(name, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	last := len(values) - 1
	return fmt.Errorf("%s must be %s or %s, not %q", name, strings.Join(values[:last], ", "), values[last], value)
}

func positive(name, value string) error {
	if q, err := resource.ParseQuantity(value); err != nil || q.Sign() <= 0 {
		return fmt.Errorf("%s must be a quantity above 0, not %q", name, value)
	}
	return nil
}

func checkNamespaces(names []string) error {
	for i, name := range names {
		if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 {
			return fmt.Errorf("watchNamespaces: %q is not a valid namespace name", name)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("watchNamespaces: namespace %s is listed twice", name)
		}
	}
	return nil
}

// checkRepositories refuses an entry that has a tag or a digest, which would admit nothing, or the
// wrong thing.
func checkRepositories(field string, repositories []string) error {
	for _, repository := range repositories {
		last := repository[strings.LastIndex(repository, "/")+1:]
		if repository == "" || strings.ContainsAny(repository, " @*") || strings.Contains(last, ":") && strings.Contains(repository, "/") {
			return fmt.Errorf("%s: %q is not a repository such as registry.example/team; leave out tags, digests, wildcards and spaces", field, repository)
		}
	}
	return nil
}

func outOfRange(n, high int) bool { return n < 1 || n > high }

// checkPlacement refuses labels and taints with which the API server refuses every pod.
func checkPlacement(of string, nodeSelector map[string]string, tolerations []corev1.Toleration) error {
	for key, value := range nodeSelector {
		if err := checkLabel(key, value); err != nil {
			return fmt.Errorf("%s.nodeSelector: %w", of, err)
		}
	}
	for _, t := range tolerations {
		if err := checkToleration(t); err != nil {
			return fmt.Errorf("%s.tolerations: %w", of, err)
		}
	}
	return nil
}

// checkPods refuses settings with which the API server refuses every pod, or that would replace Hashmark's own labels.
func checkPods(pods objects.PodSettings, generator generatorConfiguration) error {
	var mirrors []string
	for _, m := range pods.ImageMirrors {
		mirrors = append(mirrors, m.Source, m.Mirror)
	}
	if user := pods.RunAsUser; user != nil && (*user < 1 || *user > math.MaxInt32) {
		return fmt.Errorf("trialPods.runAsUser is %d; use a user ID above 0, or null to leave it to the platform", *user)
	}
	for key, value := range generator.NodeSelector {
		if given, has := pods.NodeSelector[key]; has && given != value {
			return fmt.Errorf("generator.nodeSelector has %s=%s, and trialPods.nodeSelector %s=%s; no node has both", key, value, key, given)
		}
	}
	return cmp.Or(checkPodLabels(pods), checkPodNames(pods), checkRepositories("trialPods.imageMirrors", mirrors))
}

func checkPodLabels(pods objects.PodSettings) error {
	for _, key := range slices.Concat(slices.Sorted(maps.Keys(pods.Labels)), pods.InheritedLabels) {
		if err := checkLabel(key, pods.Labels[key]); err != nil {
			return fmt.Errorf("trialPods.labels and inheritedLabels: %w", err)
		}
		if strings.HasPrefix(key, "hashmark.dev/") {
			return fmt.Errorf("trialPods.labels and inheritedLabels: %q is reserved; use another label", key)
		}
	}
	for key := range pods.Annotations {
		if wrong := validation.IsQualifiedName(strings.ToLower(key)); len(wrong) > 0 {
			return fmt.Errorf("trialPods.annotations: %q is not a key of Kubernetes: %s", key, strings.Join(wrong, "; "))
		}
	}
	return nil
}

func checkPodNames(pods objects.PodSettings) error {
	type named struct{ field, name string }
	var names []named
	for _, secret := range pods.ImagePullSecrets {
		names = append(names, named{"imagePullSecrets", cmp.Or(secret.Name, "?")}) // an entry without a name is no Secret
	}
	names = append(names, named{"priorityClassName", pods.PriorityClassName}, named{"runtimeClassName", pods.RuntimeClassName})
	for _, n := range names {
		if wrong := validation.IsDNS1123Subdomain(n.name); n.name != "" && len(wrong) > 0 {
			return fmt.Errorf("trialPods.%s: %q is not a name of Kubernetes", n.field, n.name)
		}
	}
	return nil
}

func checkToleration(t corev1.Toleration) error {
	effects := []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule}
	switch {
	case !slices.Contains(effects, t.Effect):
		return fmt.Errorf("the effect %q is not NoSchedule, PreferNoSchedule or NoExecute", t.Effect)
	case !slices.Contains([]corev1.TolerationOperator{"", corev1.TolerationOpEqual, corev1.TolerationOpExists}, t.Operator):
		return fmt.Errorf("the operator %q is not Equal or Exists", t.Operator)
	case t.Operator == corev1.TolerationOpExists && t.Value != "":
		return fmt.Errorf("the operator Exists allows no value, but %s has %q", t.Key, t.Value)
	case t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute:
		return errors.New("tolerationSeconds is for the effect NoExecute only")
	case t.Key == "" && t.Operator != corev1.TolerationOpExists:
		return errors.New("a toleration without a key requires operator: Exists")
	case t.Key == "":
		return nil
	}
	return checkLabel(t.Key, t.Value)
}

// checkLabel returns an error for a label or taint with which the API server refuses every pod.
func checkLabel(key, value string) error {
	if wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
		return fmt.Errorf("%q with the value %q is not a label of Kubernetes: %s", key, value, strings.Join(wrong, "; "))
	}
	return nil
}

func (c *configuration) managerOptions() ctrl.Options {
	options := ctrl.Options{
		Scheme:                        newScheme(),
		LeaderElection:                c.LeaderElection.Enabled,
		LeaderElectionID:              "operator.hashmark.dev",
		LeaderElectionNamespace:       c.LeaderElection.Namespace,
		LeaderElectionReleaseOnCancel: true, // the process ends right after
		HealthProbeBindAddress:        c.Health.BindAddress,
		Metrics:                       c.metricsOptions(),
		Cache:                         controllers.CacheOptions(c.WatchNamespaces, c.TrialPods.InheritedLabels),
	}
	// With this option a pass sees what the pass before it wrote. Without it, names and locks
	// still keep the operator correct, but there are more conflicts. It is off if several
	// namespaces are watched: controller-runtime then can't tell which cache has caught up.
	options.Client.Cache = &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(len(c.WatchNamespaces) <= 1)}
	return options
}

// turnsLease is the name of the Lease whose holder is the trials that have a turn.
const turnsLease = "turns.hashmark.dev"

// ownNamespace returns the namespace of the operator's Leases: the configured one, or the pod's.
func (c *configuration) ownNamespace() (string, error) {
	if c.LeaderElection.Namespace != "" {
		return c.LeaderElection.Namespace, nil
	}
	namespace, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the operator runs outside a pod: set leaderElection.namespace to the namespace of its Leases")
	}
	return strings.TrimSpace(string(namespace)), err
}

func (c *configuration) metricsOptions() metricsserver.Options {
	options := metricsserver.Options{BindAddress: c.Metrics.BindAddress, SecureServing: c.Metrics.Secure}
	if c.Metrics.Secure {
		options.FilterProvider = filters.WithAuthenticationAndAuthorization
		// HTTP/2 is off because its rapid resets have taken servers down (CVE-2023-44487).
		options.TLSOpts = []func(*tls.Config){func(server *tls.Config) { server.NextProtos = []string{"http/1.1"} }}
	}
	return options
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1beta1.AddToScheme(scheme))
	return scheme
}
