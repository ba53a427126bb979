//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// hashMicroseconds returns the CPU time of a bcrypt hash on this machine, from the quickstart.
// Rates and objectives are derived from it, so that they suit slow and fast machines.
func hashMicroseconds(t *testing.T, cost int32) float64 {
	t.Helper()
	e, _ := quickstart(t)
	if len(e.Status.Speed) != 1 || e.Status.Speed[0].HashMicrosecondsAtCost8 <= 0 {
		t.Fatalf("the quickstart's reference speed is %+v", e.Status.Speed)
	}
	return float64(e.Status.Speed[0].HashMicrosecondsAtCost8) * math.Exp2(float64(cost-8))
}

// loaded offers a share of the CPU-bound rate, in percent, for at least the given number of
// logins. It uses the highest cost and the smallest limit of the spec at that point, so it
// must be the last change. Other hashes count as cost 8.
func loaded(t *testing.T, percent int, logins float64) func(*v1beta1.SizingExperimentSpec) {
	t.Helper()
	return func(s *v1beta1.SizingExperimentSpec) {
		cost := int32(8)
		if len(s.Matrix.Hashes) == 0 {
			cost = slices.Max(s.Matrix.Costs)
		}
		cpu := math.Inf(1)
		for _, limit := range s.Matrix.CPULimits {
			quantity := resource.MustParse(limit.String())
			cpu = min(cpu, quantity.AsApproximateFloat64())
		}
		rate := float64(percent) / 100 * cpu * 1e6 / hashMicroseconds(t, cost)
		s.Load.Rates.PerSecond = []intstr.IntOrString{intstr.FromString(strconv.FormatFloat(rate, 'f', 3, 64))}
		s.Load.StepSeconds = max(s.Load.StepSeconds, int32(math.Ceil(logins/rate)))
	}
}

// disturbances are the reasons for which a row may not be Valid on a machine that does other
// work: another process took CPU time, the generator had too little, or evidence is missing. A
// CPU that is slow or changes its speed causes none of them.
var disturbances = []string{
	v1beta1.ReasonNoisyNeighbour, v1beta1.ReasonSharedNode, v1beta1.ReasonGeneratorSaturated, v1beta1.ReasonGeneratorThrottled,
	v1beta1.ReasonRateNotAchieved, v1beta1.ReasonEvidenceMissing,
}

// ofSpeed are reasons that the CPU's speed must never cause.
var ofSpeed = []string{v1beta1.ReasonAboveCPUBound, v1beta1.ReasonBelowCPUBound, v1beta1.ReasonCostDoublingBroken, v1beta1.ReasonSpeedUnknown}

// doubts returns the reasons why a row is not Valid.
func doubts(reasons []v1beta1.Reason) []string {
	var types []string
	for _, r := range reasons {
		if r.Verdict != "" && r.Verdict != v1beta1.VerdictValid {
			types = append(types, r.Type)
		}
	}
	return types
}

// disturbed reports whether a row has a disturbance as a reason.
func disturbed(row v1beta1.VariantResult) bool {
	return slices.ContainsFunc(doubts(row.Reasons), func(r string) bool { return slices.Contains(disturbances, r) })
}

// rowsHold fails unless every row is Valid or disturbed, with the given number of exceptions,
// and no row is doubtful because of the CPU's speed.
func rowsHold(t *testing.T, e *v1beta1.SizingExperiment, but int) {
	t.Helper()
	var doubtful []string
	for _, row := range e.Status.Results {
		for _, reason := range row.Reasons {
			t.Logf("%s is %s: %s: %s", row.Variant, row.Verdict, reason.Type, reason.Message)
		}
		if row.Verdict == v1beta1.VerdictValid || disturbed(row) {
			continue
		}
		reasons := doubts(row.Reasons)
		doubtful = append(doubtful, fmt.Sprintf("%s is %s for %s", row.Variant, row.Verdict, strings.Join(reasons, ", ")))
		if slices.ContainsFunc(reasons, func(r string) bool { return slices.Contains(ofSpeed, r) }) {
			t.Errorf("%s was not disturbed, but is %s for %s", row.Variant, row.Verdict, strings.Join(reasons, ", "))
		}
	}
	if len(doubtful) > but {
		t.Errorf("these rows were not disturbed, and at most %d may be doubtful: %s", but, strings.Join(doubtful, "; "))
	}
}

// near fails unless a number is within a share of the wanted one.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	t.Logf("%s: %.3f, %.3f of what is wanted", what, got, got/want)
	if !(math.Abs(got/want-1) <= share) {
		t.Errorf("%s is %.3f, want %.3f within %.0f %%", what, got, want, 100*share)
	}
}

// shorterThanAHash returns an objective, in milliseconds, that no rate can meet: half the time
// of a hash.
func shorterThanAHash(t *testing.T, cost int32) int32 {
	t.Helper()
	return max(1, int32(hashMicroseconds(t, cost)/2000))
}
