//go:build e2e

package e2e

import (
	"math"
	"os"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// quickstart is the experiment that `make demo` has measured, with its trials.
func quickstart(t *testing.T) (*v1alpha1.SizingExperiment, map[string]v1alpha1.SizingTrial) {
	t.Helper()
	e := &v1alpha1.SizingExperiment{}
	key := client.ObjectKey{Namespace: "hashmark-demo", Name: "quickstart"}
	if err := cluster.Get(t.Context(), key, e); err != nil {
		t.Fatalf("the quickstart was not measured; run make demo: %v", err)
	}
	trials := map[string]v1alpha1.SizingTrial{}
	for _, trial := range trialsOf(t, e) {
		trials[trial.Spec.Variant.Name] = trial
	}
	return e, trials
}

var quickstartVariants = []string{"c8-250m", "c8-500m", "c8-1", "c10-250m", "c10-500m", "c10-1"}

// leastValid is how many of the six must be valid: all on a machine that does
// nothing else, four where others use it, as they do in CI.
func leastValid() int {
	if n, err := strconv.Atoi(os.Getenv("HASHMARK_LEAST_VALID")); err == nil {
		return n
	}
	return 4
}

func TestTheQuickstartSucceedsWithANumberInEveryRow(t *testing.T) {
	e, _ := quickstart(t)
	if e.Status.Phase != v1alpha1.ExperimentSucceeded || !meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionComplete) {
		t.Errorf("phase %s, conditions %v", e.Status.Phase, e.Status.Conditions)
	}
	if len(e.Status.Results) != len(quickstartVariants) {
		t.Fatalf("%d rows, want %d", len(e.Status.Results), len(quickstartVariants))
	}
	valid := 0
	for _, row := range e.Status.Results {
		if row.Verdict == v1alpha1.VerdictValid {
			valid++
		}
		for _, reason := range row.Reasons {
			t.Logf("%s is %s: %s: %s", row.Variant, row.Verdict, reason.Type, reason.Message)
		}
		checkRow(t, row)
	}
	if valid < leastValid() {
		t.Errorf("%d rows are Valid, want at least %d", valid, leastValid())
	}
}

// checkRow looks for what the contract promises of every row.
func checkRow(t *testing.T, row v1alpha1.VariantResult) {
	t.Helper()
	if row.Calibration == nil || row.Calibration.Samples < 10 || row.Calibration.ErrorMicroseconds <= 0 {
		t.Errorf("%s: calibration %+v", row.Variant, row.Calibration)
	}
	for what, number := range map[string]*int64{
		"bound": row.BoundMilliPerSecond, "maximum": row.MaxThroughputMilliPerSecond,
		"offered": row.OfferedMilliPerSecond, "throughput": row.ThroughputMilliPerSecond, "p95": row.P95Microseconds,
	} {
		if number == nil || *number <= 0 {
			t.Errorf("%s: no %s", row.Variant, what)
		}
	}
	if row.Samples == nil || *row.Samples < 100 {
		t.Errorf("%s: fewer than 100 samples at the reported step", row.Variant)
	}
	if row.P95Interval == nil || row.ObjectiveMet == nil || row.ReportedLoadPercent == nil || row.Trials != 1 {
		t.Errorf("%s: interval %v, objective met %v, reported load %v, trials %d",
			row.Variant, row.P95Interval, row.ObjectiveMet, row.ReportedLoadPercent, row.Trials)
	}
	whole := row.CPULimit == "1"
	if (row.ThrottledPercent == nil) != whole {
		t.Errorf("%s: throttled share %v; only a quota throttles, and whole CPUs have none here", row.Variant, row.ThrottledPercent)
	}
}

func TestPhysicsHoldsInTheQuickstart(t *testing.T) {
	e, _ := quickstart(t)
	maximum := map[string]float64{}
	for _, row := range e.Status.Results {
		maximum[row.Variant] = float64(*row.MaxThroughputMilliPerSecond)
		ratio := maximum[row.Variant] / float64(*row.BoundMilliPerSecond)
		t.Logf("%s: maximum is %.3f of the bound", row.Variant, ratio)
		if ratio > 1.05 || ratio < 0.85 {
			t.Errorf("%s: the maximum is %.3f of the bound, want 0.85 to 1.05", row.Variant, ratio)
		}
	}
	for _, limit := range []string{"250m", "500m", "1"} {
		near(t, "cost 10 ÷ cost 8 on "+limit, maximum["c10-"+limit]/maximum["c8-"+limit], 0.25)
	}
	near(t, "500m ÷ 250m at cost 8", maximum["c8-500m"]/maximum["c8-250m"], 2)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	t.Logf("%s: %.3f", what, got)
	if math.Abs(got/want-1) > 0.15 {
		t.Errorf("%s is %.3f, want %.3f within 15 %%", what, got, want)
	}
}

func TestServiceAndGeneratorRanOnTheirOwnCPUsUnderRealQuotas(t *testing.T) {
	_, trials := quickstart(t)
	for _, name := range quickstartVariants {
		status := trials[name].Status
		if status.Calibration == nil || status.Evidence == nil {
			t.Errorf("%s: no evidence", name)
			continue
		}
		if status.Calibration.Cpuset != "0" || status.Evidence.GeneratorCpuset != "1" {
			t.Errorf("%s: the service ran on CPUs %s and the generator on %s, want 0 and 1",
				name, status.Calibration.Cpuset, status.Evidence.GeneratorCpuset)
		}
	}
	for _, name := range []string{"c8-250m", "c10-250m"} {
		if share := trials[name].Status.Result.ThrottledPercent; share == nil || *share == 0 {
			t.Errorf("%s was never throttled", name)
		}
	}
}

// Each edge of a step may cut a hash that the other side counts, so the steps
// of a trial are summed. Where callers gave up, the service has hashed for some
// of them in vain, and the two counts differ for good.
func TestTheServicesOwnHashesAgreeWithK6(t *testing.T) {
	_, trials := quickstart(t)
	for _, name := range quickstartVariants {
		var hashes, served float64
		for _, step := range trials[name].Status.Steps {
			if step.Outcome == v1alpha1.StepNotRun || step.TimedOut+step.Cut > 0 {
				continue
			}
			if step.ServiceHashes == nil || step.ThroughputMilliPerSecond == nil {
				t.Errorf("%s: a step without the service's own count", name)
				continue
			}
			hashes += float64(*step.ServiceHashes)
			served += completed(step)
		}
		if served == 0 {
			t.Errorf("%s: no step without a caller that gave up", name)
		} else if ratio := hashes / served; math.Abs(ratio-1) > 0.02 {
			t.Errorf("%s: the service finished %.0f hashes, k6 saw %.1f logins", name, hashes, served)
		}
	}
}

// completed is how many logins k6 saw answered within a step's counted time. A
// saturation's throughput is taken from its first completion to its last, and
// says nothing of the rest of the time.
func completed(step v1alpha1.Step) float64 {
	if step.Kind == v1alpha1.StepSaturation {
		return float64(step.OK)
	}
	return float64(*step.ThroughputMilliPerSecond) / 1000 * float64(step.CountedMilliseconds) / 1000
}
