package objects

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Attempt is one try at a trial, with everything its objects are built from.
// The zero value is of no use; make one with New.
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

// New holds a trial against the operator's settings. The number counts the
// trial's attempts from 1; at the deadline both pods end by themselves, even
// where no operator is left to end them.
//
// It fails when a limit of the trial or of the settings is no quantity, when k6's
// series have nowhere to go, and when no experiment controls the trial.
func New(settings Settings, trial *v1alpha1.SizingTrial, number int32, deadline time.Time) (Attempt, error) {
	experiment := metav1.GetControllerOf(trial)
	if experiment == nil {
		return Attempt{}, fmt.Errorf("trial %s has no experiment that controls it", trial.Name)
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
	live, err := receiverOf(settings)
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

// generatorResources takes what the trial names, and the operator's defaults
// for what it does not.
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

func receiverOf(settings Settings) (*receiver, error) {
	if settings.RemoteWrite == nil {
		return nil, nil
	}
	found, err := receiverAt(settings.RemoteWrite.URL)
	return &found, err
}

func quantity(what, written string) (resource.Quantity, error) {
	parsed, err := resource.ParseQuantity(written)
	if err != nil {
		return resource.Quantity{}, fmt.Errorf("%s %q is no quantity: %w", what, written, err)
	}
	return parsed, nil
}

func or(preferred, otherwise string) string {
	if preferred != "" {
		return preferred
	}
	return otherwise
}

// guaranteed asks for exactly what it limits.
func guaranteed(cpu, memory resource.Quantity) corev1.ResourceRequirements {
	amounts := func() corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: cpu.DeepCopy(), corev1.ResourceMemory: memory.DeepCopy()}
	}
	return corev1.ResourceRequirements{Requests: amounts(), Limits: amounts()}
}
