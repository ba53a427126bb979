package lifecycle

import (
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// maxBlocks is the largest number of calibration blocks that the API keeps.
const maxBlocks = 64

// End describes how an attempt ends.
type End struct {
	Outcome v1alpha1.AttemptOutcome
	Reason  string
	Message string
}

// ReadCalibration reads the calibration from the termination messages of the pods' init
// containers. Of several replicas it returns the slowest, so that the load is not planned for
// more than that replica serves.
func ReadCalibration(pods []corev1.Pod) (*v1alpha1.TrialCalibration, error) {
	var slowest *calibration.Result
	for i := range pods {
		message := calibrationMessage(&pods[i])
		var result calibration.Result
		if err := json.Unmarshal([]byte(message), &result); err != nil {
			return nil, fmt.Errorf("the calibration of pod %s can't be read: %w", pods[i].Name, err)
		}
		if err := checkCalibration(&result); err != nil {
			return nil, fmt.Errorf("the calibration of pod %s is invalid: %w", pods[i].Name, err)
		}
		if slowest == nil || result.HashMicroseconds > slowest.HashMicroseconds {
			slowest = &result
		}
	}
	if slowest == nil {
		return nil, errors.New("no pod of the login service was calibrated")
	}
	return CalibrationInAPI(slowest), nil
}

// checkCalibration returns why a calibration can't be used, or nil.
func checkCalibration(r *calibration.Result) error {
	switch {
	case r.HashMicroseconds <= 0 || r.Samples <= 0 || r.GoMaxProcs <= 0:
		return errors.New("it has no hash time, no samples or no GOMAXPROCS")
	case r.RatioPerMillion < 0 || r.RatioErrorPerMillion < 0 || len(r.BlockMicroseconds) > maxBlocks:
		return fmt.Errorf("its ratio is negative, or it has more than %d blocks", maxBlocks)
	}
	return nil
}

func calibrationMessage(pod *corev1.Pod) string {
	for _, container := range pod.Status.InitContainerStatuses {
		if container.Name == objects.CalibrateContainer && container.State.Terminated != nil {
			return container.State.Terminated.Message
		}
	}
	return ""
}

// readRun reads the result of the generator, or returns how the attempt ends because the
// result is lost.
func readRun(pods []corev1.Pod) (measurement.Run, *End) {
	message := ""
	for i := range pods {
		if ended := generatorEnd(&pods[i]); ended != nil {
			message = ended.Message
		}
	}
	run, err := measurement.Decode(message)
	failure, failed := errors.AsType[*measurement.Failure](err)
	switch {
	case err == nil:
		return run, nil
	case failed:
		return run, &End{Outcome: v1alpha1.OutcomeBroken, Reason: failure.Reason, Message: failure.Error()}
	case errors.Is(err, measurement.ErrAbsent):
		return run, &End{Outcome: v1alpha1.OutcomeBroken, Reason: v1alpha1.ReasonSummaryLost, Message: err.Error()}
	default:
		return run, &End{Outcome: v1alpha1.OutcomeBroken, Reason: v1alpha1.ReasonSummaryGarbled, Message: err.Error()}
	}
}

// HarvestRun reads and judges the result of the generator, and writes it into the trial's
// status. If the run is Invalid and another attempt may help, it writes no result yet. On the
// last attempt the numbers are kept with verdict Invalid.
func HarvestRun(o *Observation, m Model) End {
	noteGenerator(o)
	run, lost := readRun(o.Children.GeneratorPods)
	if lost != nil {
		return *lost
	}
	status := &o.Trial.Status
	spec := o.LoadSpec()
	plan, err := loadplan.Build(spec, speed.PlannedFor(*status), status.Prediction)
	leftOut, errLeftOut := loadplan.LeftOut(spec, speed.PlannedFor(*status), status.Prediction)
	if err = errors.Join(err, errLeftOut); err != nil {
		return End{Outcome: v1alpha1.OutcomeBroken, Reason: v1alpha1.ReasonPlanImpossible, Message: err.Error()}
	}
	whole, want := plan, len(plan.WithoutWarmup())
	if o.Trial.Spec.Role == v1alpha1.RoleVerification && len(run.Steps) > 0 {
		plan = plan.First(len(run.Steps)) // the generator stops once the outcome is decided
	}
	if len(run.Steps) != len(plan.WithoutWarmup()) {
		return End{
			Outcome: v1alpha1.OutcomeBroken, Reason: v1alpha1.ReasonSummaryGarbled,
			Message: fmt.Sprintf("The load generator reported %d steps, but the plan has %d; use operator and generator images of the same version", len(run.Steps), want),
		}
	}
	judged := m.Judge(verdict.Input{
		Spec: o.Trial.Spec, Calibration: *status.Calibration, Plan: plan, NotRun: leftOut,
		Run: run, Placement: placement(o), Reference: o.Reference, PlannedMicros: plannedMicros(status),
	})
	if worthAnother(o.Trial, judged.Result) {
		first := firstInvalid(judged.Result.Reasons)
		return End{Outcome: v1alpha1.OutcomeInvalid, Reason: first.Type, Message: first.Message}
	}
	keep(o, judged)
	if o.Trial.Spec.Role == v1alpha1.RoleVerification {
		counts := measurement.Verify(whole, run.Steps)
		status.Verification = &counts
	}
	return End{
		Outcome: v1alpha1.OutcomeKept, Reason: v1alpha1.ReasonMeasured,
		Message: "The result was read; its verdict is " + string(judged.Result.Verdict),
	}
}

// worthAnother reports whether an Invalid result is measured again and an attempt is left. A
// measurement is repeated if its generator was too slow. A verification is always repeated,
// because the experiment has no other trial of that size.
func worthAnother(trial *v1alpha1.SizingTrial, result v1alpha1.VariantResult) bool {
	verifies := trial.Spec.Role == v1alpha1.RoleVerification && result.Verdict == v1alpha1.VerdictInvalid
	return (verifies || verdict.InvalidByGenerator(result)) && Spent(&trial.Status)+1 < trial.Spec.Attempts
}

// plannedMicros returns the speed that the trial's load was planned for, or 0 if it is
// unknown.
func plannedMicros(status *v1alpha1.SizingTrialStatus) float64 {
	if status.Speed == nil {
		return 0
	}
	return float64(status.Speed.PlannedHashMicrosecondsAtCost8)
}

// noteGenerator records when the generator began and ended.
func noteGenerator(o *Observation) {
	attempt := o.attempt()
	for i := range o.Children.GeneratorPods {
		ended := generatorEnd(&o.Children.GeneratorPods[i])
		if ended != nil && !ended.StartedAt.IsZero() && !ended.FinishedAt.IsZero() {
			attempt.GeneratorStartTime, attempt.GeneratorEndTime = ended.StartedAt.DeepCopy(), ended.FinishedAt.DeepCopy()
		}
	}
}

// keep writes a verdict and its numbers into the trial's status.
func keep(o *Observation, judged verdict.Judgement) {
	status := &o.Trial.Status
	status.Result = &judged.Result
	status.Result.Trial = o.Trial.Name
	status.Steps, status.Capacity, status.Evidence = judged.Steps, judged.Capacity, judged.Evidence
	status.Distribution, status.UnderWay = judged.Distribution, judged.UnderWay
	if judged.Speed != nil {
		// A variant without load was also planned for a speed; keep it.
		judged.Speed.PlannedHashMicrosecondsAtCost8 = int64(plannedMicros(status))
		status.Speed = judged.Speed
		status.Speed.LoadStartTime = o.attempt().GeneratorStartTime
	}
	SetCondition(o.Trial, v1alpha1.ConditionMeasured, metav1.ConditionTrue, string(judged.Result.Verdict), o.Now)
}

func firstInvalid(reasons []v1alpha1.Reason) v1alpha1.Reason {
	for _, r := range reasons {
		if r.Verdict == v1alpha1.VerdictInvalid {
			return r
		}
	}
	return v1alpha1.Reason{}
}

// CalibrationInAPI converts a calibration to the form that a trial's status holds.
func CalibrationInAPI(r *calibration.Result) *v1alpha1.TrialCalibration {
	return &v1alpha1.TrialCalibration{
		CalibrationResult: v1alpha1.CalibrationResult{
			HashMicroseconds: r.HashMicroseconds, ErrorMicroseconds: r.ErrorMicroseconds,
			Samples: r.Samples, ClockHashesMilliPerSecond: r.ClockHashesMilliPerSecond,
		},
		MedianMicroseconds: r.MedianMicroseconds, ReferenceMicroseconds: r.ReferenceMicroseconds,
		RatioPerMillion: r.RatioPerMillion, RatioErrorPerMillion: r.RatioErrorPerMillion, BlockMicroseconds: r.BlockMicroseconds,
		ScaledFromCost: r.ScaledFromCost, GoMaxProcs: r.GoMaxProcs, Cpuset: r.Cpuset, QuotaMilliCPU: r.QuotaMilliCPU,
		QuotaPeriodMicroseconds: r.QuotaPeriodMicroseconds, QuotaBurstMicroseconds: r.QuotaBurstMicroseconds,
		CPUModel: r.CPUModel, CgroupVersion: r.CgroupVersion, BootID: r.BootID, GoVersion: r.GoVersion,
	}
}
