package verdict_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

const (
	// startAndDelete is the time of a trial without its calibration and its load, as measured on the local cluster.
	startAndDelete = 7 * time.Second
	// timesHashes is the time of a calibration, and timesAgain that of one where hashes have been timed before, as measured
	// there with cost 10 on half a CPU.
	timesHashes, timesAgain = 7 * time.Second, 5 * time.Second
)

// cluster is a node pool of drifting machines with the same model error, on which experiments run one after another.
type cluster struct {
	seed int64
	// off is measured ÷ simulated p95.
	off float64
	// took is the time of each trial, and judged its status, by its spec.
	took   map[string]time.Duration
	judged map[string]v1beta1.SizingTrialStatus
	// reference is the reference speed, which the first trial fixes.
	reference float64
}

func newCluster(seed int64, bias float64) *cluster {
	chance := rand.New(rand.NewPCG(uint64(seed), 11))
	return &cluster{
		seed: seed, off: bias * math.Exp(0.05*chance.NormFloat64()),
		took: map[string]time.Duration{}, judged: map[string]v1beta1.SizingTrialStatus{},
	}
}

// machine returns the machine of a trial.
func (c *cluster) machine(spec v1beta1.SizingTrialSpec) machine {
	milli, _ := matrix.MilliCPU(spec.Variant.CPULimit)
	quota := milli
	if milli%1000 == 0 {
		quota = 0
	}
	m := newMachine(spec.Variant.Concurrency.Mode, quota, c.seed*1000+int64(spec.Variant.Hash.Cost())*10+milli/250)
	m.hash = time.Duration(float64(trueHash) * math.Exp2(float64(spec.Variant.Hash.Cost()-8)))
	m.speed, m.wakesUp, m.off = drifting(uint64(m.seed)), true, c.off
	m.pod = 1 + 0.005*m.chance.NormFloat64()
	m.decides = spec.TimesAgain()
	return m
}

// run runs a trial as the operator would, and judges it.
func (c *cluster) run(t *testing.T, spec v1beta1.SizingTrialSpec) (v1beta1.SizingTrialStatus, time.Duration) {
	t.Helper()
	key := fmt.Sprint(spec.Role, spec.Variant.Name, spec.Repetition, ptr.Deref(spec.OfferedMilliPerSecond, 0), ptr.Deref(spec.Load.Rates, v1beta1.RatesLoad{}))
	if status, ran := c.judged[key]; ran {
		return status, c.took[key]
	}
	m := c.machine(spec)
	in := verdict.Input{Spec: spec, Calibration: m.calibration(), Reference: c.reference}
	in.Run = ranWell(t).Run
	in.Run.Services[0].QuotaMilliCPU, in.Placement = m.quota, verdict.Placement{ServiceNodes: []string{"node-0"}, GeneratorNode: "node-1"}
	var status v1beta1.SizingTrialStatus
	judged, took := c.load(t, m, &in, &status)
	timed := timesHashes
	if spec.TimesAgain() {
		timed = timesAgain
	}
	status.Calibration, status.Result, status.Steps, status.Capacity, status.Speed = &in.Calibration, &judged.Result, judged.Steps, judged.Capacity, judged.Speed
	status.CompletionTime, status.Phase = &metav1.Time{Time: time.Unix(int64(len(c.judged)), 0)}, v1beta1.TrialSucceeded
	status.Result.TrialName = spec.Variant.Name
	if c.reference == 0 {
		c.reference = float64(judged.Speed.ReferenceHashMicrosecondsAtCost8)
	}
	c.judged[key], c.took[key] = status, took+timed+startAndDelete
	return status, c.took[key]
}

func (c *cluster) load(t *testing.T, m machine, in *verdict.Input, status *v1beta1.SizingTrialStatus) (verdict.Judgement, time.Duration) {
	t.Helper()
	if in.Spec.Role == v1beta1.RoleCalibration {
		return verdict.Calibrated(in.Spec, in.Calibration, in.Reference), 0
	}
	in.PlannedMicros = float64(speed.Planned(in.Calibration, int64(c.reference)))
	planned := speed.At(in.Calibration, in.PlannedMicros)
	status.Prediction = model.Before(in.Spec, planned)
	if model.Infeasible(in.Spec, status.Prediction) {
		return verdict.Unloaded(in.Spec, planned, status.Prediction, in.Reference), 0
	}
	whole, err := loadplan.Build(in.Spec, planned, status.Prediction)
	if err != nil {
		t.Fatal(err)
	}
	in.Run.Steps = nil
	for _, step := range whole.WithoutWarmup() {
		in.Run.Steps = append(in.Run.Steps, m.step(*in, step))
		if whole.Objective != nil && measurement.Verify(whole, in.Run.Steps).Outcome != v1beta1.VerificationUndecided {
			break
		}
	}
	in.Plan = whole.First(len(in.Run.Steps))
	in.Run.Timeline = m.timeline(in.Plan)
	if whole.Objective != nil {
		status.Verification = ptr.To(measurement.Verify(whole, in.Run.Steps))
	}
	return verdict.Judge(*in), loadplan.Duration(in.Plan)
}

