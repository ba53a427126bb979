package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// ofCost returns a valid trial whose hash took this multiple of its undisturbed time,
// relative to the reference hash. Undisturbed, a round takes 40 µs, and the reference hash
// 10 ms at the reference speed.
func ofCost(cost int32, times float64, changes ...func(*v1beta1.SizingTrial)) v1beta1.SizingTrial {
	micros := times * 40 * float64(int64(1)<<cost)
	trial := v1beta1.SizingTrial{
		Spec: v1beta1.SizingTrialSpec{
			Variant: v1beta1.Variant{Hash: v1beta1.BcryptHash(cost), CPULimit: "1"}, Repetition: 2,
		},
		Status: v1beta1.SizingTrialStatus{
			Result: &v1beta1.VariantResult{Verdict: v1beta1.VerdictValid},
			Calibration: &handover.Calibration{
				CalibrationResult:     handover.CalibrationResult{HashMicroseconds: int64(micros)},
				ReferenceMicroseconds: 10_240, RatioPerMillion: int64(micros / 10_240 * 1e6),
				Surroundings: handover.Surroundings{CPUModel: "Model CPU"},
			},
			Speed: &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: 10_240, WindowMilliseconds: 1000, WindowsPerMille: []int32{1000, 1000}},
		},
	}
	for _, change := range changes {
		change(&trial)
	}
	return trial
}

// atSpeed makes everything in a trial take this many times as long, including the reference
// hash.
func atSpeed(slower float64, model string) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		cal := t.Status.Calibration
		cal.HashMicroseconds = int64(slower * float64(cal.HashMicroseconds))
		cal.ReferenceMicroseconds = int64(slower * float64(cal.ReferenceMicroseconds))
		cal.CPUModel = model
		for i := range t.Status.Speed.WindowsPerMille {
			t.Status.Speed.WindowsPerMille[i] = int32(slower * 1000)
		}
	}
}

func onPool(name string) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) { t.Spec.Variant.NodePool = &v1beta1.NodePool{Name: name} }
}

func judgedInvalid(t *v1beta1.SizingTrial) { t.Status.Result.Verdict = v1beta1.VerdictInvalid }

func unmeasured(t *v1beta1.SizingTrial) { t.Status.Result = nil }

func scaledUp(t *v1beta1.SizingTrial) { t.Status.Calibration.ScaledFromCost = ptr.To[int32](12) }

func hashedOtherwise(t *v1beta1.SizingTrial) {
	t.Spec.Variant.Hash = v1beta1.Hash{Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}}
}

// checkAcross compares the reasons that Across finds for each trial, as Reason:Verdict.
func checkAcross(t *testing.T, trials []v1beta1.SizingTrial, want []string) {
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

func TestCostDoublingBroken(t *testing.T) {
	const suspect, broken = "CostDoublingBroken:Suspect", "CostDoublingBroken:Invalid"
	// Two trials of each cost keep the fit in place.
	others := func(more v1beta1.SizingTrial) []v1beta1.SizingTrial {
		var trials []v1beta1.SizingTrial
		for _, cost := range []int32{8, 9, 10, 11, 12, 13} {
			trials = append(trials, ofCost(cost, 1), ofCost(cost, 1))
		}
		return append(trials, more)
	}
	tests := map[string]struct {
		trial v1beta1.SizingTrial
		want  string
	}{
		"on the line":                            {ofCost(10, 1), ""},
		"just within the first threshold":        {ofCost(10, 1.0499), ""},
		"just above it":                          {ofCost(10, 1.0501), suspect},
		"too fast is as bad":                     {ofCost(10, 0.9499), suspect},
		"just within the second threshold":       {ofCost(10, 1.1499), suspect},
		"just above it, slower":                  {ofCost(10, 1.1501), broken},
		"just above it, faster":                  {ofCost(10, 0.8499), broken},
		"a scaled cost has no time of its own":   {ofCost(16, 1.5, scaledUp), ""},
		"an Invalid trial is judged already":     {ofCost(10, 1.5, judgedInvalid), ""},
		"a trial without a result is not judged": {ofCost(10, 1.5, unmeasured), ""},
		"another algorithm has no cost":          {ofCost(10, 1.5, hashedOtherwise), ""},
		"another pool has a line of its own":     {ofCost(10, 1.5, onPool("small")), ""},
		"a trial without calibration is skipped": {ofCost(10, 1.5, func(t *v1beta1.SizingTrial) { t.Status.Calibration = nil }), ""},
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
	checkAcross(t, []v1beta1.SizingTrial{ofCost(8, 1), ofCost(10, 1.2)},
		[]string{"CostDoublingBroken:Suspect", "CostDoublingBroken:Suspect"})
}

// A CPU that is slower during one trial than during another changes hash and reference hash
// alike.
func TestASpeedThatDriftsBreaksNoDoubling(t *testing.T) {
	trials := []v1beta1.SizingTrial{ofCost(8, 1, atSpeed(0.85, "Model CPU")), ofCost(10, 1, atSpeed(1.2, "Model CPU")), ofCost(12, 1)}
	checkAcross(t, trials, []string{"", "", ""})
}

func TestAnotherSpeedIsAnotherMachine(t *testing.T) {
	const suspect = "SpeedUnknown:Suspect"
	normal := func() v1beta1.SizingTrial { return ofCost(8, 1) }
	tests := map[string]struct {
		trials []v1beta1.SizingTrial
		want   []string
	}{
		"as slow as a drift can be":      {[]v1beta1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(1.49, "Model CPU"))}, []string{"", "", ""}},
		"slower than that":               {[]v1beta1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(1.52, "Old CPU"))}, []string{"", "", suspect}},
		"as fast as a drift can be":      {[]v1beta1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(0.68, "Model CPU"))}, []string{"", "", ""}},
		"faster than that":               {[]v1beta1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(0.66, "New CPU"))}, []string{"", "", suspect}},
		"another pool has its own speed": {[]v1beta1.SizingTrial{normal(), normal(), ofCost(8, 1, atSpeed(2, "Old CPU"), onPool("old"))}, []string{"", "", ""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { checkAcross(t, test.trials, test.want) })
	}
}

