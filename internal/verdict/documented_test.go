package verdict

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// documentedRows returns the rows of the table of reasons in docs/verdicts.md.
func documentedRows(t *testing.T) []string {
	content, err := os.ReadFile("../../docs/verdicts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(content), "\n## All reasons\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, line)
		}
	}
	return rows
}

func TestEveryReasonIsDocumentedInAlphabeticalOrder(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../api/v1beta1/reasons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared, documented []string
	ast.Inspect(file, func(n ast.Node) bool {
		if value, ok := n.(*ast.ValueSpec); ok {
			if reason, is := strings.CutPrefix(value.Names[0].Name, "Reason"); is {
				declared = append(declared, reason)
			}
		}
		return true
	})
	for _, row := range documentedRows(t) {
		documented = append(documented, strings.Split(row, "`")[1])
	}
	slices.SortFunc(declared, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	if diff := cmp.Diff(declared, slices.Compact(documented)); diff != "" {
		t.Errorf("(-api +docs/verdicts.md):\n%s", diff)
	}
}

func TestDocumentedThresholdsAreThoseOfTheCode(t *testing.T) {
	above := func(suspect, invalid float64) string {
		return fmt.Sprintf("Suspect > %s, Invalid > %s", percent(suspect), percent(invalid))
	}
	outside := func(least, most float64) string {
		return fmt.Sprintf("< %s or > %s", units.Ratio(least), units.Ratio(most))
	}
	inDecision := func(variant v1beta1.Variant) string {
		d := decision{spec: v1beta1.SizingTrialSpec{Role: v1beta1.RoleDecision, Variant: variant}}
		most := disagrees(variant, d.stepError(fact{&v1beta1.Step{}}))
		return fmt.Sprintf("up to %s to %s", units.Ratio(1/most), units.Ratio(most))
	}
	pool := v1beta1.Variant{Concurrency: v1beta1.Concurrency{Workers: ptr.To[int32](1)}}
	rows := documentedRows(t)
	for _, want := range [][2]string{
		{"AboveCPUBound", fmt.Sprintf("Suspect > %s, Invalid > %s", units.Ratio(aboveBoundSuspect), units.Ratio(aboveBoundInvalid))},
		{"BelowCPUBound", fmt.Sprintf("Suspect < %s for a pool and < %s unbounded, < %s in the saturation of a pool with a quota, which is exact; Invalid < %s",
			units.Ratio(belowBoundSuspect), units.Ratio(belowBoundUnbounded), units.Ratio(belowQuotaSuspect), units.Ratio(belowBoundInvalid))},
		{"SlowerUnderLoad", fmt.Sprintf("> %s, and more than the drift explains (%g standard deviations)", units.Ratio(1+leastRise), certainRise)},
		{"CostDoublingBroken", fmt.Sprintf("Suspect off by > %s, Invalid off by > %s", percent(doublingSuspect), percent(doublingInvalid))},
		{"EvidenceMissing", fmt.Sprintf("no trial with the same hash within %s,", percent(doublingSuspect))},
		{"GeneratorSaturated", fmt.Sprintf("Suspect > %d ms and > %s of p95, Invalid > %d ms and > %s of p95",
			lagSuspectMicroseconds/1000, percent(lagSuspectShare), lagInvalidMicroseconds/1000, percent(lagInvalidShare))},
		{"GeneratorSaturated", fmt.Sprintf("CPU used ÷ its CPU limit: > %s", percent(generatorCPUInvalid))},
		{"GeneratorThrottled", above(throttledSuspect, throttledInvalid)},
		{"LimitNotApplied", "off by > " + percent(limitTolerance)},
		{"LivenessFails", fmt.Sprintf("≥ %d", livenessFailures)},
		{"ModelDisagrees", fmt.Sprintf("up to %s load: a pool outside %s to %s, unbounded outside %s to %s", percent(modelledUtilisation),
			units.Ratio(1/poolDisagrees), units.Ratio(poolDisagrees), units.Ratio(1/unboundedDisagrees), units.Ratio(unboundedDisagrees))},
		{"ModelDisagrees", "verifies later " + inDecision(pool) + ", unbounded " + inDecision(v1beta1.Variant{})},
		{"NoisyNeighbour", above(stealSuspect, stealInvalid)},
		{"NoisyNeighbour", above(neighbourSuspect, neighbourInvalid)},
		{"NotSteady", fmt.Sprintf("counted time < %d·D ÷ (1−ρ)², and %g·D", loadplan.SteadyRelaxations, loadplan.NeededRelaxations(v1beta1.SizingTrialSpec{Role: v1beta1.RoleDecision}))},
		{"NotSteady", fmt.Sprintf("> %s |", units.Ratio(halvesSuspect))},
		{"RateNotAchieved", above(missedSuspect, missedInvalid)},
		{"Resolution", fmt.Sprintf("> %s of p95", percent(resolutionSuspect))},
		{"SharedNode", fmt.Sprintf("Invalid if others took > %s of them", percent(othersInvalid))},
		{"SpeedUnknown", fmt.Sprintf("at least %d hashes", samplesForP95)},
		{"SpeedUnknown", "time per hash ÷ the reference: " + outside(speed.Fastest, speed.Slowest)},
		{"SpeedUnknown", "with its mean: " + outside(1/variationSuspect, variationSuspect)},
		{"SpeedUnknown", "of all trials: " + outside(speed.Fastest, speed.Slowest)},
		{"TooFewSamples", fmt.Sprintf("Suspect < %d, Invalid < %d", samplesForInterval, samplesForP95)},
		{"TooFewSamples", fmt.Sprintf("completions: < %d", completionsForMaximum)},
		{"UsersDistinguishable", "off 1 by > " + percent(distinguishablePerMille/1000.0)},
	} {
		if !slices.ContainsFunc(rows, func(row string) bool {
			return strings.HasPrefix(row, "| `"+want[0]+"`") && strings.Contains(row, want[1])
		}) {
			t.Errorf("docs/verdicts.md has no row of %s with %q", want[0], want[1])
		}
	}
}
