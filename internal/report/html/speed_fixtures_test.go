package html_test

import (
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// driftBegan is the start of the first trial on a drifting CPU.
var driftBegan = time.Date(2026, 11, 21, 14, 0, 0, 0, time.UTC)

// drifted makes the trials of an experiment run one after another on a CPU whose speed
// drifts.
func drifted(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
	e.Status.StartTime = ptr.To(metav1.NewTime(driftBegan))
	pools := map[string]bool{}
	for i := range trials {
		pools[trials[i].Spec.Variant.NodePool.Name] = true
		drift(&trials[i], driftBegan.Add(time.Duration(i)*100*time.Second))
	}
	for _, name := range []string{"epyc", "graviton"} {
		if pools[name] {
			e.Status.Speed = append(e.Status.Speed, v1beta1.PoolSpeed{
				NodePool: name, HashMicrosecondsAtCost8: 14_250, MedianPerMille: 1004, ErrorPerMille: 6, LowPerMille: 930, HighPerMille: 1090, Windows: 960,
			})
		}
	}
	for i := range e.Status.Results {
		e.Status.Results[i].Speed = &v1beta1.RowSpeed{LowPerMille: 940, MedianPerMille: 1004, HighPerMille: 1080}
	}
}

// drift gives a trial 80 seconds of load after eight seconds of calibration. It was
// converted to a reference that is 2 % off the experiment's.
func drift(trial *v1beta1.SizingTrial, began time.Time) {
	const reference = 14_535
	at := func(seconds int) *metav1.Time {
		return ptr.To(metav1.NewTime(began.Add(time.Duration(seconds) * time.Second)))
	}
	slower := func(seconds int) float64 {
		moment := float64(began.Unix() + int64(seconds))
		return 1 + .06*math.Sin(moment/19) + .03*math.Sin(moment*1.7)
	}
	trial.Status.Attempts = []v1beta1.Attempt{{Number: 1, StartTime: *at(0), Outcome: v1beta1.OutcomeKept, CalibrationStartTime: at(2), CalibrationEndTime: at(10)}}
	trial.Status.Calibration = &handover.Calibration{CalibrationResult: *trial.Status.Result.Calibration, ReferenceMicroseconds: reference}
	for i := range 16 {
		trial.Status.Calibration.BlockMicroseconds = append(trial.Status.Calibration.BlockMicroseconds, int64(reference*slower(2+i/2)))
	}
	speed := &v1beta1.TrialSpeed{
		ReferenceHashMicrosecondsAtCost8: reference, PlannedHashMicrosecondsAtCost8: 14_300, HashMicrosecondsAtCost8: 14_600,
		LowPerMille: 940, HighPerMille: 1070, LoadStartTime: at(14), WindowMilliseconds: 1000,
	}
	for i := range 80 {
		speed.WindowsPerMille = append(speed.WindowsPerMille, int32(1000*slower(14+i)))
	}
	speed.WindowsPerMille[7] = 0
	trial.Status.Speed = speed
	for i := range trial.Status.Steps {
		convert(&trial.Status.Steps[i], slower(20*i+20))
	}
}

// convert sets a step's speed and its results at the reference speed.
func convert(step *v1beta1.Step, slower float64) {
	step.Speed = &v1beta1.StepSpeed{HashMicroseconds: int64(14_535 * slower), PerMille: int64(1000 * slower)}
	step.LoadPerMille = ptr.To(int64(700 * slower))
	if step.P95Microseconds == nil {
		return
	}
	p95 := int64(float64(*step.P95Microseconds) / slower)
	step.AtReference = &v1beta1.StepAtReference{
		OfferedMilliPerSecond: *step.OfferedMilliPerSecond, P95Microseconds: &p95,
		P95Interval: &handover.Interval{LowMicroseconds: p95 * 8 / 10, HighMicroseconds: p95 * 13 / 10},
	}
}
