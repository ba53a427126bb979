//go:build k6

package generator_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// TestAVerificationEndsAsSoonAsItIsDecided runs k6 with a plan of three steps with 100
// logins each. A hundred logins decide if all are fast, and if all are slow.
func TestAVerificationEndsAsSoonAsItIsDecided(t *testing.T) {
	plan := loadplan.Plan{
		Version: loadplan.Version, TimeoutMilliseconds: 2000,
		Objective: &v1beta1.Objective{P95Milliseconds: 500, MaxErrorPerMille: ptr.To[int32](50)},
		Steps:     []loadplan.Step{openAt(100, 1, true), openAt(100, 1, false), openAt(100, 1, false)},
	}
	for i := range plan.Steps {
		plan.Steps[i].StartMilliseconds = int64(i) * (plan.Steps[0].EndMilliseconds() + 100)
		plan.Steps[i].Seed, plan.Steps[i].Callers = uint32(2*i), 130
	}
	var count atomic.Int64
	for name, test := range map[string]struct {
		takes func() time.Duration
		steps int
		want  v1beta1.VerificationOutcome
	}{
		"fast":         {func() time.Duration { return time.Millisecond }, 1, v1beta1.VerificationMet},
		"slow":         {func() time.Duration { return 650 * time.Millisecond }, 1, v1beta1.VerificationFailed},
		"in twentieth": {func() time.Duration { return time.Duration(1+count.Add(1)%20/19*649) * time.Millisecond }, 3, v1beta1.VerificationUndecided},
	} {
		t.Run(name, func(t *testing.T) {
			var came atomic.Int64
			run, _ := driveForReal(t, plan, func(w http.ResponseWriter, _ *http.Request) {
				came.Add(1)
				<-time.After(test.takes())
				_, _ = w.Write([]byte("{}"))
			}, nil)
			counts := measurement.Verify(plan, run.Steps)
			if len(run.Steps) != test.steps || counts.Outcome != test.want || counts.Logins != int64(100*test.steps) {
				t.Errorf("%d steps, %+v; want %d, %s", len(run.Steps), counts, test.steps, test.want)
			}
			// Each step has 50 settling logins, and the next step sends a few.
			if most := int64(150*test.steps + 40); came.Load() > most {
				t.Errorf("%d logins were sent, want at most %d", came.Load(), most)
			}
			for i, step := range run.Steps {
				if step.Generator == nil || step.NeverSent > 0 || step.Cut > 0 {
					t.Errorf("step %d: %+v", i, step)
				}
			}
		})
	}
}
