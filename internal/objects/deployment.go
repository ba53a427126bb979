package objects

import (
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	// CalibrateContainer is the name of the init container that times hashes. Its
	// termination message is the JSON of calibration.Result.
	CalibrateContainer = "calibrate"
	// LoginContainer is the name of the container that serves logins.
	LoginContainer = "login"
	// Port is where a login service answers everything: logins, evidence, metrics.
	Port = 8080
	// User is the login that every service knows and every generator sends. It
	// guards nothing, so that its password may stand here for all to read.
	User = "hashmark"
	// Password of User.
	Password = "correct horse battery staple"

	portName        = "http"
	calibrationDir  = "/run/hashmark"
	calibrationFile = calibrationDir + "/calibration.json"

	// startPatience is how often the startup probe may fail, once a second. It is
	// longer than any start, so that the operator, which can say why one takes so
	// long, gives up first.
	startPatience = 600
)

// Deployment builds the attempt's login service: an init container that times
// hashes under the very limits that the service is given, then the service.
func (a Attempt) Deployment() *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: a.metadata(Child(a.trial.UID, a.number), v1alpha1.ComponentService),
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(a.trial.Spec.Service.Replicas),
			Selector: &metav1.LabelSelector{MatchLabels: a.ServiceSelector()},
			// Two pods in the place of one would share its CPUs.
			Strategy:             appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			RevisionHistoryLimit: ptr.To[int32](0),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: a.podMetadata(v1alpha1.ComponentService),
				Spec:       a.servicePod(),
			},
		},
	}
}

func (a Attempt) servicePod() corev1.PodSpec {
	shared := corev1.VolumeMount{Name: "calibration", MountPath: calibrationDir}

	calibrate := a.container(CalibrateContainer, a.settings.ServiceImage, a.serviceResources)
	// Once for the operator, which reads the pod's status, and once for the
	// service, which sizes its queue by it.
	calibrate.Args = []string{
		"calibrate",
		"--output", corev1.TerminationMessagePathDefault,
		"--output", calibrationFile,
	}
	calibrate.Env = a.hashing()
	calibrate.VolumeMounts = []corev1.VolumeMount{shared}

	login := a.container(LoginContainer, a.settings.ServiceImage, a.serviceResources)
	login.Args = []string{"serve"}
	login.Env = a.loginEnvironment()
	login.Ports = []corev1.ContainerPort{{Name: portName, ContainerPort: Port, Protocol: corev1.ProtocolTCP}}
	login.StartupProbe = startupProbe()
	shared.ReadOnly = true
	login.VolumeMounts = []corev1.VolumeMount{shared}

	pod := a.podSpec()
	pod.InitContainers = []corev1.Container{calibrate}
	pod.Containers = []corev1.Container{login}
	pod.Volumes = []corev1.Volume{scratch("calibration", corev1.StorageMediumMemory, "1Mi")}
	a.placeInPool(&pod)
	return pod
}

// startupProbe finds the moment when the service can answer. There is no other
// probe: a saturated service would fail it, and be restarted for doing exactly
// what it was asked to.
func startupProbe() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: "/readyz", Port: intstr.FromString(portName), Scheme: corev1.URISchemeHTTP,
		}},
		PeriodSeconds:    1,
		TimeoutSeconds:   5,
		SuccessThreshold: 1,
		FailureThreshold: startPatience,
	}
}

func (a Attempt) loginEnvironment() []corev1.EnvVar {
	variant := a.trial.Spec.Variant
	timeout := time.Duration(a.trial.Spec.Load.RequestTimeoutSeconds) * time.Second
	environment := append(a.hashing(),
		variable("HASHMARK_CONCURRENCY", string(variant.Concurrency.Mode)),
		variable("HASHMARK_CPU_LIMIT", strconv.FormatInt(a.serviceCPU.MilliValue(), 10)),
		variable("HASHMARK_CALIBRATION_FILE", calibrationFile),
		variable("HASHMARK_REQUEST_TIMEOUT", timeout.String()),
		variable("HASHMARK_DEADLINE", a.deadlineText()),
		variable("HASHMARK_USER", User),
		variable("HASHMARK_PASSWORD", Password),
	)
	environment = append(environment, a.sessions()...)
	if workers := variant.Concurrency.Workers; workers != nil {
		environment = append(environment, variable("HASHMARK_WORKERS", decimal(*workers)))
	}
	if length := variant.Concurrency.QueueLength; length != nil {
		environment = append(environment, variable("HASHMARK_QUEUE_LENGTH", decimal(*length)))
	}
	return environment
}

// placeInPool keeps the service to the variant's node pool, where it has one.
func (a Attempt) placeInPool(pod *corev1.PodSpec) {
	pool := a.trial.Spec.Variant.NodePool
	if pool == nil {
		return
	}
	if len(pool.NodeSelector) > 0 {
		pod.NodeSelector = make(map[string]string, len(pool.NodeSelector))
	}
	for key, value := range pool.NodeSelector {
		pod.NodeSelector[key] = string(value)
	}
	for _, toleration := range pool.Tolerations {
		pod.Tolerations = append(pod.Tolerations, corev1.Toleration{
			Key:      toleration.Key,
			Operator: corev1.TolerationOperator(toleration.Operator),
			Value:    toleration.Value,
			Effect:   corev1.TaintEffect(toleration.Effect),
		})
	}
}

func (a Attempt) deadlineText() string {
	return a.deadline.UTC().Format(time.RFC3339)
}

func decimal(n int32) string {
	return strconv.Itoa(int(n))
}