// answer is what an experiment came to.
type answer struct {
	size v1beta1.Size
	took time.Duration
	// loaded are the names of the variants that were measured.
	loaded []string
	trials []v1beta1.SizingTrial
	status v1beta1.SizingExperimentStatus
}

// ask runs an experiment, with its verification.
func (c *cluster) ask(t *testing.T, spec v1beta1.SizingExperimentSpec) answer {
	t.Helper()
	e := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Name: "asked", UID: "1"}, Spec: spec}
	var a answer
	for {
		planned, err := matrix.Plan(e, 7)
		if err != nil {
			t.Fatal(err)
		}
		var trials []v1beta1.SizingTrial
		a.took, a.loaded = 0, nil
		for _, p := range planned {
			status, took := c.run(t, p.Spec)
			trial := v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Name: p.Spec.Variant.Name}, Spec: p.Spec, Status: status}
			if p.Spec.Role == v1beta1.RoleVerification {
				trial.Name = p.Name
			}
			trials = append(trials, trial)
			a.took += took
			if p.Spec.Role != v1beta1.RoleCalibration && p.Spec.Role != v1beta1.RoleVerification {
				a.loaded = append(a.loaded, p.Spec.Variant.Name)
			}
		}
		for i := range e.Status.Verifications {
			sizing.Verified(&e.Status.Verifications[i], &trials[len(trials)-len(e.Status.Verifications)+i])
		}
		if err := sizing.Conclude(spec, trials, &e.Status); err != nil {
			t.Fatal(err)
		}
		load, more, err := sizing.Decide(spec, trials, &e.Status)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range e.Status.Predictions {
			if without := p.P95Microseconds == nil; p.CapacityMilliPerSecond != nil && without != (more && !load.Also) {
				t.Errorf("%s is predicted without p95: %t, although another load is needed: %t", p.Variant, without, more)
			}
		}
		next, verify := sizing.NextVerification(e, trials)
		switch {
		case more:
			e.Status.Decision.Loads = append(e.Status.Decision.Loads, load)
		case verify:
			e.Status.Verifications = append(e.Status.Verifications, next)
		default:
			a.size, a.trials, a.status = e.Status.Recommendation.Size, trials, e.Status
			return a
		}
	}
}

// questionFrom draws a demand: 1 to 200 logins per second, a minimum cost, and for two of three a limit of the CPU.
func questionFrom(chance *rand.Rand, measure v1beta1.Measure) v1beta1.SizingExperimentSpec {
	spec := v1beta1.SizingExperimentSpec{
		Matrix:      v1beta1.Matrix{Costs: []int32{8, 9, 10, 11, 12}[:runs(5, 4)], Measure: measure},
		Service:     v1beta1.Service{Replicas: 1},
		Objective:   v1beta1.Objective{P95Milliseconds: 1000},
		Load:        v1beta1.Load{StepSeconds: 10, WarmupSeconds: ptr.To[int32](3), RequestTimeoutSeconds: 10},
		Repetitions: ptr.To[int32](1),
	}
	limits := []string{"500m", "1", "250m", "750m"}
	for _, limit := range limits[:runs(4, 2)] {
		spec.Matrix.CPULimits = append(spec.Matrix.CPULimits, intstr.Parse(limit))
	}
	rate := int32(math.Ceil(math.Exp(chance.Float64() * math.Log(200))))
	spec.Demand = &v1beta1.Demand{
		LoginsPerSecond: intstr.FromInt32(rate), HeadroomPercent: ptr.To[int32](30), MinimumCost: ptr.To(8 + chance.Int32N(4)),
		Verify: []v1beta1.Verify{v1beta1.VerifyNone, v1beta1.VerifyReplica}[chance.IntN(2)],
	}
	if chance.IntN(3) > 0 {
		spec.Demand.MaxTotalCPU = ptr.To(intstr.FromInt32(1 + chance.Int32N(2+rate)))
	}
	return spec
}

