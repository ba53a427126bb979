//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// quickstart returns the experiment that `make demo` has measured, with its trials: a decision.
func quickstart(t *testing.T) (*v1beta1.SizingExperiment, map[string]v1beta1.SizingTrial) {
	t.Helper()
	return ofTheDemo(t, "quickstart", "demo")
}

// compared returns the experiment that has measured every variant of the quickstart, with its trials.
func compared(t *testing.T) (*v1beta1.SizingExperiment, map[string]v1beta1.SizingTrial) {
	t.Helper()
	return ofTheDemo(t, "compare-variants", "test-e2e")
}

func ofTheDemo(t *testing.T, name, target string) (*v1beta1.SizingExperiment, map[string]v1beta1.SizingTrial) {
	t.Helper()
	e := &v1beta1.SizingExperiment{}
	if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "hashmark-demo", Name: name}, e); err != nil {
		t.Fatalf("%s was not measured; run make %s: %v", name, target, err)
	}
	trials := map[string]v1beta1.SizingTrial{}
	for _, trial := range matrix.Measurements(trialsOf(t, e)) {
		trials[trial.Spec.Variant.Name] = trial
	}
	return e, trials
}

var comparedVariants = []string{"c8-500m", "c8-1", "c10-500m", "c10-1"}

func TestEveryVariantHasARowOfNumbers(t *testing.T) {
	e, _ := compared(t)
	if e.Status.Phase != v1beta1.ExperimentSucceeded || !meta.IsStatusConditionTrue(e.Status.Conditions, v1beta1.ConditionReady) {
		t.Errorf("phase %s, conditions %v", e.Status.Phase, e.Status.Conditions)
	}
	if len(e.Status.Results) != len(comparedVariants) {
		t.Fatalf("%d rows, want %d", len(e.Status.Results), len(comparedVariants))
	}
	for _, row := range e.Status.Results {
		checkRow(t, row)
	}
	rowsHold(t, e, 1)
	if speed := e.Status.Speed; len(speed) != 1 || speed[0].Windows < 60 || speed[0].LowPerMille > speed[0].MedianPerMille || speed[0].HighPerMille < speed[0].MedianPerMille {
		t.Errorf("the reference speed is %+v", speed)
	}
}

// The quickstart measures only what can be recommended, and says of every other variant why it can't.
func TestTheQuickstartDecides(t *testing.T) {
	e, trials := quickstart(t)
	d := e.Status.Decision
	if d == nil || d.Stage != v1beta1.StageDecided || len(d.Open) > 0 || len(d.Loads) == 0 {
		t.Fatalf("the decision is %+v", d)
	}
	t.Logf("%s after %d of %d variants, verified after %s", e.Status.Display.Recommended, len(d.Loads), len(comparedVariants), e.Status.CompletionTime.Sub(e.CreationTimestamp.Time))
	if len(e.Status.Results) != len(d.Loads) || len(d.Loads)+len(d.Excluded) != len(comparedVariants) {
		t.Errorf("%d rows, %d loads and %d excluded variants of %d", len(e.Status.Results), len(d.Loads), len(d.Excluded), len(comparedVariants))
	}
	for _, x := range d.Excluded {
		t.Logf("%s: %s", x.Variant, x.Message)
		predicted := slices.ContainsFunc(e.Status.Predictions, func(p v1beta1.PredictedVariant) bool { return p.Variant == x.Variant && p.InMatrix })
		if x.Message == "" || !predicted {
			t.Errorf("%s has message %q, and predictions %+v", x.Variant, x.Message, e.Status.Predictions)
		}
	}
	for _, row := range e.Status.Results {
		if row.CapacityMethod != v1beta1.CapacityBoth && row.Verdict == v1beta1.VerdictValid {
			t.Errorf("the capacity of %s is %s, and a step at 70 %% confirms the model: %s", row.Variant, row.CapacityMethod, trials[row.Variant].Status.Capacity.Message)
		}
	}
	rowsHold(t, e, 0)
}

// decisions is how many times the quickstart is decided again. Each takes about three minutes.
var decisions = flag.Int("decisions", 0, "how many more decisions to compare with that of the demo")

