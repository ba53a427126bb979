package objects

import (
	"cmp"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Builder builds the Kubernetes objects of one attempt of a trial. Create one with New; the zero value is
// not usable.
type Builder struct {
	settings   Settings
	trial      *v1beta1.SizingTrial
	experiment metav1.OwnerReference
	number     int32
	deadline   time.Time

	serviceResources   corev1.ResourceRequirements
	generatorResources corev1.ResourceRequirements
	companionResources []corev1.ResourceRequirements
	receiver           *receiver
}

// New returns the Builder of a trial under the operator's settings. The number counts the
// trial's attempts from 1. At the deadline the login service and its calibration end by themselves,
// even if no operator is running.
//
// It fails if a limit of the trial or of the settings is not a quantity, if the remote-write
// URL is invalid, if no experiment controls the trial, or with an *ImageNotAllowedError or a *SecretNotAllowedError.
func New(settings Settings, trial *v1beta1.SizingTrial, number int32, deadline time.Time) (Builder, error) {
	if err := cmp.Or(settings.CheckImages(trial.Spec.Service), settings.CheckSecrets(trial.Spec.Service)); err != nil {
		return Builder{}, err
	}
	experiment := metav1.GetControllerOf(trial)
	if experiment == nil {
		return Builder{}, fmt.Errorf("trial %s is not controlled by an experiment", trial.Name)
	}
	service, generator, companions, err := settings.resources(trial.Spec)
	if err != nil {
		return Builder{}, err
	}
	live, err := receiverOf(settings, trial.Spec.Service.Own)
	if err != nil {
		return Builder{}, err
	}
	return Builder{
		settings:           settings,
		trial:              trial,
		experiment:         *experiment,
		number:             number,
		deadline:           deadline,
		serviceResources:   service,
		generatorResources: generator,
		companionResources: companions,
		receiver:           live,
	}, nil
}

// receiverOf returns where k6 sends its own series, or nil. With a user's script it sends none: the
// script could read the receiver's credentials, and write series of its own.
func receiverOf(settings Settings, own *v1beta1.OwnService) (*receiver, error) {
	if settings.RemoteWrite == nil || own != nil && own.Login.Script != "" {
		return nil, nil
	}
	parsed, err := receiverAt(settings.RemoteWrite.URL)
	return &parsed, err
}

// guaranteed returns requests that are equal to the limits, which have names for an error.
func guaranteed(cpuLimit, cpu, memoryLimit, memory string) (corev1.ResourceRequirements, error) {
	limits := corev1.ResourceList{}
	for _, limit := range []struct {
		resource   corev1.ResourceName
		what, text string
	}{{corev1.ResourceCPU, cpuLimit, cpu}, {corev1.ResourceMemory, memoryLimit, memory}} {
		parsed, err := resource.ParseQuantity(limit.text)
		if err != nil {
			return corev1.ResourceRequirements{}, fmt.Errorf("%s %q is not a quantity: %w", limit.what, limit.text, err)
		}
		limits[limit.resource] = parsed
	}
	return corev1.ResourceRequirements{Requests: limits.DeepCopy(), Limits: limits}, nil
}

// Settings are the operator's settings that apply to every attempt.
type Settings struct {
	// ServiceImage is the login service's image.
	ServiceImage string
	// GeneratorImage is the image of the load runner with k6.
	GeneratorImage string
	// AllowedServiceImages are the repositories of images that users may deploy as their own login
	// service; empty means none.
	AllowedServiceImages []string
	// SecretsPolicy is the name of the ValidatingAdmissionPolicy, and of its binding, that lets users name only Secrets that they
	// can read; without one, no experiment may name a Secret.
	SecretsPolicy string
	// Pods are what the administrator gives to the pods.
	Pods PodSettings
	// PullPolicy is when a node pulls both images; empty means Kubernetes' default.
	PullPolicy corev1.PullPolicy

	// GeneratorCPULimit is the generator's CPU limit, a quantity, for trials that set none.
	GeneratorCPULimit string
	// GeneratorMemoryLimit is the generator's memory limit, a quantity.
	GeneratorMemoryLimit string
	// GeneratorTolerations let the generator run on nodes that are reserved for load.
	GeneratorTolerations []corev1.Toleration
	// GeneratorNodeSelector restricts the generator to certain nodes; empty means any.
	GeneratorNodeSelector map[string]string
	// RemoteWrite is where k6 sends its own series while it runs; nil disables it.
	RemoteWrite *RemoteWrite
}
