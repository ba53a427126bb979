package objects

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

const (
	// GeneratorContainer is the name of the container that runs the load. Package measurement
	// decodes its termination message.
	GeneratorContainer = "generator"

	scratchDir = "/tmp"
	// scratchSize is enough for the scripts and the due times of the largest load.
	scratchSize = "1Gi"
)

// Load is what is known only once the login service runs.
type Load struct {
	// Plan is the generator's plan.
	Plan loadplan.Plan
	// ClusterIP is the address of the attempt's Service.
	ClusterIP string
	// PodIPs are the addresses of the service's pods, where evidence is read.
	PodIPs []string
	// Companions are the addresses of the service's companions, by name.
	Companions map[string]string
	// ActiveLimit is how long the Job may take, including the start of its pod.
	ActiveLimit time.Duration
	// Deadline is when the generator ends by itself, even on a node that no controller reaches.
	Deadline time.Time
}

// Job builds the load of the attempt: one pod, run once. Only the operator repeats a failed load, because the
// numbers of two pods of a Job would be taken for one. It fails if the plan can't be marshalled as JSON.
func (b Builder) Job(load Load) (*batchv1.Job, error) {
	plan, err := json.Marshal(load.Plan)
	if err != nil {
		return nil, fmt.Errorf("marshalling the load's plan: %w", err)
	}
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: b.metadata(Child(b.trial.UID, b.number), v1beta1.ComponentGenerator),
		Spec: batchv1.JobSpec{
			Parallelism:           ptr.To[int32](1),
			Completions:           ptr.To[int32](1),
			BackoffLimit:          ptr.To[int32](0),
			ActiveDeadlineSeconds: ptr.To(int64(load.ActiveLimit.Seconds())),
			// By default a pod that is still terminating would already be replaced, and two
			// generators would put load on one service.
			PodReplacementPolicy: ptr.To(batchv1.Failed),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: b.podMetadata(v1beta1.ComponentGenerator),
				Spec:       b.generatorPod(b.generatorEnvironment(load, plan)),
			},
		},
	}, nil
}

func (b Builder) generatorPod(environment []corev1.EnvVar) corev1.PodSpec {
	generator := b.container(GeneratorContainer, b.settings.GeneratorImage, b.generatorResources)
	generator.Env = environment
	generator.VolumeMounts = []corev1.VolumeMount{{Name: "scratch", MountPath: scratchDir}}

	pod := b.podSpec()
	pod.RestartPolicy = corev1.RestartPolicyNever
	pod.Containers = []corev1.Container{generator}
	pod.Volumes = []corev1.Volume{scratch("scratch", corev1.StorageMediumDefault, scratchSize)}
	b.placeWithLoad(&pod)
	b.goLive(&pod)
	return pod
}

// placeWithLoad restricts a pod to the nodes for load, and keeps it away from the service.
func (b Builder) placeWithLoad(pod *corev1.PodSpec) {
	placeOn(pod, b.settings.GeneratorNodeSelector, b.settings.GeneratorTolerations)
	away := &pod.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	*away = append(*away, awayFrom(b.ServiceSelector()))
}

// awayFrom prefers a node other than those of some pods, but does not require it: on a
// single node the trial still runs, and its verdict has the reason SharedNode.
func awayFrom(pods map[string]string) corev1.WeightedPodAffinityTerm {
	return corev1.WeightedPodAffinityTerm{
		Weight: 100,
		PodAffinityTerm: corev1.PodAffinityTerm{
			TopologyKey:   corev1.LabelHostname,
			LabelSelector: &metav1.LabelSelector{MatchLabels: pods},
		},
	}
}

func (b Builder) generatorEnvironment(load Load, plan []byte) []corev1.EnvVar {
	to := b.endpoint()
	pods, evidence := make([]string, len(load.PodIPs)), make([]string, len(load.PodIPs))
	for i, ip := range load.PodIPs {
		pods[i], evidence[i] = address(to.scheme, ip, to.port), address("http", ip, to.evidencePort)
	}
	environment := []corev1.EnvVar{
		variable(envvar.Plan, string(plan)),
		variable(envvar.Target, address(to.scheme, load.ClusterIP, Port)),
		variable(envvar.Pods, strings.Join(pods, ",")),
		variable(envvar.Replicas, decimal(b.trial.Spec.Service.Replicas)),
		variable(envvar.Deadline, deadlineText(load.Deadline)),
		variable(envvar.User, User),
		variable(envvar.Password, Password),
	}
	if b.trial.Spec.Variant.Hash.Sessions {
		environment = append(environment, variable(envvar.Sessions, "true"))
	}
	if to.evidencePort != to.port {
		environment = append(environment, variable(envvar.Evidence, strings.Join(evidence, ",")))
	}
	if tls := b.tls(); tls != nil {
		environment = append(environment, variable(envvar.Handshakes, string(tls.Handshakes)))
	}
	environment = append(environment, b.ownEnvironment()...)
	if len(load.Companions) > 0 {
		environment = append(environment, variable(envvar.Companions, companionAddresses(load.Companions)))
	}
	return append(environment, b.liveEnvironment()...)
}

// companionAddresses returns where companions answer for Hashmark, as name=address with commas between.
func companionAddresses(addresses map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		all = append(all, name+"="+address("http", addresses[name], EvidencePort))
	}
	return strings.Join(all, ",")
}

// GeneratorDeadline returns when a generator's pod ends its load by itself. It returns false if
// the pod has no deadline, which every pod of a Job has that was built here.
func GeneratorDeadline(pod corev1.PodSpec) (time.Time, bool) {
	deadline, err := time.Parse(time.RFC3339, generatorVariable(pod, envvar.Deadline))
	return deadline, err == nil
}

// PlanOf returns the plan that a Job gives to its generator. A Job's template can't be changed, so
// it is what was sent. The errors are those of loadplan.Decode.
func PlanOf(job *batchv1.Job) (loadplan.Plan, error) {
	return loadplan.Decode(generatorVariable(job.Spec.Template.Spec, envvar.Plan))
}

func generatorVariable(pod corev1.PodSpec, name string) string {
	for _, container := range pod.Containers {
		for _, v := range container.Env {
			if container.Name == GeneratorContainer && v.Name == name {
				return v.Value
			}
		}
	}
	return ""
}

func address(scheme, ip string, port int32) string {
	return scheme + "://" + net.JoinHostPort(ip, strconv.Itoa(int(port)))
}