// truth returns the true capacity of one replica of a size.
func (c *cluster) truth(t *testing.T, spec v1beta1.SizingExperimentSpec, size v1beta1.Size) float64 {
	t.Helper()
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(variants, func(v v1beta1.Variant) bool { return v.Name == size.Variant })
	trial := v1beta1.SizingTrialSpec{Variant: variants[i], Service: spec.Service, Load: spec.Load, Objective: spec.Objective, Seed: 7, Repetition: 1}
	m := c.machine(trial)
	m.pod = 1
	return m.capacity(verdict.Input{Spec: trial, Calibration: m.calibration()}, 1)
}

// Over random questions on simulated drifting machines, a decision recommends what measuring every variant does, or
// nearly, and the size carries its demand, also if all predictions of p95 are off.
func TestADecisionIsWhatMeasuringAllRecommends(t *testing.T) {
	// Answers of one machine rest on the same measurements, so that few are asked on each.
	const machines, questions = 50, 8
	biases := []float64{1.15, 1, 0.85}
	if !*whole {
		biases = []float64{biases[rand.IntN(len(biases))]} // logged with the answers
	}
	for _, bias := range biases {
		var mutex sync.Mutex
		var asked, same, near, carried, missed, misled, loads int
		var took, all time.Duration
		var logRatios float64
		each(runs(machines, 1), func(seed int64) {
			c := newCluster(seed, bias)
			chance := rand.New(rand.NewPCG(uint64(seed), 6))
			for range runs(questions, 4) {
				spec := questionFrom(chance, v1beta1.MeasureDecision)
				decided := c.ask(t, spec)
				spec.Matrix.Measure = v1beta1.MeasureAll
				measured := c.ask(t, spec)
				required := 1.3 * float64(spec.Demand.MilliPerSecond()) / 1000
				carries := decided.size.Variant == "" || float64(decided.size.Replicas)*c.truth(t, spec, decided.size) >= 0.98*required
				mutex.Lock()
				asked, loads, took, all = asked+1, loads+len(decided.loaded), took+decided.took, all+measured.took
				if decided.size.Variant == measured.size.Variant {
					same, logRatios = same+1, logRatios+math.Log(float64(max(1, decided.size.Replicas))/float64(max(1, measured.size.Replicas)))
				}
				if within(decided.size, measured.size) {
					near++
				} else {
					t.Logf("seed %d, %s/s: %d×%s, measuring all says %d×%s", seed, spec.Demand.LoginsPerSecond.String(),
						decided.size.Replicas, decided.size.Variant, measured.size.Replicas, measured.size.Variant)
				}
				switch {
				case decided.size.Variant == measured.size.Variant || !better(measured.size, decided.size):
				case slices.Contains(decided.loaded, measured.size.Variant):
					misled++ // its two measurements differ, as those of any variant do
				default:
					missed++
					t.Logf("seed %d, %s/s: %d×%s, and %d×%s is better, which was not measured", seed, spec.Demand.LoginsPerSecond.String(),
						decided.size.Replicas, decided.size.Variant, measured.size.Replicas, measured.size.Variant)
				}
				if carries {
					carried++
				}
				mutex.Unlock()
			}
		})
		replicas := math.Exp(logRatios / float64(max(1, same)))
		t.Logf("p95 × %g: of %d answers %d are the variant of All, with %.3f times its replicas, %d are within one step, %d carry the demand, %d miss a better variant, %d more after measuring it; %.2f loads, %s instead of %s",
			bias, asked, same, replicas, near, carried, missed, misled, float64(loads)/float64(asked), took/time.Duration(asked), all/time.Duration(asked))
		slack := 0.0
		if !*whole {
			slack = 2
		}
		if n := float64(asked); float64(carried) < 0.98*n-slack || float64(near) < 0.95*n-slack || float64(missed) > 0.02*n+slack || float64(misled) > 0.05*n+slack || replicas > 1.01+slack/20 {
			t.Errorf("p95 × %g: of %d answers %d carry the demand, %d are near that of All, with %.3f times its replicas, %d miss a better variant, and %d more after measuring it",
				bias, asked, carried, near, replicas, missed, misled)
		}
	}
}