// Another model is another machine, whatever its speed.
func TestAnotherCPUModelIsSuspect(t *testing.T) {
	const suspect = "SpeedUnknown:Suspect"
	on := func(model string, changes ...func(*v1beta1.SizingTrial)) v1beta1.SizingTrial {
		return ofCost(8, 1, append(changes, func(t *v1beta1.SizingTrial) { t.Status.Calibration.CPUModel = model })...)
	}
	tests := map[string]struct {
		trials []v1beta1.SizingTrial
		want   []string
	}{
		"two trials with different models are both suspect": {[]v1beta1.SizingTrial{on("A"), on("B")}, []string{suspect, suspect}},
		"whatever their speed":                              {[]v1beta1.SizingTrial{on("A"), ofCost(8, 1, atSpeed(1.3, "B"))}, []string{suspect, suspect}},
		"of three trials, the different one is suspect":     {[]v1beta1.SizingTrial{on("A"), on("B"), on("A")}, []string{"", suspect, ""}},
		"of four trials, two of each, all are suspect":      {[]v1beta1.SizingTrial{on("A"), on("B"), on("B"), on("A")}, []string{suspect, suspect, suspect, suspect}},
		"a single trial":                                    {[]v1beta1.SizingTrial{on("A")}, []string{""}},
		"each node pool has its own model":                  {[]v1beta1.SizingTrial{on("A"), on("B", onPool("b"))}, []string{"", ""}},
		"an unknown model does not count":                   {[]v1beta1.SizingTrial{on("A"), on("")}, []string{"", ""}},
		"an Invalid trial does not count":                   {[]v1beta1.SizingTrial{on("A"), on("B", judgedInvalid)}, []string{"", ""}},
		"a trial without a result does not count":           {[]v1beta1.SizingTrial{on("A"), on("B", unmeasured)}, []string{"", ""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { checkAcross(t, test.trials, test.want) })
	}
	want := []v1beta1.Reason{{Type: v1beta1.ReasonSpeedUnknown, Verdict: v1beta1.VerdictSuspect, Message: "Repetition 2 ran on B, which is not the CPU model of most trials on its node pool (1 on A; 1 on B): " +
		"numbers from different CPU models cannot be compared. List the kinds of machine in matrix.nodePools, or measure again"}}
	if diff := cmp.Diff(want, verdict.Across([]v1beta1.SizingTrial{on("A"), on("B")})[1]); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// A login at a user's own service also takes a time that is the same with each cost, such as for signing a token.
func TestALoginOfAUsersServiceIsMoreThanItsHash(t *testing.T) {
	own := func(t *v1beta1.SizingTrial) { t.Spec.Service.Own = &v1beta1.OwnService{} }
	const broken = "CostDoublingBroken:Suspect"
	const constant = 100 // rounds
	eight, ten := 1+constant/256.0, 1+constant/1024.0
	checkAcross(t, []v1beta1.SizingTrial{ofCost(8, eight, own), ofCost(10, ten, own)}, []string{"", ""})
	checkAcross(t, []v1beta1.SizingTrial{ofCost(8, eight, own), ofCost(10, 1.4, own), ofCost(12, 1.03, own)}, []string{"", "CostDoublingBroken:Invalid", broken})
	checkAcross(t, []v1beta1.SizingTrial{ofCost(8, eight), ofCost(10, ten)}, []string{broken, broken})
}

func TestMessagesOfReasonsAcrossTrials(t *testing.T) {
	trials := []v1beta1.SizingTrial{ofCost(8, 1), ofCost(8, 1), ofCost(9, 1), ofCost(10, 1), ofCost(11, 1), ofCost(8, 1.2, atSpeed(2, "Old CPU"))}
	found := verdict.Across(trials)
	want := []v1beta1.Reason{
		{Type: v1beta1.ReasonCostDoublingBroken, Verdict: v1beta1.VerdictInvalid, Message: "In repetition 2, a hash of cost 8 took 1.2 times as long as the reference hash, " +
			"which is 1.2 times what the fit a + b·2^cost through all 4 costs gives (suspect if off by more than 5 %, invalid by more than 15 %): " +
			"the calibration of this cost or of another one was disturbed. Measure again on a node where nothing else runs"},
		{Type: v1beta1.ReasonSpeedUnknown, Verdict: v1beta1.VerdictSuspect, Message: "In repetition 2, a hash took 2 times as long as the median of the experiment (suspect outside 0.67 to 1.5): " +
			"the trials ran on different machines (Model CPU; Old CPU). List the kinds of machine in matrix.nodePools"},
	}
	if diff := cmp.Diff(want, found[len(found)-1]); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	last := &trials[len(trials)-1]
	last.Spec.Service.Own = &v1beta1.OwnService{}
	if message := verdict.Across(trials)[len(trials)-1][0].Message; !strings.HasPrefix(message, "In repetition 2, a login at cost 8 took") || !strings.HasSuffix(message, "a calibration was disturbed, or the service was not warm yet. Set a longer load.warmupSeconds") {
		t.Errorf("of a user's own service: %s", message)
	}
}
