package smoke

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// keptSeconds is how long an experiment stays whose tester died before it could
// delete it.
const keptSeconds = 3600

// Experiment is the question: about 15 seconds of calibration and load on a
// quarter of a CPU, at an eighth of what that can do.
func Experiment(namespace string) *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "smoke-test-"},
		Spec: v1alpha1.SizingExperimentSpec{
			Matrix: v1alpha1.Matrix{Costs: []int32{4}, CPULimits: []string{"250m"}},
			Load: v1alpha1.Load{
				Mode: v1alpha1.LoadRates, RatesPerSecond: []intstr.IntOrString{intstr.FromInt32(25)},
				StepSeconds: 4, WarmupSeconds: 1, RequestTimeoutSeconds: 2,
			},
			Objective:               v1alpha1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: 1},
			TTLSecondsAfterFinished: ptr.To[int32](keptSeconds),
		},
	}
}
