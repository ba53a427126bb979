package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// unloaded returns the judgement on a variant at cost 12 on a quarter of a CPU: a hash
// takes 226 ms of CPU time, and a login on an idle service at least 0.8 s.
func unloaded(changes ...func(*v1beta1.SizingTrialSpec, *handover.Calibration)) verdict.Judgement {
	spec := v1beta1.SizingTrialSpec{
		Variant: v1beta1.Variant{
			Name: "c12-250m", Hash: v1beta1.BcryptHash(12), CPULimit: "250m",
			Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)},
		},
		Service:   v1beta1.Service{Replicas: 1},
		Objective: v1beta1.Objective{P95Milliseconds: 500},
		Load:      v1beta1.Load{RequestTimeoutSeconds: 10},
	}
	cal := handover.Calibration{
		CalibrationResult: handover.CalibrationResult{HashMicroseconds: 226_000, Samples: 13},
		Surroundings:      handover.Surroundings{GoMaxProcs: 1, Cpuset: "0", QuotaMilliCPU: ptr.To[int64](250)},
	}
	for _, change := range changes {
		change(&spec, &cal)
	}
	return verdict.Unloaded(spec, cal, model.Before(spec, cal), 0)
}

func TestRowOfAnInfeasibleVariant(t *testing.T) {
	judged := unloaded()
	want := v1beta1.VariantResult{
		Variant: "c12-250m", Hash: v1beta1.BcryptHash(12), CPULimit: "250m",
		Calibration:         &handover.CalibrationResult{HashMicroseconds: 226_000, Samples: 13},
		BoundMilliPerSecond: ptr.To[int64](1_106),
		ObjectiveMet:        ptr.To(false),
		Verdict:             v1beta1.VerdictValid,
		Reasons:             []v1beta1.Reason{{Type: v1beta1.ReasonInfeasible, Message: judged.Capacity.Message}},
		Trials:              1,
	}
	if diff := cmp.Diff(want, judged.Result); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	if c := judged.Capacity; c.Method != v1beta1.CapacityPredicted || c.MilliPerSecond != nil || c.Interval != nil {
		t.Errorf("capacity is %+v", c)
	}
}

// TestAnUnloadedVariantUnderAnotherObjective has a quota with another period than the model's, which is a
// reason under each objective.
func TestAnUnloadedVariantUnderAnotherObjective(t *testing.T) {
	var trial v1beta1.SizingTrial
	judge := func(milliseconds int32) v1beta1.VariantResult {
		judged := unloaded(func(spec *v1beta1.SizingTrialSpec, cal *handover.Calibration) {
			spec.Objective.P95Milliseconds, cal.QuotaPeriodMicroseconds = milliseconds, 50_000
			trial.Spec = *spec.DeepCopy()
			trial.Status = v1beta1.SizingTrialStatus{Calibration: cal.DeepCopy(), Prediction: model.Before(*spec, *cal)}
		})
		trial.Status.Result, trial.Status.Capacity, trial.Status.Speed = &judged.Result, judged.Capacity, judged.Speed
		return judged.Result
	}
	want := judge(600)
	judge(500)
	asked := func(milliseconds int32) *v1beta1.VariantResult {
		return verdict.ForObjective(trial, v1beta1.Objective{P95Milliseconds: milliseconds}).Status.Result
	}
	if diff := cmp.Diff(&want, asked(600)); diff != "" {
		t.Errorf("an objective that no rate can meet either (-judged +asked):\n%s", diff)
	}
	var types []string
	for _, reason := range asked(8_000).Reasons {
		types = append(types, reason.Type)
	}
	if diff := cmp.Diff([]string{v1beta1.ReasonEvidenceMissing, want.Reasons[1].Type}, types); diff != "" {
		t.Errorf("reasons under an objective that some rate can meet (-want +got):\n%s", diff)
	}
}

func TestMessageOfAnInfeasibleVariant(t *testing.T) {
	tests := map[string]struct {
		change func(*v1beta1.SizingTrialSpec, *handover.Calibration)
		says   []string
	}{
		"a higher limit": {
			func(*v1beta1.SizingTrialSpec, *handover.Calibration) {},
			[]string{"above the objective of 500 ms", "raise the CPU limit to at least about 450m"},
		},
		"no limit if one hash already takes too long": {
			func(_ *v1beta1.SizingTrialSpec, c *handover.Calibration) { c.HashMicroseconds = 501_000 },
			[]string{"lower the cost, because no CPU limit"},
		},
		"no limit if the service has no quota": {
			func(_ *v1beta1.SizingTrialSpec, c *handover.Calibration) {
				c.HashMicroseconds, c.QuotaMilliCPU = 600_000, nil
			},
			[]string{"takes 600ms at p95", "lower the cost, because no CPU limit"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			message := unloaded(test.change).Result.Reasons[0].Message
			for _, words := range test.says {
				if !strings.Contains(message, words) {
					t.Errorf("message %q does not contain %q", message, words)
				}
			}
		})
	}
}

func TestAnInfeasibleVariantUnderAnotherQuotaIsSuspect(t *testing.T) {
	row := unloaded(func(_ *v1beta1.SizingTrialSpec, c *handover.Calibration) { c.QuotaBurstMicroseconds = 25_000 }).Result
	if diff := cmp.Diff([]finding{{v1beta1.ReasonInfeasible, ""}, {v1beta1.ReasonModelDisagrees, suspect}}, findings(row.Reasons)); diff != "" || row.Verdict != suspect {
		t.Errorf("it is %s; reasons (-want +got):\n%s", row.Verdict, diff)
	}
}

