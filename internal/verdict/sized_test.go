package verdict_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// sizedFor returns the size that the operator's own code recommends for a demand, from one
// trial on a rented machine. It has no headroom, which would hide errors.
func (m machine) sizedFor(t *testing.T, demand v1beta1.Demand) (*v1beta1.Recommendation, verdict.Input) {
	t.Helper()
	in := m.input(t)
	return concluded(t, in, verdict.Judge(in), demand).Recommendation, in
}

// concluded returns the status of an experiment with this trial alone.
func concluded(t *testing.T, in verdict.Input, judged verdict.Judgement, demand v1beta1.Demand) *v1beta1.SizingExperimentStatus {
	t.Helper()
	in.Spec.Variant.Name, in.Spec.Variant.Hash = fmt.Sprintf("c8-%s", in.Spec.Variant.CPULimit), v1beta1.BcryptHash(8)
	trial := v1beta1.SizingTrial{Spec: in.Spec, Status: v1beta1.SizingTrialStatus{
		Phase: v1beta1.TrialSucceeded, Calibration: &in.Calibration, Result: &judged.Result,
		Steps: judged.Steps, Capacity: judged.Capacity, Speed: judged.Speed,
	}}
	spec := v1beta1.SizingExperimentSpec{
		Matrix: v1beta1.Matrix{
			Costs: []int32{8}, CPULimits: []intstr.IntOrString{intstr.Parse(in.Spec.Variant.CPULimit)}, Concurrency: []v1beta1.Concurrency{in.Spec.Variant.Concurrency},
		},
		Service: in.Spec.Service, Load: in.Spec.Load, Objective: in.Spec.Objective, Demand: &demand,
	}
	status := &v1beta1.SizingExperimentStatus{}
	if err := sizing.Rows(spec, []v1beta1.SizingTrial{trial}, status); err != nil {
		t.Fatal(err)
	}
	if err := sizing.Conclude(spec, []v1beta1.SizingTrial{trial}, status); err != nil {
		t.Fatal(err)
	}
	return status
}

// drivenLength is how long the load on a size lasts. Logins of its first tenth do not
// count.
const drivenLength = 5 * time.Minute

// p95Driven returns p95 of replicas that share a rate at random, in logins per second. Each
// replica is a pod of its own on a machine with its own drift.
func (m machine) p95Driven(in verdict.Input, replicas int32, perSecond float64) time.Duration {
	var all []time.Duration
	each := perSecond / float64(replicas)
	for replica := range replicas {
		own := m
		own.pod = 1 + 0.005*m.chance.NormFloat64()
		own.speed = drifting(uint64(m.seed)*1000 + uint64(replica) + 1)
		service := own.service(in.Spec, in.Calibration, min(1, each*trueHash.Seconds()/m.cpus()))
		service.Course = own.course(0, drivenLength+time.Minute)
		arrivals := poisson(m.chance, each, drivenLength)
		all = append(all, service.Latencies(arrivals, m.chance.Float64(), uint64(replica))...)
	}
	slices.Sort(all)
	return all[int(math.Ceil(0.95*float64(len(all))))-1]
}

// poisson returns random (Poisson) arrivals.
func poisson(chance *rand.Rand, perSecond float64, length time.Duration) model.Arrivals {
	var arrivals model.Arrivals
	for at := 0.0; ; {
		at += chance.ExpFloat64() / perSecond
		due := time.Duration(at * float64(time.Second))
		if due > length {
			return arrivals
		}
		if due < length/10 {
			arrivals.Counted++
		}
		arrivals.Due = append(arrivals.Due, due)
	}
}

// A recommended size serves its demand within the objective in 95 of 100 clusters with
// random speed, pods and cost of waking up. A size that survives the loss of a replica does
// so with one replica less.
func TestARecommendedSizeCarriesItsDemandOnDriftingMachines(t *testing.T) {
	n := runs(200, 20)
	for _, survive := range []int32{0, 1} {
		var mutex sync.Mutex
		carried, sized := 0, 0
		each(n, func(seed int64) {
			m := onRentedMachine(seed)
			demand := 20 + rand.New(rand.NewPCG(uint64(seed), 3)).Int32N(200)
			size, in := m.sizedFor(t, v1beta1.Demand{
				LoginsPerSecond: intstr.FromInt32(demand), HeadroomPercent: ptr.To[int32](0), MinimumCost: ptr.To[int32](8), SurviveReplicas: ptr.To(survive),
			})
			if size.Variant == "" {
				t.Logf("seed %d: %s", seed, size.Reason)
				return
			}
			p95 := m.p95Driven(in, size.Replicas-survive, float64(demand))
			limit := time.Duration(in.Spec.Objective.P95Milliseconds) * time.Millisecond
			mutex.Lock()
			defer mutex.Unlock()
			sized++
			if p95 <= limit {
				carried++
			} else {
				t.Logf("seed %d: %d of %d replicas of %s at %d/s have a p95 of %s, want at most %s", seed, size.Replicas-survive, size.Replicas, size.Variant, demand, p95, limit)
			}
		})
		t.Logf("with %d down: %d of %d sizes carry their demand", survive, carried, sized)
		if sized < n*9/10 || float64(carried) < 0.95*float64(sized)-slackOf(sized) {
			t.Errorf("with %d down: %d of %d sizes carry their demand, of %d clusters; want 95 of 100", survive, carried, sized, n)
		}
	}
}

// slackOf is the allowed random deviation for few clusters, of which a twentieth can fail.
func slackOf(n int) float64 {
	if *whole {
		return 0
	}
	return 3 * math.Sqrt(0.05*0.95*float64(n))
}
