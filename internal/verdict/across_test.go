package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// ofCost is a valid trial whose hash took so many times what it should, relative to
// the reference hash: undisturbed, a round takes 40 µs, and the reference hash 10 ms
// at the reference speed.
func ofCost(cost int32, times float64, changes ...func(*v1alpha1.SizingTrial)) v1alpha1.SizingTrial {
	micros := times * 40 * float64(int64(1)<<cost)
	trial := v1alpha1.SizingTrial{
		Spec: v1alpha1.SizingTrialSpec{
			Variant: v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmBcrypt, Cost: cost, CPULimit: "1"}, Repetition: 2,
		},
		Status: v1alpha1.SizingTrialStatus{
			Result: &v1alpha1.VariantResult{Verdict: v1alpha1.VerdictValid},
			Calibration: &v1alpha1.TrialCalibration{
				CalibrationResult:     v1alpha1.CalibrationResult{HashMicroseconds: int64(micros)},
				ReferenceMicroseconds: 10_240, RatioPerMillion: int64(micros / 10_240 * 1e6), CPUModel: "Model CPU",
			},
			Speed: &v1alpha1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: 10_240, WindowMilliseconds: 1000, WindowsPerMille: []int32{1000, 1000}},
		},
	}
	for _, change := range changes {
		change(&trial)
	}
	return trial
}

// atSpeed lets everything in a trial take so many times as long, hashes and
// reference hashes alike.
func atSpeed(slower float64, model string) func(*v1alpha1.SizingTrial) {
	return func(t *v1alpha1.SizingTrial) {
		cal := t.Status.Calibration
		cal.HashMicroseconds = int64(slower * float64(cal.HashMicroseconds))
		cal.ReferenceMicroseconds = int64(slower * float64(cal.ReferenceMicroseconds))
		cal.CPUModel = model
		for i := range t.Status.Speed.WindowsPerMille {
			t.Status.Speed.WindowsPerMille[i] = int32(slower * 1000)
		}
	}
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

// A CPU that is slower while one trial runs than while another does changes hash and
// reference hash alike.
func TestASpeedThatDriftsBreaksNoDoubling(t *testing.T) {
	trials := []v1alpha1.SizingTrial{ofCost(8, 1, atSpeed(0.85, "Model CPU")), ofCost(10, 1, atSpeed(1.2, "Model CPU")), ofCost(12, 1)}
	checkAcross(t, trials, []string{"", "", ""})
}

func TestAnotherMachineIsNoDrift(t *testing.T) {
	const suspect = "SpeedUnknown:Suspect"
	normal := func() v1alpha1.SizingTrial { return ofCost(8, 1) }
	tests := map[string]struct {
		trials []v1alpha1.SizingTrial
		want   []string
	}{
		"as slow as a drift can be":      {[]v1alpha1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(1.49, "Model CPU"))}, []string{"", "", ""}},
		"slower than that":               {[]v1alpha1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(1.52, "Old CPU"))}, []string{"", "", suspect}},
		"as fast as a drift can be":      {[]v1alpha1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(0.68, "Model CPU"))}, []string{"", "", ""}},
		"faster than that":               {[]v1alpha1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(0.66, "New CPU"))}, []string{"", "", suspect}},
		"another pool has its own speed": {[]v1alpha1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(2, "Old CPU"), onPool("old"))}, []string{"", "", ""}},
		"an Invalid trial is judged already": {
			[]v1alpha1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(2, "Old CPU"), judgedInvalid)}, []string{"", "", ""}},
		"nor is one without a result judged": {
			[]v1alpha1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(2, "Old CPU"), unmeasured)}, []string{"", "", ""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { checkAcross(t, test.trials, test.want) })
	}
}

// However fast it is, another model is another machine.
func TestAnotherModelOfCPUIsTold(t *testing.T) {
	const told = "SpeedUnknown:Suspect"
	on := func(model string, changes ...func(*v1alpha1.SizingTrial)) v1alpha1.SizingTrial {
		return ofCost(8, 1, append(changes, func(t *v1alpha1.SizingTrial) { t.Status.Calibration.CPUModel = model })...)
	}
	tests := map[string]struct {
		trials []v1alpha1.SizingTrial
		want   []string
	}{
		"of two trials nobody can tell which is the other one": {[]v1alpha1.SizingTrial{on("A"), on("B")}, []string{told, told}},
		"whichever speed they have":                            {[]v1alpha1.SizingTrial{on("A"), ofCost(8, 1, atSpeed(1.3, "B"))}, []string{told, told}},
		"of three it is the odd one":                           {[]v1alpha1.SizingTrial{on("A"), on("B"), on("A")}, []string{"", told, ""}},
		"of four in halves it is all":                          {[]v1alpha1.SizingTrial{on("A"), on("B"), on("B"), on("A")}, []string{told, told, told, told}},
		"a trial alone has none beside it":                     {[]v1alpha1.SizingTrial{on("A")}, []string{""}},
		"each node pool has its own":                           {[]v1alpha1.SizingTrial{on("A"), on("B", onPool("b"))}, []string{"", ""}},
		"a model that is not known is none":                    {[]v1alpha1.SizingTrial{on("A"), on("")}, []string{"", ""}},
		"nor does an Invalid trial count":                      {[]v1alpha1.SizingTrial{on("A"), on("B", judgedInvalid)}, []string{"", ""}},
		"nor one without a result":                             {[]v1alpha1.SizingTrial{on("A"), on("B", unmeasured)}, []string{"", ""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { checkAcross(t, test.trials, test.want) })
	}
	want := []v1alpha1.Reason{{Type: verdict.SpeedUnknown, Verdict: v1alpha1.VerdictSuspect, Message: "Repetition 2 ran on B, which no majority of the trials on its node pool did (1 on A; 1 on B): " +
		"numbers of different models of CPU do not compare. Name the kinds of machine in matrix.nodePools, or measure again"}}
	if diff := cmp.Diff(want, verdict.Across([]v1alpha1.SizingTrial{on("A"), on("B")})[1]); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestWhatIsFoundAcrossTrialsSaysWhatToDo(t *testing.T) {
	trials := []v1alpha1.SizingTrial{ofCost(8, 1), ofCost(8, 1), ofCost(9, 1), ofCost(10, 1), ofCost(11, 1), ofCost(8, 1.2, atSpeed(2, "Old CPU"))}
	found := verdict.Across(trials)
	want := []v1alpha1.Reason{
		{Type: verdict.CostDoublingBroken, Verdict: v1alpha1.VerdictInvalid, Message: "In repetition 2 a hash of cost 8 took 1.2 times the reference hash that was timed in turns with it, " +
			"1.2 times what the line a + b·2^cost through all 4 costs says (suspect when off by more than 5 %, invalid by more than 15 %); " +
			"the calibration of this cost or of another was disturbed. Measure again on a node where nothing else runs"},
		{Type: verdict.SpeedUnknown, Verdict: v1alpha1.VerdictSuspect, Message: "In repetition 2 a hash took 2 times as long as the median of the experiment (suspect outside 0.67 to 1.5): " +
			"the experiment ran on different machines (Model CPU; Old CPU). Name their kinds in matrix.nodePools"},
	}
	if diff := cmp.Diff(want, found[len(found)-1]); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}
