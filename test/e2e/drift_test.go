//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
	"github.com/hashmark-dev/hashmark/test/drift"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

const (
	// driftLogins is the number of counted logins of a step. It is so large, and steps are
	// otherwise so short, that it decides the length of each step on any machine. The four
	// services then get the same arrivals, and the reported step covers the same logins.
	driftLogins = 400
	// driftShortest is the shortest step, in seconds: less than the logins take, even if a
	// hash of cost 8 takes 7 ms. The saturation takes as long. With a single second, its
	// maximum varied by 1.4 %.
	driftShortest = 4
	// driftBaseline is the factor by which every hash of these images takes longer than a
	// plain one.
	driftBaseline = 1.3
	// driftCapacity and driftP95 are the largest differences of capacity and p95 from the
	// steady service's. Most comparisons are within 5 and 15 %. The p95 of 400 logins varies
	// by 11 % (one standard deviation of nine comparisons), and a capacity is kept below a
	// step that failed. Without a correction, p95 of "slower" is about twice the steady one's.
	driftCapacity, driftP95 = 0.07, 0.35
	// driftObjective is the objective, in hash times. It is met up to about 87 % of the bound,
	// where a step would take too long to run.
	driftObjective = 12
	// leastSeen is the largest share that may be taken for drift.
	leastSeen = 0.2
)

// inHashTimes has a row's numbers with the CPU time of a hash as the unit of time, so that
// experiments at different reference speeds can be compared.
type inHashTimes struct {
	maximum, capacity, p95 float64
	// disturbed means that all three tries were disturbed: the row itself says that its
	// numbers are not reliable.
	disturbed bool
}

var everySchedule = flag.Bool("every-schedule", false, "also measure the other schedules, which takes five minutes more")

// The hash of these services really takes more or less CPU time, on a schedule. Their results
// at the reference speed must be those of the steady one. They have a whole CPU: under a
// quota, p95 in hash times depends on how many hashes fit into its period of 100 ms.
func TestADriftingCPUIsMeasuredAsASteadyOne(t *testing.T) {
	ns := namespace(t)
	steady := drifting(t, ns, "steady", 1, 1, disturbed)
	if t.Failed() {
		return
	}
	t.Logf("steady: %+v", steady)
	type schedule struct {
		schedule string
		// slower is the factor of the schedule in most of the load.
		slower float64
		stated func(*testing.T, *v1beta1.SizingExperiment, *v1beta1.SizingTrial)
	}
	schedules := []schedule{{"slower", 1.2, statesSlower}}
	if *everySchedule {
		schedules = append(schedules, schedule{"sawtooth", 1, statesSawtooth}, schedule{"faster", 1, statesFaster})
	}
	if two := drifting(t, ns, "steady", 1, 2, disturbed); !t.Failed() {
		busier(t, ns, two, "busy30", 0.30)
		if *everySchedule {
			busier(t, ns, two, "busy10", 0.10)
			busier(t, ns, two, "busy45", 0.45)
		}
	}
	for _, tt := range schedules {
		t.Run(tt.schedule, func(t *testing.T) {
			got := drifting(t, ns, tt.schedule, tt.slower, 1, disturbed, tt.stated)
			near(t, "maximum", got.maximum, steady.maximum, 0.03)
			near(t, "capacity", got.capacity, steady.capacity, driftCapacity)
			within := driftP95
			if got.disturbed || steady.disturbed {
				within = 0.5 // the row says that another process affected its latencies
			}
			near(t, "p95", got.p95, steady.p95, within)
		})
	}
}

// busier measures a service whose hashes take longer by a share while another one has begun. That is no drift: how much
// longer they take is what its maximum is lower by, and its capacity is lower by as much as that is at its load.
func busier(t *testing.T, ns string, steady inHashTimes, schedule string, share float64) {
	t.Helper()
	t.Run(schedule, func(t *testing.T) {
		stated := 1.0
		states := func(row v1beta1.VariantResult) bool {
			return slices.ContainsFunc(row.Reasons, func(r v1beta1.Reason) bool { return r.Type == v1beta1.ReasonSlowerUnderLoad })
		}
		// The machine's own drift can hide the rise.
		hidden := func(row v1beta1.VariantResult) bool { return disturbed(row) || share > leastSeen && !states(row) }
		// About half of the hashes begin beside another one.
		got := drifting(t, ns, schedule, 1+share/2, 2, hidden, func(t *testing.T, e *v1beta1.SizingExperiment, trial *v1beta1.SizingTrial) {
			t.Helper()
			load := trial.Status.Speed.UnderLoad
			said := states(e.Status.Results[0])
			switch {
			case said != (load != nil), !said && share > leastSeen:
				t.Fatalf("of hashes that take up to %g %% longer, the row says %v and the trial %+v", 100*share, said, trial.Status.Speed)
			case load != nil:
				stated = float64(load.PerMille) / 1000
			}
		})
		slower := steady.maximum / got.maximum
		t.Logf("under load, hashes take %.3f times as long", slower)
		near(t, "the hash time under load", stated, slower, 0.06)
		near(t, "capacity", got.capacity*(1+(slower-1)*steady.capacity), steady.capacity, driftCapacity)
	})
}

