package lifecycle

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/units"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// longestText is the largest number of bytes of a name that a pod reports.
const longestText = 128

// End describes how an attempt ends.
type End struct {
	Outcome v1beta1.AttemptOutcome
	Reason  string
	Message string
}

// ReadCalibration reads the calibration from the termination messages of the pods' init
// containers. Of several replicas it returns the slowest, so that the load is not planned for
// more than that replica serves. Of a service with a key of a Secret, it takes the numbers only.
func ReadCalibration(pods []corev1.Pod, withSecret bool) (*handover.Calibration, error) {
	var slowest *calibration.Result
	for i := range pods {
		message := ptr.Deref(calibrationOf(&pods[i]).Terminated, corev1.ContainerStateTerminated{}).Message
		var result calibration.Result
		if err := json.Unmarshal([]byte(message), &result); err != nil {
			if withSecret {
				err = errors.New(loginflow.Hidden)
			}
			return nil, fmt.Errorf("the calibration of pod %s can't be read: %w", pods[i].Name, err)
		}
		if withSecret {
			keepNumbers(&result)
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
	return &slowest.Calibration, nil
}

// bootID is the form of a boot ID in Linux.
var bootID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// keepNumbers removes the texts of a calibration that can be anything.
func keepNumbers(r *calibration.Result) {
	r.CPUModel, r.GoVersion = "", ""
	if !bootID.MatchString(r.BootID) {
		r.BootID = ""
	}
}

// checkCalibration returns why a calibration can't be used, or nil. A calibration comes from a
// pod, which can write anything. What it says ends up in the status, in a plan and in simulations,
// so every number and every text has a limit.
func checkCalibration(r *calibration.Result) error {
	const hour, most = int64(time.Hour / time.Microsecond), int64(1e15)
	numbers := []struct {
		name               string
		value, least, most int64
	}{
		{"hash time in microseconds", r.HashMicroseconds, 1, hour},
		{"error of the hash time in microseconds", r.ErrorMicroseconds, 0, hour},
		{"median hash time in microseconds", r.MedianMicroseconds, 0, hour},
		{"time of the reference hash in microseconds", r.ReferenceMicroseconds, 0, hour},
		{"number of samples", int64(r.Samples), 1, math.MaxInt32},
		{"number of hashes per second", r.ClockHashesMilliPerSecond, 0, most},
		{"ratio to the reference hash", r.RatioPerMillion, 0, most},
		{"error of the ratio", r.RatioErrorPerMillion, 0, most},
		{"length in milliseconds", r.LengthMilliseconds, 0, hour / 1000},
		{"CPU time of an unknown user's login", ptr.Deref(r.UnknownUserPerMille, 0), 0, 1_000_000_000},
		{"number of blocks", int64(len(r.BlockMicroseconds)), 0, handover.MostBlocks},
		{"cost that it was scaled from", int64(ptr.Deref(r.ScaledFromCost, 4)), 4, 31},
		{"GOMAXPROCS", int64(r.GoMaxProcs), 1, 1024},
		{"CPU quota in thousandths", ptr.Deref(r.QuotaMilliCPU, 10), 10, 64_000},
		{"period of the quota in microseconds", r.QuotaPeriodMicroseconds, 0, 1_000_000},
		{"burst of the quota in microseconds", r.QuotaBurstMicroseconds, 0, hour},
		{"version of cgroups", int64(r.CgroupVersion), 0, 2},
		{"shortest time of a block in microseconds", slices.Min(append(r.BlockMicroseconds, 0)), 0, hour},
		{"longest time of a block in microseconds", slices.Max(append(r.BlockMicroseconds, 0)), 0, hour},
	}
	for _, n := range numbers {
		if n.value < n.least || n.value > n.most {
			return fmt.Errorf("the %s is %d; it must be %d to %d", n.name, n.value, n.least, n.most)
		}
	}
	return checkTexts(r)
}

func checkTexts(r *calibration.Result) error {
	for _, t := range []struct{ name, text string }{{"CPU model", r.CPUModel}, {"boot ID", r.BootID}, {"Go version", r.GoVersion}} {
		if len(t.text) > longestText || units.Plain(t.text) != t.text || strings.ContainsAny(t.text, "\n\t") {
			return fmt.Errorf("the %s has control characters or more than %d bytes", t.name, longestText)
		}
	}
	for _, list := range []string{r.Cpuset, r.CoreCpuset} {
		if list != "" && evidence.CPUs(list) == 0 {
			return fmt.Errorf("the cpuset is not a list of at most %d CPUs, such as 0-3,8", evidence.MostCPUs)
		}
	}
	return nil
}

// readRun reads the result of the generator, or returns how the attempt ends because the
// result is lost. It reads only a pod of the Job that the attempt recorded, because anyone who
// can create pods could label another.
func readRun(pods []corev1.Pod, job types.UID) (measurement.Run, *End) {
	message := ""
	for i := range pods {
		owner := metav1.GetControllerOf(&pods[i])
		if ended := generatorEnd(&pods[i]); ended != nil && owner != nil && owner.UID == job {
			message = ended.Message
		}
	}
	run, err := measurement.Decode(message)
	if err == nil {
		return run, nil
	}
	end := &End{Outcome: v1beta1.OutcomeBroken, Reason: v1beta1.ReasonSummaryGarbled, Message: err.Error()}
	if failure, failed := errors.AsType[*measurement.Failure](err); failed {
		end.Reason, end.Message = failure.Reason, failure.Error()
	} else if errors.Is(err, measurement.ErrAbsent) {
		end.Reason = v1beta1.ReasonSummaryLost
	}
	return run, end
}

// sentPlan returns the plan that the generator had, or how the attempt ends because that can't be
// judged. It is read from the Job and never built again: a load can outlast the operator that
// planned it, and the next one may be of a version that plans other steps. Its steps are those that the
// operator wrote into the trial's status.
func sentPlan(job *batchv1.Job, planned []v1beta1.Step) (loadplan.Plan, *End) {
	plan, err := objects.PlanOf(job)
	if err == nil && !equality.Semantic.DeepEqual(plan.InAPI(), planned) {
		err = errors.New("its steps are not those in the status of the trial")
	}
	other, otherVersion := errors.AsType[*loadplan.OtherVersionError](err)
	switch {
	case err == nil:
		return plan, nil
	case otherVersion:
		return plan, &End{
			Outcome: v1beta1.OutcomeInterrupted, Reason: v1beta1.ReasonOperatorChanged,
			Message: fmt.Sprintf("The load was planned by another version of the operator and is measured again: its plan has version %d, and this operator judges version %d",
				other.Version, loadplan.Version),
		}
	default:
		return plan, &End{
			Outcome: v1beta1.OutcomeBroken, Reason: v1beta1.ReasonPodAltered,
			Message: fmt.Sprintf("The k6 Job is not as it was sent; exempt Jobs labelled %s from whatever changes them: %s", v1beta1.LabelTrialUID, err),
		}
	}
}

// HarvestRun reads and judges the result of the generator, and writes it into the trial's
// status. If the run is Invalid and another attempt may help, it writes no result yet. On the
// last attempt the numbers are kept with verdict Invalid.
func HarvestRun(o *Observation, m Model) End {
	noteGenerator(o)
	plan, unreadable := sentPlan(o.Children.Job, o.Trial.Status.Steps)
	if unreadable != nil {
		return *unreadable
	}
	run, lost := readRun(o.Children.GeneratorPods, o.attempt().JobUID)
	if lost != nil {
		return *lost
	}
	status := &o.Trial.Status
	whole, want := plan, len(plan.WithoutWarmup())
	if o.Trial.Spec.StopsEarly() && len(run.Steps) > 0 {
		plan = plan.First(len(run.Steps)) // the generator stops once the outcome is decided
	}
	if len(run.Steps) != len(plan.WithoutWarmup()) {
		return End{
			Outcome: v1beta1.OutcomeBroken, Reason: v1beta1.ReasonSummaryGarbled,
			Message: fmt.Sprintf("The load generator reported %d steps, but the plan has %d; use operator and generator images of the same version", len(run.Steps), want),
		}
	}
	judged := m.Judge(verdict.Input{
		Spec: o.Trial.Spec, Calibration: *status.Calibration, Plan: plan,
		Run: run, Placement: placement(o), Reference: float64(o.Reference), PlannedMicros: plannedMicros(status),
	})
	if worthAnother(o.Trial, judged.Result) {
		first := firstInvalid(judged.Result.Reasons)
		return End{Outcome: v1beta1.OutcomeInvalid, Reason: first.Type, Message: first.Message}
	}
	keep(o, judged)
	if o.Trial.Spec.StopsEarly() {
		counts := measurement.Verify(whole, run.Steps)
		status.Verification = &counts
	}
	return End{
		Outcome: v1beta1.OutcomeKept, Reason: v1beta1.ReasonMeasured,
		Message: "The result was read; its verdict is " + string(judged.Result.Verdict),
	}
}

// worthAnother reports whether an Invalid result is measured again and an attempt is left. A
// measurement is repeated if what disturbed it may pass. A verification, and a decision that takes its
// place, is always repeated, because the experiment has no other trial of that size.
func worthAnother(trial *v1beta1.SizingTrial, result v1beta1.VariantResult) bool {
	verifies := trial.Spec.StopsEarly() && result.Verdict == v1beta1.VerdictInvalid
	return (verifies || verdict.Disturbed(result)) && Spent(&trial.Status)+1 < trial.Spec.Attempts
}

// plannedMicros returns the speed that the trial's load was planned for; 0 if it is unknown.
func plannedMicros(status *v1beta1.SizingTrialStatus) float64 {
	if status.Speed == nil {
		return 0
	}
	return float64(status.Speed.PlannedHashMicrosecondsAtCost8)
}

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
	status.Result.TrialName = o.Trial.Name
	status.Steps, status.Capacity, status.Evidence = judged.Steps, judged.Capacity, judged.Evidence
	status.UnderWay = judged.UnderWay
	if judged.Speed != nil {
		// A variant without load was also planned for a speed; keep it.
		judged.Speed.PlannedHashMicrosecondsAtCost8 = int64(plannedMicros(status))
		status.Speed = judged.Speed
		status.Speed.LoadStartTime = o.attempt().GeneratorStartTime
	}
}

func firstInvalid(reasons []v1beta1.Reason) v1beta1.Reason {
	for _, r := range reasons {
		if r.Verdict == v1beta1.VerdictInvalid {
			return r
		}
	}
	return v1beta1.Reason{}
}
