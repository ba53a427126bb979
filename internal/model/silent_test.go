package model_test

import (
	"slices"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
)

// At 95 % load, a step of ten seconds that counts from its first login on shows seven tenths
// of the true p95, because its queue is still growing. The longest settling of a plan, 30 s,
// recovers only a third of the difference. So no step with a fixed share of the bound has such
// a high load.
func TestP95OfAnUnsettledStepFlatters(t *testing.T) {
	const runs = 200
	pool := model.Service{Lanes: 1, Pooled: true, Hash: 14 * time.Millisecond}
	offered := 0.95 * pool.MaxPerSecond()
	truth, ok := pool.SteadyP95(offered, false, 7)
	if !ok {
		t.Fatal("a pool with an unlimited queue lost logins")
	}
	pooled := func(settling time.Duration) float64 {
		step := loadplan.Step{
			Kind: loadplan.Open, Arrivals: "Poisson", CountedMilliseconds: 10_000, Requests: int(10 * offered),
			SettleMilliseconds: settling.Milliseconds(), SettleRequests: int(settling.Seconds() * offered),
		}
		var all []time.Duration
		for run := range runs {
			all = append(all, pool.Latencies(model.Redrawn(step, run), 0, 1)...)
		}
		slices.Sort(all)
		return float64(all[len(all)*95/100]) / float64(truth)
	}
	if from0, settled := pooled(0), pooled(30*time.Second); from0 > 0.75 || settled < from0+0.08 {
		t.Errorf("p95 from the first login on is %.2f of the true one, after settling %.2f", from0, settled)
	}
}
