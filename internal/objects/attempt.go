package objects

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Attempt builds the objects of one attempt of a trial. Create one with New; the zero value is
// not usable.
type Attempt struct {
	settings   Settings
	trial      *v1alpha1.SizingTrial
	experiment metav1.OwnerReference
	number     int32
	deadline   time.Time

	serviceResources   corev1.ResourceRequirements
	generatorResources corev1.ResourceRequirements
	serviceCPU         resource.Quantity
	receiver           *receiver
}

// New returns the Attempt of a trial under the operator's settings. The number counts the
// trial's attempts from 1. At the deadline the login service and its calibration end by themselves,
// even if no operator is running.
//
// It fails if a limit of the trial or of the settings is not a quantity, if the remote-write
// URL is invalid, if no experiment controls the trial, or with an *ImageNotAllowedError.
func New(settings Settings, trial *v1alpha1.SizingTrial, number int32, deadline time.Time) (Attempt, error) {
	if err := settings.CheckImage(trial.Spec.Service); err != nil {
		return Attempt{}, err
	}
	experiment := metav1.GetControllerOf(trial)
	if experiment == nil {
		return Attempt{}, fmt.Errorf("trial %s is not controlled by an experiment", trial.Name)
	}
	cpu, err := quantity("the variant's cpuLimit", trial.Spec.Variant.CPULimit)
	if err != nil {
		return Attempt{}, err
	}
	memory, err := quantity("service.memoryLimit", trial.Spec.Service.MemoryLimit)
	if err != nil {
		return Attempt{}, err
	}
	generator, err := generatorResources(settings, trial.Spec.Generator)
	if err != nil {
		return Attempt{}, err
	}
	live, err := receiverOf(settings, trial.Spec.Service.Own)
	if err != nil {
		return Attempt{}, err
	}
	return Attempt{
		settings:           settings,
		trial:              trial,
		experiment:         *experiment,
		number:             number,
		deadline:           deadline,
		serviceCPU:         cpu,
		serviceResources:   guaranteed(cpu, memory),
		generatorResources: generator,
		receiver:           live,
	}, nil
}

// generatorResources returns the trial's generator resources, with the operator's defaults for
// what the trial does not set.
func generatorResources(settings Settings, generator v1alpha1.Generator) (corev1.ResourceRequirements, error) {
	cpu, err := quantity("the generator's CPU limit", or(generator.CPULimit, settings.GeneratorCPULimit))
	if err != nil {
		return corev1.ResourceRequirements{}, err
	}
	memory, err := quantity("the generator's memory limit", or(generator.MemoryLimit, settings.GeneratorMemoryLimit))
	if err != nil {
		return corev1.ResourceRequirements{}, err
	}
	return guaranteed(cpu, memory), nil
}

// receiverOf returns where k6 sends its own series, or nil. With a user's script it sends none: the
// script could read the receiver's credentials, and write series of its own.
func receiverOf(settings Settings, own *v1alpha1.OwnService) (*receiver, error) {
	if settings.RemoteWrite == nil || own != nil && own.Login.Script != "" {
		return nil, nil
	}
	parsed, err := receiverAt(settings.RemoteWrite.URL)
	return &parsed, err
}

func quantity(what, text string) (resource.Quantity, error) {
	parsed, err := resource.ParseQuantity(text)
	if err != nil {
		return resource.Quantity{}, fmt.Errorf("%s %q is not a quantity: %w", what, text, err)
	}
	return parsed, nil
}

func or(value, fallback string) string {
	if value != "" {
		return value
	}
	return fallback
}

// guaranteed returns requests that are equal to the limits.
func guaranteed(cpu, memory resource.Quantity) corev1.ResourceRequirements {
	amounts := func() corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: cpu.DeepCopy(), corev1.ResourceMemory: memory.DeepCopy()}
	}
	return corev1.ResourceRequirements{Requests: amounts(), Limits: amounts()}
}

// Settings are the operator's flags that apply to every attempt.
type Settings struct {
	// ServiceImage is the login service's image.
	ServiceImage string
	// GeneratorImage is the image of the load runner with k6.
	GeneratorImage string
	// AllowedServiceImages are the repositories of images that users may deploy as their own login
	// service; empty means none.
	AllowedServiceImages []string
	// PullPolicy is when a node pulls both images; empty means Kubernetes' default.
	PullPolicy corev1.PullPolicy

	// GeneratorCPULimit is the generator's CPU limit, a quantity, for trials that set none.
	GeneratorCPULimit string
	// GeneratorMemoryLimit is the generator's memory limit, a quantity, for trials that set none.
	GeneratorMemoryLimit string
	// GeneratorTolerations let the generator run on nodes that are reserved for load.
	GeneratorTolerations []corev1.Toleration
	// GeneratorNodeSelector restricts the generator to certain nodes; empty means any.
	GeneratorNodeSelector map[string]string
	// RemoteWrite is where k6 sends its own series while it runs; nil disables it.
	RemoteWrite *RemoteWrite
}
