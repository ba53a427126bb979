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

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// hashMicroseconds is the CPU time of a bcrypt hash on this machine, as the
// quickstart measured it. Rates and objectives are chosen by it, so that a slow
// machine is not overloaded and a fast one has something to do.
func hashMicroseconds(t *testing.T, cost int32) float64 {
	t.Helper()
	e, _ := quickstart(t)
	if len(e.Status.Speed) != 1 || e.Status.Speed[0].HashMicrosecondsAtCost8 <= 0 {
		t.Fatalf("the quickstart's reference speed is %+v", e.Status.Speed)
	}
	return float64(e.Status.Speed[0].HashMicrosecondsAtCost8) * math.Exp2(float64(cost-8))
}

// loaded offers a share of what the CPU can hash, in percent, for at least so many
// logins. The highest cost on the smallest limit counts; controls count as cost 8,
// and what the spec says by then. It comes last of the changes, therefore.
func loaded(t *testing.T, percent int, logins float64) func(*v1alpha1.SizingExperimentSpec) {
	t.Helper()
	return func(s *v1alpha1.SizingExperimentSpec) {
		cost := int32(8)
		if len(s.Matrix.Controls) == 0 {
			cost = slices.Max(s.Matrix.Costs)
		}
		cpu := math.Inf(1)
		for _, limit := range s.Matrix.CPULimits {
			quantity := resource.MustParse(limit)
			cpu = min(cpu, quantity.AsApproximateFloat64())
		}
		rate := float64(percent) / 100 * cpu * 1e6 / hashMicroseconds(t, cost)
		s.Load.RatesPerSecond = []intstr.IntOrString{intstr.FromString(strconv.FormatFloat(rate, 'f', 3, 64))}
		s.Load.StepSeconds = max(s.Load.StepSeconds, int32(math.Ceil(logins/rate)))
	}
}

// disturbances are the reasons for which a row may be other than Valid on a machine
// that does other work: another process took CPU time, the generator had too little,
// or evidence is missing. A CPU that is slow, or changes its speed, gives none.
var disturbances = []string{
	verdict.NoisyNeighbour, verdict.SharedNode, verdict.GeneratorSaturated, verdict.GeneratorThrottled,
	verdict.RateNotAchieved, verdict.EvidenceMissing,
}

// ofSpeed are the reasons that no row may have because of the CPU's speed.
var ofSpeed = []string{verdict.AboveCPUBound, verdict.BelowCPUBound, verdict.CostDoublingBroken, verdict.SpeedUnknown}

// amiss are the reasons that make a row other than Valid.
func amiss(reasons []v1alpha1.Reason) []string {
	var types []string
	for _, r := range reasons {
		if r.Verdict != "" && r.Verdict != v1alpha1.VerdictValid {
			types = append(types, r.Type)
		}
	}
	return types
}

// disturbed tells whether a row names a disturbance.
func disturbed(row v1alpha1.VariantResult) bool {
	return slices.ContainsFunc(amiss(row.Reasons), func(r string) bool { return slices.Contains(disturbances, r) })
}

// rowsHold fails unless every row is Valid or disturbed, but for so many, and none is
// other than Valid because of the CPU's speed.
func rowsHold(t *testing.T, e *v1alpha1.SizingExperiment, but int) {
	t.Helper()
	var doubtful []string
	for _, row := range e.Status.Results {
		for _, reason := range row.Reasons {
			t.Logf("%s is %s: %s: %s", row.Variant, row.Verdict, reason.Type, reason.Message)
		}
		if row.Verdict == v1alpha1.VerdictValid || disturbed(row) {
			continue
		}
		reasons := amiss(row.Reasons)
		doubtful = append(doubtful, fmt.Sprintf("%s is %s for %s", row.Variant, row.Verdict, strings.Join(reasons, ", ")))
		if slices.ContainsFunc(reasons, func(r string) bool { return slices.Contains(ofSpeed, r) }) {
			t.Errorf("nothing disturbed %s, and it is %s for %s", row.Variant, row.Verdict, strings.Join(reasons, ", "))
		}
	}
	if len(doubtful) > but {
		t.Errorf("nothing disturbed these rows, of which %d at the most may be doubtful: %s", but, strings.Join(doubtful, "; "))
	}
}

// near fails unless a number is the wanted one, but for a share of it.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	t.Logf("%s: %.3f, %.3f of what is wanted", what, got, got/want)
	if !(math.Abs(got/want-1) <= share) {
		t.Errorf("%s is %.3f, want %.3f within %.0f %%", what, got, want, 100*share)
	}
}

// shorterThanAHash is an objective, in milliseconds, that no rate can meet: half the
// time of a hash.
func shorterThanAHash(t *testing.T, cost int32) int32 {
	t.Helper()
	return max(1, int32(hashMicroseconds(t, cost)/2000))
}
