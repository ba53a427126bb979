package verdict_test

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
)

// verifiedRuns runs a simulated service at a rate, in the steps of a verification, until
// its logins decide, and counts the outcomes. The logins of a queue depend on each other,
// which the confidence bounds ignore.
func verifiedRuns(service model.Service, perSecond float64, limit time.Duration, runs int) map[v1beta1.VerificationOutcome]int {
	objective := v1beta1.Objective{P95Milliseconds: int32(limit.Milliseconds()), MaxErrorPerMille: ptr.To[int32](10)}
	plan := loadplan.Plan{Objective: &objective}
	for _, logins := range []int{500, 725, 1775} {
		plan.Steps = append(plan.Steps, loadplan.Step{
			Kind: loadplan.Open, Arrivals: "Poisson", Requests: logins, CountedMilliseconds: int64(1000 * float64(logins) / perSecond),
			SettleMilliseconds: 30_000, SettleRequests: int(30 * perSecond),
		})
	}
	outcomes := map[v1beta1.VerificationOutcome]int{}
	for run := range runs {
		var steps []measurement.StepResult
		outcome := v1beta1.VerificationUndecided
		for i, step := range plan.Steps {
			slower := int64(0)
			for _, latency := range service.Latencies(model.Redrawn(step, 10*run+i), float64(run%10)/10, uint64(run)) {
				if latency > limit {
					slower++
				}
			}
			steps = append(steps, measurement.StepResult{StepResult: handover.StepResult{Scheduled: int64(step.Requests), OK: int64(step.Requests), SlowerThanP95: &slower}})
			if outcome = measurement.Verify(plan, steps).Outcome; outcome != v1beta1.VerificationUndecided {
				break
			}
		}
		outcomes[outcome]++
	}
	return outcomes
}

// A service with the load of a size with 30 % headroom is Met. One with a load above its
// capacity is seldom Met, although p95 of 500 logins of a queue varies widely.
func TestAVerificationIsRightOfServicesThatQueue(t *testing.T) {
	const runs = 200
	for name, service := range map[string]model.Service{
		"a worker on a CPU":      {Replicas: 1, Lanes: 1, Pooled: true, Hash: 50 * time.Millisecond},
		"a worker on half a CPU": {Replicas: 1, Lanes: 1, Pooled: true, Hash: 50 * time.Millisecond, QuotaMilliCPU: 500},
	} {
		limit := 8 * service.NoLoadP95()
		capacity := service.NewOutlook(false, 7).Capacity(model.Limit{P95: limit, ErrorShare: 0.01})
		for share, met := range map[float64]struct{ fewest, most int }{
			0.77: {198, runs}, 0.9: {190, runs}, 1.1: {0, 20}, 1.15: {0, 4},
		} {
			got := verifiedRuns(service, share*capacity, limit, runs)
			t.Logf("%s at %.2f of its capacity: %v", name, share, got)
			if n := got[v1beta1.VerificationMet]; n < met.fewest || n > met.most {
				t.Errorf("%s at %.2f of its capacity is Met %d times, want %d to %d", name, share, n, met.fewest, met.most)
			}
		}
	}
}
