package main

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
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
	// Image of the login service. $(NAME) is the value of an environment variable.
	Image string `json:"image"`
	// AllowedImages are repositories, such as registry.example/team, whose images users may deploy as their own
	// login service; empty means none.
	AllowedImages []string `json:"allowedImages,omitempty"`
	// SecretsPolicy is the name of a ValidatingAdmissionPolicy, and of its binding, that lets users name only Secrets that they
	// can read. Without it, no experiment can name a Secret.
	SecretsPolicy string `json:"secretsPolicy,omitempty"`
}

type generatorConfiguration struct {
	// Image of the load generator. $(NAME) is the value of an environment variable.
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
	c.LoginService.Image, c.Generator.Image = expanded(c.LoginService.Image), expanded(c.Generator.Image)
	return c, c.check()
}

// expanded returns the value of an environment variable for $(NAME), and any other text as it is. Tools that change the
// images of a Deployment, such as kustomize, can change those of its variables, but not those within a file.
func expanded(image string) string {
	name, isVariable := strings.CutPrefix(image, "$(")
	if name, ends := strings.CutSuffix(name, ")"); isVariable && ends {
		return os.Getenv(name)
	}
	return image
}

func (c *configuration) check() error {
	switch {
	case c.TypeMeta != configurationKind:
		return fmt.Errorf("it is no configuration of the operator; begin it with apiVersion: %s and kind: %s", configurationKind.APIVersion, configurationKind.Kind)
	case c.LoginService.Image == "" || c.Generator.Image == "":
		return errors.New("loginService.image and generator.image are required, in the file or in the environment variable that it names")
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