// drifting measures one of the login services, with so many hashes at a time, up to three times while a row has to be measured
// again. The objective in hash times is the same for all of them.
func drifting(t *testing.T, ns, schedule string, slower float64, workers int32, again func(v1beta1.VariantResult) bool, stated ...func(*testing.T, *v1beta1.SizingExperiment, *v1beta1.SizingTrial)) inHashTimes {
	t.Helper()
	o := startOperator(t, `loginService: {image: "hashmark.dev/drift-`+schedule+`:e2e"}`)
	defer o.stop() // the next one has another image
	e := measuredUnless(t, tiny(ns, fmt.Sprintf("%s-%d", schedule, workers), costs(8), func(s *v1beta1.SizingExperimentSpec) {
		s.Seed = ptr.To[int64](1)
		s.Matrix.CPULimits = fixture.Limits("1")
		s.Load = v1beta1.Load{
			Capacity:    &v1beta1.CapacityLoad{MinSamples: ptr.To[int32](driftLogins), MaxStepSeconds: ptr.To(driftLongest(t))},
			StepSeconds: driftShortest, WarmupSeconds: ptr.To[int32](2), RequestTimeoutSeconds: 5,
		}
		s.Objective.P95Milliseconds = int32(driftObjective * driftBaseline * slower * hashMicroseconds(t, 8) / 1000)
		s.Matrix.Concurrency = []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyWorkerPool, Workers: &workers}}
	}), 4*time.Minute, again)
	trial := theTrial(t, e)
	row := e.Status.Results[0]
	if len(e.Status.Speed) != 1 || trial.Status.Speed == nil || row.MaxThroughputMilliPerSecond == nil || row.CapacityMilliPerSecond == nil {
		t.Fatalf("a number is missing in %+v, at the speed %+v", row, e.Status.Speed)
	}
	doubtful := 0
	if workers > 1 {
		doubtful = 1 // a step at 70 % of the bound of an idle service is a long queue for a slower one
	}
	rowsHold(t, e, doubtful)
	for _, check := range stated {
		check(t, e, trial)
		reportsItsSpeed(t, e)
	}
	hash := float64(e.Status.Speed[0].HashMicrosecondsAtCost8) / 1e6
	return inHashTimes{
		maximum:  float64(*row.MaxThroughputMilliPerSecond) / 1000 * hash,
		capacity: float64(*row.CapacityMilliPerSecond) / 1000 * hash,
		p95:      float64(ptr.Deref(row.P95Microseconds, 0)) / 1e6 / hash, disturbed: disturbed(row),
	}
}

// driftLongest returns the longest step, in seconds. The reported one takes 571 hash times.
// The other two would together take 1512, so the one at 50 % of the bound is left out on any
// machine.
func driftLongest(t *testing.T) int32 {
	t.Helper()
	return int32(driftBaseline * 800 * hashMicroseconds(t, 8) / 1e6)
}

// statesSawtooth expects half of the 24 % between the 10th and the 90th percentile of the
// schedule, because the logins do not sample it evenly.
func statesSawtooth(t *testing.T, e *v1beta1.SizingExperiment, _ *v1beta1.SizingTrial) {
	t.Helper()
	if pool := e.Status.Speed[0]; pool.HighPerMille-pool.LowPerMille < 120 {
		t.Errorf("the speed is reported as %+v, of a CPU that varies from 85 to 115 %%", pool)
	}
}

// statesSlower expects a large part of the 20 %. The rest allows for the machine's own drift
// since the calibration.
func statesSlower(t *testing.T, _ *v1beta1.SizingExperiment, trial *v1beta1.SizingTrial) {
	t.Helper()
	calibrated, loaded := trial.Status.Calibration.ReferenceMicroseconds, trial.Status.Speed
	if ratio := float64(loaded.HashMicrosecondsAtCost8) / float64(calibrated); ratio < 1.05 {
		t.Errorf("under load a hash took %.3f times what it took in the calibration, want about 1.2: %+v", ratio, loaded)
	}
}

// statesFaster first checks that the fast hashes were all in the reported step.
func statesFaster(t *testing.T, _ *v1beta1.SizingExperiment, trial *v1beta1.SizingTrial) {
	t.Helper()
	from, until := reportedLogins(t, trial)
	t.Logf("the reported step counted the logins %d to %d", from, until)
	if drift.FasterFrom < from || drift.FasterUntil > until {
		t.Fatalf("the fast hashes %d to %d are not all in the reported step", drift.FasterFrom, drift.FasterUntil)
	}
	windows := slices.DeleteFunc(slices.Clone(trial.Status.Speed.WindowsPerMille), func(w int32) bool { return w == 0 })
	slices.Sort(windows)
	if len(windows) < 10 || windows[1] > 930 || windows[len(windows)/2] < windows[1]*107/100 {
		t.Errorf("no window of the load was fast, want some at 800: %v", trial.Status.Speed.WindowsPerMille)
	}
}

// reportedLogins returns the range of logins that the reported step counted, from the first of
// the load.
func reportedLogins(t *testing.T, trial *v1beta1.SizingTrial) (from, until int) {
	t.Helper()
	plan, err := loadplan.Build(trial.Spec, speed.PlannedFor(trial.Status), trial.Status.Prediction)
	must(t, err)
	sent := 0
	for _, step := range plan.Steps {
		if step.Reported {
			return sent + step.SettleRequests, sent + step.SettleRequests + step.Requests
		}
		sent += step.SettleRequests + step.Requests
	}
	t.Fatalf("no step of the plan is reported: %+v", plan)
	return 0, 0
}

// reportsItsSpeed checks that users can see how much the speed varied.
func reportsItsSpeed(t *testing.T, e *v1beta1.SizingExperiment) {
	t.Helper()
	if e.Status.Display.Speed == "" {
		t.Fatal("kubectl get -o wide has no speed")
	}
	text := answered(t, "report", e.Name, "-n", e.Namespace, "-o", "markdown")
	for _, perMille := range []int64{e.Status.Speed[0].LowPerMille, e.Status.Speed[0].HighPerMille} {
		if spread := units.Difference(ptr.To(perMille - 1000)); !strings.Contains(text, spread) {
			t.Errorf("the report does not say that the speed varied by %s:\n%s", spread, text)
		}
	}
}
