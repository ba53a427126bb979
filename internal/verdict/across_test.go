package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// calibrated is a valid trial of a cost. Undisturbed, a round takes 40 µs, and
// the reference hash 10 ms.
func calibrated(cost int32, hashMicroseconds, referenceMicroseconds int64, changes ...func(*v1alpha1.SizingTrial)) v1alpha1.SizingTrial {
	trial := v1alpha1.SizingTrial{
		Spec: v1alpha1.SizingTrialSpec{
			Variant: v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmBcrypt, Cost: cost, CPULimit: "1"}, Repetition: 2,
		},
		Status: v1alpha1.SizingTrialStatus{
			Result: &v1alpha1.VariantResult{Verdict: v1alpha1.VerdictValid},
			Calibration: &v1alpha1.TrialCalibration{
				CalibrationResult: v1alpha1.CalibrationResult{HashMicroseconds: hashMicroseconds}, ReferenceMicroseconds: referenceMicroseconds,
			},
		},
	}
	for _, change := range changes {
		change(&trial)
	}
	return trial
}

// ofCost is a trial whose hashes took so many times what they should.
func ofCost(cost int32, times float64, changes ...func(*v1alpha1.SizingTrial)) v1alpha1.SizingTrial {
	return calibrated(cost, int64(times*40*float64(int64(1)<<cost)), 10_000, changes...)
}

// withReference is a trial of cost 8 whose reference took so long.
func withReference(microseconds int64, changes ...func(*v1alpha1.SizingTrial)) v1alpha1.SizingTrial {
	return calibrated(8, 10_240, microseconds, changes...)
}

func onPool(name string) func(*v1alpha1.SizingTrial) {
	return func(t *v1alpha1.SizingTrial) { t.Spec.Variant.NodePool = &v1alpha1.NodePool{Name: name} }
}

func judgedInvalid(t *v1alpha1.SizingTrial) { t.Status.Result.Verdict = v1alpha1.VerdictInvalid }

func unmeasured(t *v1alpha1.SizingTrial) { t.Status.Result = nil }

func scaledUp(t *v1alpha1.SizingTrial) { t.Status.Calibration.ScaledFromCost = ptr.To[int32](12) }

func hashedOtherwise(t *v1alpha1.SizingTrial) {
	t.Spec.Variant.Algorithm = v1alpha1.AlgorithmArgon2id
}

