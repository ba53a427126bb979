package main

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

type flags struct {
	leaderElect             bool
	leaderElectionNamespace string
	probeAddress            string
	metricsAddress          string
	metricsSecure           bool
	metricsMaxExperiments   int
	watchNamespaces         []string // empty: all
	maxConcurrentTrials     int
	paused                  bool
	startTimeout            time.Duration
	logFormat, logLevel     string
	settings                objects.Settings
}

// parse parses the command line and returns an error for values that can't work.
func parse(args []string) (*flags, error) {
	f := &flags{}
	set := flag.NewFlagSet("operator", flag.ContinueOnError)
	set.BoolVar(&f.leaderElect, "leader-elect", false, "let only one of several replicas be active at a time")
	set.StringVar(&f.leaderElectionNamespace, "leader-election-namespace", "", "namespace of the operator's Leases; the pod's namespace by default")
	set.StringVar(&f.probeAddress, "health-probe-bind-address", ":8081", "address of /healthz and /readyz")
	set.StringVar(&f.metricsAddress, "metrics-bind-address", ":8443", "address of /metrics; 0 turns it off")
	set.BoolVar(&f.metricsSecure, "metrics-secure", true, "serve metrics over HTTPS, to clients that the API server authorizes")
	set.Func("watch-namespaces", "comma-separated namespaces whose experiments are measured; all by default", f.setWatchNamespaces)
	set.IntVar(&f.metricsMaxExperiments, "metrics-max-experiments", 100, "number of experiments that have series of their own in /metrics; the others are only counted")
	set.IntVar(&f.maxConcurrentTrials, "max-concurrent-trials", 1, "largest number of trials under load at the same time, in all experiments")
	set.BoolVar(&f.paused, "paused", false, "take back all turns, remove all load, and start no trial; experiments keep their places")
	set.DurationVar(&f.startTimeout, "start-timeout", 5*time.Minute, "how long an attempt may wait until a pod is admitted, scheduled, pulled and started")
	set.StringVar(&f.logFormat, "log-format", "json", "format of the log: json, or text for people")
	set.StringVar(&f.logLevel, "log-level", "info", "info logs every decision that changed something; debug also logs passes that changed nothing")
	set.StringVar(&f.settings.ServiceImage, "service-image", "", "image of the login service")
	set.Func("allowed-service-images", "comma-separated repositories, such as registry.example/team, whose images users may deploy as their own login service; none by default", f.setAllowedImages)
	set.StringVar(&f.settings.GeneratorImage, "generator-image", "", "image of the load generator")
	set.StringVar((*string)(&f.settings.PullPolicy), "image-pull-policy", string(corev1.PullIfNotPresent), "when nodes pull the two images: Always, IfNotPresent or Never")
	set.StringVar(&f.settings.GeneratorCPULimit, "generator-cpu-limit", "500m", "CPU limit of a load generator, unless the experiment sets one")
	set.StringVar(&f.settings.GeneratorMemoryLimit, "generator-memory-limit", "512Mi", "memory limit of a load generator, unless the experiment sets one")
	set.Func("generator-node-selector", "label=value that a load generator's node must have; can be repeated", f.addNodeSelector)
	set.Func("generator-toleration", "key=value:Effect or key:Effect of a taint that load generators tolerate; can be repeated", f.addToleration)
	url := set.String("k6-remote-write-url", "",
		"URL that k6 sends its own series to by Prometheus remote write while a trial runs, such as http://prometheus.monitoring.svc:9090/api/v1/write; empty disables it")
	secret := set.String("k6-remote-write-secret", "",
		"name of the Secret in each experiment's namespace with the credentials for it; its keys username, password, bearerToken and ca.crt are all optional")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	var err error
	if f.settings.RemoteWrite, err = objects.NewRemoteWrite(*url, *secret); err != nil {
		return nil, fmt.Errorf("--k6-remote-write-url, --k6-remote-write-secret: %w", err)
	}
	return f, f.check(set.Args())
}

func (f *flags) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q; flags start with --", rest[0])
	case f.settings.ServiceImage == "" || f.settings.GeneratorImage == "":
		return errors.New("--service-image and --generator-image are required")
	case outOfRange(f.maxConcurrentTrials, 64):
		return errors.New("--max-concurrent-trials must be between 1 and 64")
	case outOfRange(f.metricsMaxExperiments, 10_000):
		return errors.New("--metrics-max-experiments must be between 1 and 10000")
	case f.startTimeout < 10*time.Second:
		return errors.New("--start-timeout must be at least 10s: a pod takes seconds to start")
	}
	return errors.Join(
		oneOf("--image-pull-policy", string(f.settings.PullPolicy), string(corev1.PullAlways), string(corev1.PullIfNotPresent), string(corev1.PullNever)),
		oneOf("--log-format", f.logFormat, "json", "text"),
		oneOf("--log-level", f.logLevel, "info", "debug"),
		positive("--generator-cpu-limit", f.settings.GeneratorCPULimit),
		positive("--generator-memory-limit", f.settings.GeneratorMemoryLimit),
	)
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

