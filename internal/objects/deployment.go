package objects

import (
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

const (
	// CalibrateContainer is the name of the init container that times hashes. Its
	// termination message is the JSON of calibration.Result.
	CalibrateContainer = "calibrate"
	// LoginContainer is the name of the container that serves logins.
	LoginContainer = "login"
	// Port is the port of a login service, for logins, evidence and metrics.
	Port = 8080
	// TLSPort is the port of a login service for logins with TLS.
	TLSPort = 8443
	// User is the user name of every login. It protects nothing, so its password is public.
	User = "hashmark"
	// Password is the password of User.
	Password = "correct horse battery staple"

	portName        = "http"
	tlsPortName     = "https"
	calibrationDir  = "/run/hashmark"
	calibrationFile = calibrationDir + "/calibration.json"

	// startPatience is the startup probe's failure threshold, at one failure a second. It is
	// longer than the start timeout, so that the operator, which can report why a start takes
	// so long, gives up first.
	startPatience = 600
)

// Deployment builds the attempt's login service: an init container that measures the hash time
// under the same limits as the service, and then the service. The addresses are those of its companions, by name.
func (b Builder) Deployment(addresses map[string]string) *appsv1.Deployment {
	pod := b.servicePod()
	pod.HostAliases = hosts(addresses)
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: b.metadata(Child(b.trial.UID, b.number), v1beta1.ComponentService),
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(b.trial.Spec.Service.Replicas),
			Selector: &metav1.LabelSelector{MatchLabels: b.ServiceSelector()},
			// An old and a new pod at the same time would share the CPUs.
			Strategy:             appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			RevisionHistoryLimit: ptr.To[int32](0),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: b.podMetadata(v1beta1.ComponentService),
				Spec:       pod,
			},
		},
	}
}

func (b Builder) servicePod() corev1.PodSpec {
	if b.trial.Spec.Service.Own != nil {
		return b.ownPod()
	}
	shared := corev1.VolumeMount{Name: "calibration", MountPath: calibrationDir}

	calibrate := b.container(CalibrateContainer, b.settings.ServiceImage, b.serviceResources)
	// One output is for the operator, which reads the pod's status, and one for the service,
	// which derives its queue length from it.
	calibrate.Args = []string{
		"calibrate",
		"--output", corev1.TerminationMessagePathDefault,
		"--output", calibrationFile,
	}
	if b.trial.Spec.TimesAgain() {
		calibrate.Args = append(calibrate.Args, "--time", loadplan.TimedAgain.String())
	}
	calibrate.Env = append(b.hashing(), variable(envvar.Deadline, deadlineText(b.deadline)))
	calibrate.VolumeMounts = []corev1.VolumeMount{shared}

	login := b.container(LoginContainer, b.settings.ServiceImage, b.serviceResources)
	login.Args = []string{"serve"}
	login.Env = b.loginEnvironment()
	login.Ports = []corev1.ContainerPort{{Name: portName, ContainerPort: Port, Protocol: corev1.ProtocolTCP}}
	login.StartupProbe = startupProbe("/readyz", portName)
	if b.tls() != nil {
		login.Env = append(login.Env, variable(envvar.TLSListen, fmt.Sprintf(":%d", TLSPort)))
		login.Ports = append(login.Ports, corev1.ContainerPort{Name: tlsPortName, ContainerPort: TLSPort, Protocol: corev1.ProtocolTCP})
	}
	shared.ReadOnly = true
	login.VolumeMounts = []corev1.VolumeMount{shared}

	pod := b.podSpec()
	pod.InitContainers = []corev1.Container{calibrate}
	pod.Containers = []corev1.Container{login}
	pod.Volumes = []corev1.Volume{scratch("calibration", corev1.StorageMediumMemory, "1Mi")}
	b.placeInPool(&pod)
	return pod
}

// startupProbe finds when the service can answer. There is no other probe: a saturated service
// would fail it and be restarted, although saturation is part of the measurement.
func startupProbe(path, port string) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: path, Port: intstr.FromString(port), Scheme: corev1.URISchemeHTTP,
		}},
		PeriodSeconds:    1,
		TimeoutSeconds:   5,
		SuccessThreshold: 1,
		FailureThreshold: startPatience,
	}
}

func (b Builder) loginEnvironment() []corev1.EnvVar {
	variant := b.trial.Spec.Variant
	timeout := time.Duration(b.trial.Spec.Load.RequestTimeoutSeconds) * time.Second
	environment := append(b.hashing(),
		variable(envvar.Concurrency, string(variant.Concurrency.Mode)),
		variable(envvar.CPULimit, b.cpuMilli()),
		variable(envvar.CalibrationFile, calibrationFile),
		variable(envvar.RequestTimeout, timeout.String()),
		variable(envvar.Deadline, deadlineText(b.deadline)),
		variable(envvar.User, User),
		variable(envvar.Password, Password),
	)
	environment = append(environment, b.sessions()...)
	if workers := variant.Concurrency.Workers; workers != nil {
		environment = append(environment, variable(envvar.Workers, decimal(*workers)))
	}
	if length := variant.Concurrency.QueueLength; length != nil {
		environment = append(environment, variable(envvar.QueueLength, decimal(*length)))
	}
	return environment
}

// placeInPool restricts the service to the variant's node pool, if it has one.
func (b Builder) placeInPool(pod *corev1.PodSpec) {
	pool := b.trial.Spec.Variant.NodePool
	if pool == nil {
		return
	}
	labels := make(map[string]string, len(pool.NodeSelector))
	for key, value := range pool.NodeSelector {
		labels[key] = string(value)
	}
	var tolerations []corev1.Toleration
	for _, toleration := range pool.Tolerations {
		tolerations = append(tolerations, corev1.Toleration{
			Key:      toleration.Key,
			Operator: corev1.TolerationOperator(toleration.Operator),
			Value:    toleration.Value,
			Effect:   corev1.TaintEffect(toleration.Effect),
		})
	}
	placeOn(pod, labels, tolerations)
}

// cpuMilli returns the CPU limit of the service in thousandths.
func (b Builder) cpuMilli() string {
	return strconv.FormatInt(b.serviceResources.Limits.Cpu().MilliValue(), 10)
}

func deadlineText(deadline time.Time) string { return deadline.UTC().Format(time.RFC3339) }

func decimal(n int32) string { return strconv.Itoa(int(n)) }

// ServiceAccount builds the account that an experiment's pods run as. It has no rights and no
// token. It exists so that pods do not use the namespace's default account, which may have
// rights.
func ServiceAccount(experiment *v1beta1.SizingExperiment) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      ServiceAccountName(experiment.UID),
			Namespace: experiment.Namespace,
			Labels: map[string]string{
				v1beta1.LabelExperimentUID: string(experiment.UID),
				v1beta1.LabelExperiment:    experiment.Name,
			},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(experiment, v1beta1.GroupVersion.WithKind("SizingExperiment")),
			},
		},
		AutomountServiceAccountToken: ptr.To(false),
	}
}

// Service builds the Service of the attempt's login pods.
func (b Builder) Service() *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: b.metadata(Child(b.trial.UID, b.number), v1beta1.ComponentService),
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: b.ServiceSelector(),
			Ports: []corev1.ServicePort{{
				Name:       portName,
				Port:       Port,
				TargetPort: intstr.FromString(b.endpoint().portName),
				Protocol:   corev1.ProtocolTCP,
			}},
			// A saturated pod must keep its share of the load. Without this, a pod that
			// becomes unready would move its share to the other pods, or lose it.
			PublishNotReadyAddresses: true,
		},
	}
}