// checkAcross compares what is found of each trial, as Reason:Verdict.
func checkAcross(t *testing.T, trials []v1alpha1.SizingTrial, want []string) {
	t.Helper()
	var got []string
	for _, reasons := range verdict.Across(trials) {
		var found []string
		for _, r := range reasons {
			found = append(found, r.Type+":"+string(r.Verdict))
		}
		got = append(got, strings.Join(found, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found of each trial (-want +got):\n%s", diff)
	}
}

func TestACostMustTakeWhatTheOthersSay(t *testing.T) {
	const suspect, broken = "CostDoublingBroken:Suspect", "CostDoublingBroken:Invalid"
	// Two trials of each cost hold the line where it is.
	others := func(more v1alpha1.SizingTrial) []v1alpha1.SizingTrial {
		var trials []v1alpha1.SizingTrial
		for _, cost := range []int32{8, 9, 10, 11, 12, 13} {
			trials = append(trials, ofCost(cost, 1), ofCost(cost, 1))
		}
		return append(trials, more)
	}
	tests := map[string]struct {
		trial v1alpha1.SizingTrial
		want  string
	}{
		"as the line says":                           {ofCost(10, 1), ""},
		"just within the first threshold":            {ofCost(10, 1.0499), ""},
		"just beyond it":                             {ofCost(10, 1.0501), suspect},
		"too fast is as bad":                         {ofCost(10, 0.9499), suspect},
		"just within the second threshold":           {ofCost(10, 1.1499), suspect},
		"just beyond it on the slow side":            {ofCost(10, 1.1501), broken},
		"just beyond it on the fast side":            {ofCost(10, 0.8499), broken},
		"a scaled cost has no time of its own":       {ofCost(16, 1.5, scaledUp), ""},
		"an Invalid trial is judged already":         {ofCost(10, 1.5, judgedInvalid), ""},
		"a trial without a result is not judged":     {ofCost(10, 1.5, unmeasured), ""},
		"another way to hash has no cost":            {ofCost(10, 1.5, hashedOtherwise), ""},
		"another pool has a line of its own":         {ofCost(10, 1.5, onPool("small")), ""},
		"a trial without calibration is passed over": {ofCost(10, 1.5, func(t *v1alpha1.SizingTrial) { t.Status.Calibration = nil }), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trials := others(test.trial)
			want := make([]string, len(trials))
			want[len(want)-1] = test.want
			checkAcross(t, trials, want)
		})
	}
}

func TestOfTwoCostsThatDoNotDoubleBothAreSuspect(t *testing.T) {
	checkAcross(t, []v1alpha1.SizingTrial{ofCost(8, 1), ofCost(10, 1.2)},
		[]string{"CostDoublingBroken:Suspect", "CostDoublingBroken:Suspect"})
}

func TestTheReferenceMustTakeTheSameInAllTrials(t *testing.T) {
	const suspect, drifted = "ReferenceDrift:Suspect", "ReferenceDrift:Invalid"
	tests := map[string]struct {
		trials []v1alpha1.SizingTrial
		want   []string
	}{
		"all the same": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(10_000)}, []string{"", "", ""}},
		"just within the first threshold": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(10_499)}, []string{"", "", ""}},
		"just beyond it": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(10_501)}, []string{"", "", suspect}},
		"too fast is as bad": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(9_499), withReference(10_000)}, []string{"", suspect, ""}},
		"just within the second threshold": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(11_499)}, []string{"", "", suspect}},
		"just beyond it on the slow side": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(11_501)}, []string{"", "", drifted}},
		"just beyond it on the fast side": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(8_499)}, []string{"", "", drifted}},
		"of two nobody knows which one is off": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(13_000)}, []string{"", ""}},
		"another pool has a median of its own": {
			[]v1alpha1.SizingTrial{
				withReference(10_000), withReference(10_000), withReference(10_000),
				withReference(20_000, onPool("slow")), withReference(20_000, onPool("slow")), withReference(20_000, onPool("slow"))},
			[]string{"", "", "", "", "", ""}},
		"every way to hash has a reference": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(11_000, hashedOtherwise)}, []string{"", "", suspect}},
		"Invalid trials neither count nor are judged": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(13_000, judgedInvalid), withReference(13_000, judgedInvalid)},
			[]string{"", "", "", ""}},
		"nor do those without a result": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(13_000, unmeasured)}, []string{"", "", ""}},
		"a trial without a reference is passed over": {
			[]v1alpha1.SizingTrial{withReference(10_000), withReference(10_000), withReference(10_000), withReference(0)}, []string{"", "", "", ""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { checkAcross(t, test.trials, test.want) })
	}
}

func TestWhatIsFoundAcrossTrialsSaysWhatToDo(t *testing.T) {
	trials := []v1alpha1.SizingTrial{ofCost(8, 1), ofCost(8, 1), ofCost(9, 1), ofCost(10, 1), ofCost(11, 1), calibrated(8, 12_288, 13_000)}
	found := verdict.Across(trials)
	want := []v1alpha1.Reason{
		{Type: verdict.CostDoublingBroken, Verdict: v1alpha1.VerdictInvalid, Message: "In repetition 2 a hash of cost 8 took 12.288ms, " +
			"1.2 times what the line a + b·2^cost through all 4 costs says (suspect when off by more than 5 %, invalid by more than 15 %); " +
			"the calibration of this cost or of another was disturbed. Measure again on a quiet node"},
		{Type: verdict.ReferenceDrift, Verdict: v1alpha1.VerdictInvalid, Message: "Before repetition 2 the reference hash took 13ms, " +
			"1.3 times the 10ms that is the median of the experiment's trials (suspect when off by more than 5 %, invalid by more than 15 %); " +
			"the CPU's speed changed. Measure again on quiet nodes of one kind, or name their kinds in matrix.nodePools"},
	}
	if diff := cmp.Diff(want, found[len(found)-1]); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}