func (f *flags) setWatchNamespaces(text string) error {
	f.watchNamespaces = nil
	if text == "" {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 {
			return fmt.Errorf("%q is not a valid namespace name; separate names by commas without spaces", name)
		}
		if slices.Contains(f.watchNamespaces, name) {
			return fmt.Errorf("namespace %s is listed twice", name)
		}
		f.watchNamespaces = append(f.watchNamespaces, name)
	}
	return nil
}

// setAllowedImages refuses an entry that has a tag or a digest, which would admit nothing, or the
// wrong thing.
func (f *flags) setAllowedImages(text string) error {
	f.settings.AllowedServiceImages = nil
	if text == "" {
		return nil
	}
	for repository := range strings.SplitSeq(text, ",") {
		last := repository[strings.LastIndex(repository, "/")+1:]
		if repository == "" || strings.ContainsAny(repository, " @*") || strings.Contains(last, ":") && strings.Contains(repository, "/") {
			return fmt.Errorf("%q is not a repository such as registry.example/team; leave out tags, digests, wildcards and spaces", repository)
		}
		f.settings.AllowedServiceImages = append(f.settings.AllowedServiceImages, repository)
	}
	return nil
}

func outOfRange(n, high int) bool { return n < 1 || n > high }

func (f *flags) addNodeSelector(text string) error {
	key, value, found := strings.Cut(text, "=")
	if !found || key == "" {
		return fmt.Errorf("%q does not have the form label=value", text)
	}
	if err := checkLabel(key, value); err != nil {
		return err
	}
	if f.settings.GeneratorNodeSelector == nil {
		f.settings.GeneratorNodeSelector = map[string]string{}
	}
	f.settings.GeneratorNodeSelector[key] = value
	return nil
}

func (f *flags) addToleration(text string) error {
	taint, effect, _ := strings.Cut(text, ":")
	key, value, valued := strings.Cut(taint, "=")
	toleration := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffect(effect)}
	if valued {
		toleration.Operator, toleration.Value = corev1.TolerationOpEqual, value
	}
	switch toleration.Effect {
	case corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule:
	default:
		return fmt.Errorf("%q has no taint effect; use a form such as key=value:NoSchedule", text)
	}
	if key == "" {
		return fmt.Errorf("%q has no taint key; use a form such as key=value:NoSchedule", text)
	}
	if err := checkLabel(key, value); err != nil {
		return err
	}
	f.settings.GeneratorTolerations = append(f.settings.GeneratorTolerations, toleration)
	return nil
}

// checkLabel returns an error for a label or taint with which the API server refuses every pod.
func checkLabel(key, value string) error {
	if wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
		return fmt.Errorf("%q with the value %q is not a label of Kubernetes: %s", key, value, strings.Join(wrong, "; "))
	}
	return nil
}

func (f *flags) managerOptions() ctrl.Options {
	options := ctrl.Options{
		Scheme:                        newScheme(),
		LeaderElection:                f.leaderElect,
		LeaderElectionID:              "operator.hashmark.dev",
		LeaderElectionNamespace:       f.leaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true, // the process ends right after
		HealthProbeBindAddress:        f.probeAddress,
		Metrics:                       f.metricsOptions(),
		Cache:                         controllers.CacheOptions(f.watchNamespaces),
	}
	// With this option a pass sees what the pass before it wrote. Without it, names and locks
	// still keep the operator correct, but there are more conflicts. It is off if several
	// namespaces are watched: controller-runtime then can't tell which cache has caught up.
	options.Client.Cache = &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(len(f.watchNamespaces) <= 1)}
	return options
}

// turnsLease is the name of the Lease whose holder is the trials that have a turn.
const turnsLease = "turns.hashmark.dev"

// ownNamespace returns the namespace of the operator's Leases: the flag's, or the pod's.
func (f *flags) ownNamespace() (string, error) {
	if f.leaderElectionNamespace != "" {
		return f.leaderElectionNamespace, nil
	}
	namespace, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the operator runs outside a pod: set --leader-election-namespace to the namespace of its Leases")
	}
	return strings.TrimSpace(string(namespace)), err
}

func (f *flags) metricsOptions() metricsserver.Options {
	options := metricsserver.Options{BindAddress: f.metricsAddress, SecureServing: f.metricsSecure}
	if f.metricsSecure {
		options.FilterProvider = filters.WithAuthenticationAndAuthorization
		// HTTP/2 is off because its rapid resets have taken servers down (CVE-2023-44487).
		options.TLSOpts = []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }}
	}
	return options
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1beta1.AddToScheme(scheme))
	return scheme
}