// Decisions and every variant measured give the same size, or sizes that a capacity within both intervals explains.
func TestTheQuickstartDecidesAsIfItHadMeasuredEveryVariant(t *testing.T) {
	decided, _ := quickstart(t)
	all, _ := compared(t)
	sameSize(t, decided, all)
	if *decisions == 0 {
		return
	}
	startOperator(t)
	ns := namespace(t)
	taken := []*v1beta1.SizingExperiment{decided}
	for range *decisions {
		again := &v1beta1.SizingExperiment{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: fmt.Sprintf("decision-%d", len(taken))}, Spec: *decided.Spec.DeepCopy(),
		}
		again.Spec.Seed = nil
		create(t, again)
		finished(t, again, 15*time.Minute)
		answer := recommended(t, again)
		row := rowOf(t, again, answer.Variant)
		t.Logf("decision %d took %s and loaded %v: a capacity in %+v, %s", len(taken),
			again.Status.CompletionTime.Sub(again.CreationTimestamp.Time), again.Status.Decision.Loads, *row.CapacityInterval, row.Verdict)
		for _, earlier := range taken {
			sameSize(t, earlier, again)
		}
		taken = append(taken, again)
	}
}

// sameSize compares what two experiments recommend. If they recommend different sizes, the capacities of both variants must
// be in each other's intervals. Rows that were disturbed show nothing.
func sameSize(t *testing.T, a, b *v1beta1.SizingExperiment) {
	t.Helper()
	one, two := recommended(t, a), recommended(t, b)
	if one.Variant == two.Variant && one.Replicas == two.Replicas {
		return
	}
	different := fmt.Sprintf("%d×%s or %d×%s", one.Replicas, one.Variant, two.Replicas, two.Variant)
	if slices.ContainsFunc(a.Status.Results, disturbed) || slices.ContainsFunc(b.Status.Results, disturbed) {
		t.Logf("%s on a machine that did other work", different)
		return
	}
	for _, variant := range []string{one.Variant, two.Variant} {
		aLow, aHigh := inLoginsPerHash(t, a, variant)
		bLow, bHigh := inLoginsPerHash(t, b, variant)
		t.Logf("%s: the capacity of %s is %.4g to %.4g, or %.4g to %.4g logins in the time of a hash", different, variant, aLow, aHigh, bLow, bHigh)
		if aHigh < bLow || bHigh < aLow {
			t.Errorf("%s: the capacities of %s are outside each other's intervals", different, variant)
		}
	}
}

// inLoginsPerHash returns the interval of a variant's measured or predicted capacity as logins in the time of a hash at cost
// 8, because each experiment has a reference speed of its own.
func inLoginsPerHash(t *testing.T, e *v1beta1.SizingExperiment, variant string) (low, high float64) {
	t.Helper()
	interval := func() *v1beta1.RateInterval {
		for _, row := range e.Status.Results {
			if row.Variant == variant {
				return row.CapacityInterval
			}
		}
		for _, p := range e.Status.Predictions {
			if p.Variant == variant {
				return p.CapacityInterval
			}
		}
		return nil
	}()
	if interval == nil {
		t.Fatalf("%s has no capacity of %s", e.Name, variant)
	}
	hash := float64(e.Status.Speed[0].HashMicrosecondsAtCost8) / 1e9
	return float64(interval.LowMilliPerSecond) * hash, float64(interval.HighMilliPerSecond) * hash
}

