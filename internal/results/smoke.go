package results

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// keptSeconds is how long the experiment is kept if the test ends without deleting it.
const keptSeconds = 3600

// SmokeExperiment returns the experiment of the smoke test: about 20 seconds of calibration and load on a quarter of
// a CPU, at half of its maximum. A hash takes long enough to be timed well, and the step has
// enough logins for an interval, so that only the cluster can make the result doubtful.
func SmokeExperiment(namespace string) *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "smoke-test-"},
		Spec: v1alpha1.SizingExperimentSpec{
			Matrix: v1alpha1.Matrix{Costs: []int32{8}, CPULimits: []string{"250m"}},
			Load: v1alpha1.Load{
				Mode: v1alpha1.LoadRates, RatesPerSecond: []intstr.IntOrString{intstr.FromInt32(8)},
				StepSeconds: 12, WarmupSeconds: 1, RequestTimeoutSeconds: 5,
			},
			Objective:               v1alpha1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: 1},
			TTLSecondsAfterFinished: ptr.To[int32](keptSeconds),
		},
	}
}