// Between loads a decision predicts only what decides; at its end, after its verification, it has all predictions.
func TestADecisionEndsWithAllPredictions(t *testing.T) {
	spec := questionFrom(rand.New(rand.NewPCG(1, 1)), v1beta1.MeasureDecision)
	spec.Matrix.Costs, spec.Matrix.CPULimits = []int32{8, 10}, spec.Matrix.CPULimits[:2]
	spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MinimumCost: ptr.To[int32](8), Verify: v1beta1.VerifyReplica}
	a := newCluster(1, 1).ask(t, spec)
	want, _ := prediction.Of(spec, matrix.Timed(a.trials), a.status.Results, nil)
	if diff := cmp.Diff(want, a.status.Predictions, cmpopts.IgnoreFields(v1beta1.PredictedVariant{}, "Sizing", "Price")); diff != "" || len(a.status.Verifications) == 0 {
		t.Errorf("predictions after %d verifications (-want +got):\n%s", len(a.status.Verifications), diff)
	}
	if inMatrix := 4 - len(a.loaded); len(want) <= inMatrix {
		t.Errorf("%d predictions, none beyond the matrix", len(want))
	}
}

// within reports whether two sizes are the same but for one replica, or one step of the cost or of the CPU limit.
func within(a, b v1beta1.Size) bool {
	if a.Variant == b.Variant {
		return max(a.Replicas-b.Replicas, b.Replicas-a.Replicas) <= 1+max(a.Replicas, b.Replicas)/10
	}
	x, _ := matrix.MilliCPU(a.CPULimit)
	y, _ := matrix.MilliCPU(b.CPULimit)
	costs := max(a.Cost-b.Cost, b.Cost-a.Cost)
	return costs <= 1 && max(x-y, y-x) == 0 || costs == 0 && max(x-y, y-x) <= 250
}

// better reports whether a size is one that a demand would prefer to another: a stronger hash, or the same for less CPU.
func better(a, b v1beta1.Size) bool {
	if a.Variant == "" || b.Variant == "" {
		return a.Variant != "" && b.Variant == ""
	}
	x, y := intstr.Parse(a.TotalCPU), intstr.Parse(b.TotalCPU)
	mine, _ := matrix.MilliCPU(x.String())
	others, _ := matrix.MilliCPU(y.String())
	return a.Cost > b.Cost || a.Cost == b.Cost && mine < others
}

// The minutes from the first trial to a verified answer, at 5 logins per second with 30 % headroom, for matrices of several sizes.
func TestHowLongAnAnswerTakes(t *testing.T) {
	sizes := []struct {
		costs  []int32
		limits []string
	}{
		{[]int32{8, 10}, []string{"500m", "1"}},
		{[]int32{9, 10, 11}, []string{"250m", "500m", "750m", "1"}},
		{[]int32{8, 9, 10, 11, 12}, []string{"250m", "500m", "750m", "1"}},
		{[]int32{6, 7, 8, 9, 10, 11, 12, 13}, []string{"250m", "375m", "500m", "625m", "750m", "875m", "1", "2"}},
	}
	for _, size := range sizes[:runs(len(sizes), 1)] {
		spec := questionFrom(rand.New(rand.NewPCG(1, 1)), "")
		spec.Matrix = v1beta1.Matrix{Costs: size.costs}
		for _, limit := range size.limits {
			spec.Matrix.CPULimits = append(spec.Matrix.CPULimits, intstr.Parse(limit))
		}
		spec.Demand = &v1beta1.Demand{
			LoginsPerSecond: intstr.FromInt32(5), HeadroomPercent: ptr.To[int32](30), MinimumCost: ptr.To[int32](10),
			MaxTotalCPU: ptr.To(intstr.FromInt32(1)), Verify: v1beta1.VerifyReplica,
		}
		minutes := map[v1beta1.Measure]float64{}
		for _, measure := range []v1beta1.Measure{v1beta1.MeasureDecision, v1beta1.MeasureCorners, v1beta1.MeasureAll} {
			for seed := range int64(runs(5, 1)) {
				spec.Matrix.Measure = measure
				a := newCluster(seed, 1).ask(t, spec)
				minutes[measure] = max(minutes[measure], a.took.Minutes())
				t.Logf("%d variants, %s, machine %d: %d×%s after %.1f minutes and %d loads", len(size.costs)*len(size.limits), measure, seed, a.size.Replicas, a.size.Variant, a.took.Minutes(), len(a.loaded))
			}
		}
		if decision, all := minutes[v1beta1.MeasureDecision], minutes[v1beta1.MeasureAll]; decision > 6 || decision > 0.8*all {
			t.Errorf("%d variants: a decision takes %.1f minutes, and measuring all %.1f", len(size.costs)*len(size.limits), decision, all)
		}
	}
}