// A calibration that no load checked needs confirmation. At cost 10, a hash takes 41 ms at
// the reference speed, so it must miss an objective of 30 ms.
func TestAnInfeasibleVariantIsConfirmedByAnotherTrial(t *testing.T) {
	const missing = "EvidenceMissing:Suspect"
	infeasible := func(t *v1beta1.SizingTrial) {
		t.Spec.Service.Replicas, t.Spec.Objective.P95Milliseconds, t.Spec.Load.RequestTimeoutSeconds = 1, 30, 10
		t.Status.Calibration.GoMaxProcs, t.Status.Calibration.Cpuset = 1, "0"
		t.Status.Speed.WindowsPerMille = nil
		t.Status.Result.Reasons = []v1beta1.Reason{{Type: v1beta1.ReasonInfeasible}}
	}
	within := func(milliseconds int32) func(*v1beta1.SizingTrial) {
		return func(t *v1beta1.SizingTrial) { t.Spec.Objective.P95Milliseconds = milliseconds }
	}
	loaded := func(t *v1beta1.SizingTrial) { t.Status.Steps = []v1beta1.Step{{Kind: v1beta1.StepOpen}} }
	untimed := func(t *v1beta1.SizingTrial) {
		t.Status.Calibration.RatioPerMillion, t.Status.Calibration.ReferenceMicroseconds = 0, 0
	}
	own := func(t *v1beta1.SizingTrial) { t.Spec.Service.Own = &v1beta1.OwnService{} }
	many := func(first v1beta1.SizingTrial) []v1beta1.SizingTrial {
		return []v1beta1.SizingTrial{first, ofCost(8, 1), ofCost(8, 1), ofCost(9, 1), ofCost(9, 1), ofCost(11, 1), ofCost(11, 1)}
	}
	rest := func(first string) []string { return []string{first, "", "", "", "", "", ""} }
	tests := map[string]struct {
		trials []v1beta1.SizingTrial
		want   []string
	}{
		"nothing confirms a trial alone":           {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible)}, []string{missing}},
		"a repetition does":                        {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(10, 1, infeasible)}, []string{"", ""}},
		"so does the cost with another limit":      {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(10, 1)}, []string{"", ""}},
		"so does another cost, by the line":        {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(8, 1)}, []string{"", ""}},
		"also for a cost that was scaled up":       {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible, scaledUp), ofCost(8, 1)}, []string{"", ""}},
		"unless its time is not proportional":      {[]v1beta1.SizingTrial{ofCost(10, 1.2, infeasible, scaledUp), ofCost(8, 1)}, []string{missing, ""}},
		"another cost of a user's own service":     {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible, own), ofCost(8, 1, own)}, []string{"", ""}},
		"unless only a constant would fit both":    {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible, own), ofCost(8, 1.25, own)}, []string{missing, ""}},
		"the line makes it suspect":                {many(ofCost(10, 1.08, infeasible)), rest("CostDoublingBroken:Suspect")},
		"the line makes it invalid":                {many(ofCost(10, 1.25, infeasible)), rest("CostDoublingBroken:Invalid")},
		"a repetition with another hash time":      {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(10, 1.06, infeasible)}, []string{missing, missing}},
		"a trial on another node pool":             {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(8, 1, onPool("b"))}, []string{missing, ""}},
		"an Invalid trial":                         {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(8, 1, judgedInvalid)}, []string{missing, ""}},
		"a trial without a result":                 {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(8, 1, unmeasured)}, []string{missing, ""}},
		"a trial that timed no reference hash":     {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(8, 1, untimed)}, []string{missing, ""}},
		"another algorithm":                        {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible), ofCost(10, 1, hashedOtherwise)}, []string{missing, ""}},
		"a trial with load needs no other":         {[]v1beta1.SizingTrial{ofCost(10, 1, infeasible, loaded)}, []string{""}},
		"infeasible at the reference speed, too":   {many(ofCost(10, 1, infeasible, within(40), atSpeed(1.2, "Model CPU"))), rest("")},
		"it was calibrated while the CPU was slow": {many(ofCost(10, 1, infeasible, within(42), atSpeed(1.2, "Model CPU"))), rest(missing)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { checkAcross(t, test.trials, test.want) })
	}
	alone := verdict.Across([]v1beta1.SizingTrial{ofCost(10, 1, infeasible)})[0]
	slow := verdict.Across(many(ofCost(10, 1, infeasible, within(42), atSpeed(1.2, "Model CPU"))))[0]
	want := []string{
		"Only the calibration of repetition 2 shows that no rate can meet the objective: no load was run, and no other trial on its node pool confirms it. " +
			"Add a cost or a CPU limit to the matrix, or set repetitions: 2",
		"Repetition 2 was calibrated while the CPU was slow, and no load was run. At the typical speed of all trials, a login on an idle service takes 41ms, which is within the objective of 42 ms, so some rate may meet it. Measure again",
	}
	if diff := cmp.Diff(want, []string{alone[0].Message, slow[0].Message}); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}
