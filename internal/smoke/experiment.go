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

// Experiment is the question: about 20 seconds of calibration and load on a
// quarter of a CPU, at half of what that can do. A hash takes long enough for
// the generator to time it well, and the step holds logins enough for an
// interval, so that nothing but the cluster makes the answer doubtful.
func Experiment(namespace string) *v1alpha1.SizingExperiment {
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