// checkRow checks what every row must have.
func checkRow(t *testing.T, row v1beta1.VariantResult) {
	t.Helper()
	if row.Calibration == nil || row.Calibration.Samples < 10 || row.Calibration.ErrorMicroseconds <= 0 {
		t.Errorf("%s: calibration %+v", row.Variant, row.Calibration)
	}
	for what, number := range map[string]*int64{
		"bound": row.BoundMilliPerSecond, "maximum": row.MaxThroughputMilliPerSecond,
		"offered": row.OfferedMilliPerSecond, "throughput": row.ThroughputMilliPerSecond,
		"p50": row.P50Microseconds, "p95": row.P95Microseconds, "p99": row.P99Microseconds,
	} {
		if number == nil || *number <= 0 {
			t.Errorf("%s: no %s", row.Variant, what)
		}
	}
	if row.Samples == nil || *row.Samples < 72 {
		t.Errorf("%s: fewer than 72 samples at the reported step", row.Variant)
	}
	if row.P95Interval == nil || row.ObjectiveMet == nil || row.ReportedLoadPerMille == nil || row.Trials != 1 {
		t.Errorf("%s: interval %v, objective met %v, reported load %v, trials %d",
			row.Variant, row.P95Interval, row.ObjectiveMet, row.ReportedLoadPerMille, row.Trials)
	}
	if failures := row.Failures; failures == nil || failures.Logins < *row.Samples || failures.AtMostPerMillion > 50_000 {
		t.Errorf("%s: failures %+v of %d samples", row.Variant, failures, *row.Samples)
	}
	if peak := row.MemoryPeakBytes; peak == nil || *peak < 1<<20 || *peak > 128<<20 {
		t.Errorf("%s: a pod used at most %v bytes, of a limit of 128Mi", row.Variant, ptr.Deref(peak, 0))
	}
	if alive := row.Alive; alive == nil || alive.Probes < 5 || alive.P95Microseconds == nil || *alive.P95Microseconds <= 0 {
		t.Errorf("%s: the liveness probes are %+v", row.Variant, alive)
	}
	if row.P50Interval == nil || *row.Samples >= 368 && row.P99Interval == nil {
		t.Errorf("%s: %d samples, the interval of p50 is %v and that of p99 %v", row.Variant, *row.Samples, row.P50Interval, row.P99Interval)
	}
	if speed := row.Speed; speed == nil || speed.LowPerMille <= 0 || speed.LowPerMille > speed.MedianPerMille || speed.MedianPerMille > speed.HighPerMille {
		t.Errorf("%s: speed %+v", row.Variant, row.Speed)
	}
	// Only a quota throttles, and whole CPUs have none with the local cluster's static CPU manager.
	quota := row.CPULimit != "1" || os.Getenv("HASHMARK_NODE_ROOTS") != ""
	if (row.ThrottledPerMille != nil) != quota {
		t.Errorf("%s: throttled share %v, want one: %t", row.Variant, row.ThrottledPerMille, quota)
	}
}

// At the reference speed, the rest of the CPU time is used by everything but hashes. What is
// compared was measured at different times, so each comparison allows for how much the CPU's
// speed varied meanwhile.
func TestThroughputFollowsFromHashTimeAndCPU(t *testing.T) {
	e, trials := compared(t)
	maximum, ratio, varied := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, row := range e.Status.Results {
		limit, name := resource.MustParse(row.CPULimit), row.Variant
		maximum[name] = float64(*row.MaxThroughputMilliPerSecond) / 1000
		varied[name] = float64(row.Speed.HighPerMille-row.Speed.LowPerMille) / 2 / float64(row.Speed.MedianPerMille)
		near(t, name+": maximum × hash time ÷ CPU", maximum[name]*float64(row.Calibration.HashMicroseconds)/1e6/limit.AsApproximateFloat64(), 0.97, 0.05+varied[name])
		if ratio[name] = float64(trials[name].Status.Calibration.RatioPerMillion) / 1e6; ratio[name] <= 0 {
			t.Errorf("%s: the calibration has no ratio to the reference hash", name)
		}
	}
	for _, limit := range []string{"500m", "1"} {
		low, high := "c8-"+limit, "c10-"+limit
		near(t, "cost 8 ÷ cost 10 on "+limit, maximum[low]/maximum[high], ratio[high]/ratio[low], 0.04+varied[low]+varied[high])
	}
	near(t, "1 CPU ÷ 500m at cost 8", maximum["c8-1"]/maximum["c8-500m"], 2, 0.05+varied["c8-1"]+varied["c8-500m"])
}

func TestServiceAndGeneratorRanOnTheirOwnCPUsUnderRealQuotas(t *testing.T) {
	_, trials := compared(t)
	for _, name := range comparedVariants {
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
	for _, name := range []string{"c8-500m", "c10-500m"} {
		if share := trials[name].Status.Result.ThrottledPerMille; share == nil || *share == 0 {
			t.Errorf("%s was never throttled", name)
		}
	}
}

// Each end of a step may cut a hash that the other side counts, so the steps of a trial are
// summed up. If callers gave up, the service has hashed for some of them in vain, and the two
// counts differ.
func TestTheServicesOwnHashesAgreeWithK6(t *testing.T) {
	_, trials := compared(t)
	for _, name := range comparedVariants {
		var hashes, served float64
		for _, step := range trials[name].Status.Steps {
			if step.Outcome == v1beta1.StepNotRun || step.TimedOut+step.Cut > 0 {
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

// completed returns how many logins k6 saw completed within a step's counted time. A
// saturation's throughput covers only the time from its first to its last completion.
func completed(step v1beta1.Step) float64 {
	if step.Kind == v1beta1.StepSaturation {
		return float64(step.OK)
	}
	return float64(*step.ThroughputMilliPerSecond) / 1000 * float64(step.CountedMilliseconds) / 1000
}
