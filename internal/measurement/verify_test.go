package measurement

import (
	"math"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// counting returns the result of a step of a verification.
func counting(logins, slower, failed int64) StepResult {
	return StepResult{StepResult: handover.StepResult{Scheduled: logins, OK: logins - failed, SlowerThanP95: ptr.To(slower)}}
}

func TestVerify(t *testing.T) {
	// allowing returns a plan with a look after each of these numbers of logins.
	allowing := func(perMille int32, looks ...int) loadplan.Plan {
		plan := loadplan.Plan{Objective: &v1beta1.Objective{P95Milliseconds: 500, MaxErrorPerMille: &perMille}}
		for _, logins := range looks {
			plan.Steps = append(plan.Steps, loadplan.Step{Kind: loadplan.Open, Requests: logins})
		}
		return plan
	}
	three := []int{500, 1000, 1500}
	saturated := allowing(10, three...)
	saturated.Steps = append([]loadplan.Step{{Kind: loadplan.Saturation}}, saturated.Steps...)
	tests := map[string]struct {
		plan  loadplan.Plan
		steps []StepResult
		want  v1beta1.VerificationOutcome
	}{
		"10 ‰ failures: 500 fast logins are met at the first look": {allowing(10, three...), []StepResult{counting(500, 0, 0)}, v1beta1.VerificationMet},
		"321 are, too":                  {allowing(10, three...), []StepResult{counting(321, 0, 0)}, v1beta1.VerificationMet},
		"320 are not":                   {allowing(10, three...), []StepResult{counting(320, 0, 0)}, v1beta1.VerificationUndecided},
		"the saturation does not count": {saturated, []StepResult{counting(40, 40, 40), counting(321, 0, 0)}, v1beta1.VerificationMet},
		"nor does it alone":             {saturated, []StepResult{counting(40, 40, 40)}, v1beta1.VerificationUndecided},
		"299 are at the only look":      {allowing(10, 299), []StepResult{counting(299, 0, 0)}, v1beta1.VerificationMet},
		"298 are not even then":         {allowing(10, 298), []StepResult{counting(298, 0, 0)}, v1beta1.VerificationUndecided},
		"1 ‰ failures: 500 are not met": {allowing(1, three...), []StepResult{counting(500, 0, 0)}, v1beta1.VerificationUndecided},
		"3,000 are at the last look, since no early look can be met": {
			allowing(1, three...), []StepResult{counting(500, 0, 0), counting(1000, 0, 0), counting(1500, 0, 0)}, v1beta1.VerificationMet,
		},
		"but not with a failure": {
			allowing(1, three...), []StepResult{counting(500, 0, 0), counting(1000, 1, 1), counting(1500, 0, 0)}, v1beta1.VerificationUndecided,
		},
		"undecided if an early look can be met": {
			allowing(1, 4603, 100), []StepResult{counting(3000, 0, 0), counting(100, 0, 0)}, v1beta1.VerificationUndecided,
		},
		"no failures allowed, and none failed":        {allowing(0, three...), []StepResult{counting(500, 0, 0)}, v1beta1.VerificationMet},
		"no failures allowed, and one failed":         {allowing(0, three...), []StepResult{counting(500, 1, 1)}, v1beta1.VerificationFailed},
		"20 slow ones of 500 are undecided":           {allowing(10, three...), []StepResult{counting(500, 20, 0)}, v1beta1.VerificationUndecided},
		"12 slow ones of 500 are met":                 {allowing(10, three...), []StepResult{counting(500, 12, 0)}, v1beta1.VerificationMet},
		"35 are undecided because failures count too": {allowing(10, three...), []StepResult{counting(500, 35, 0)}, v1beta1.VerificationUndecided},
		"45 slow ones of 500 fail":                    {allowing(10, three...), []StepResult{counting(500, 45, 0)}, v1beta1.VerificationFailed},
		"20 failed ones of 500 fail":                  {allowing(10, three...), []StepResult{counting(500, 20, 20)}, v1beta1.VerificationFailed},
		"the logins of all steps count":               {allowing(50, three...), []StepResult{counting(500, 20, 0), counting(1000, 30, 0)}, v1beta1.VerificationMet},
		"nothing was sent":                            {allowing(10, three...), nil, v1beta1.VerificationUndecided},
		"every login was slow":                        {allowing(10, three...), []StepResult{counting(72, 72, 0)}, v1beta1.VerificationFailed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Verify(test.plan, test.steps); got.Outcome != test.want {
				t.Errorf("%+v, want %s", got, test.want)
			}
		})
	}
}

// TestSharesAreBoundedExactly compares the bounds with the definition: the binomial
// distribution summed term by term.
func TestSharesAreBoundedExactly(t *testing.T) {
	atMost := func(k, n int, p float64) float64 {
		sum := 0.0
		for i := range k + 1 {
			sum += math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		}
		return sum
	}
	for _, n := range []int{1, 72, 500, 3000} {
		for _, k := range []int{0, 1, n / 20, n} {
			for _, chance := range []float64{0.01, 0.03, 0.05} {
				got := bounds(int64(k), int64(n), chance)
				if k < n && math.Abs(atMost(k, n, got.high)-chance) > 1e-6 {
					t.Errorf("%d of %d: at %g the probability of at most so many is %g, want %g", k, n, got.high, atMost(k, n, got.high), chance)
				}
				if k > 0 && math.Abs(1-atMost(k-1, n, got.low)-chance) > 1e-6 {
					t.Errorf("%d of %d: at %g the probability of at least so many is %g, want %g", k, n, got.low, 1-atMost(k-1, n, got.low), chance)
				}
				if k == 0 && got.low != 0 || k == n && got.high != 1 {
					t.Errorf("%d of %d: %+v", k, n, got)
				}
			}
		}
	}
}

func TestVerifyHoldsEveryPercentile(t *testing.T) {
	plan := loadplan.Plan{
		Objective: &v1beta1.Objective{P50Milliseconds: ptr.To[int32](100), P95Milliseconds: 300, P99Milliseconds: ptr.To[int32](500), MaxErrorPerMille: ptr.To[int32](10)},
		Steps:     []loadplan.Step{{Kind: loadplan.Open, Requests: 500}, {Kind: loadplan.Open, Requests: 1000}},
	}
	step := func(over50, over95, over99 int64) []StepResult {
		s := counting(500, over95, 0)
		s.SlowerThanP50, s.SlowerThanP99 = &over50, &over99
		return []StepResult{s}
	}
	for name, test := range map[string]struct {
		steps []StepResult
		want  v1beta1.VerificationOutcome
	}{
		"all are met":                       {step(200, 8, 0), v1beta1.VerificationMet},
		"the median is not":                 {step(300, 8, 0), v1beta1.VerificationFailed},
		"p95 is not":                        {step(200, 50, 0), v1beta1.VerificationFailed},
		"p99 is not":                        {step(200, 20, 18), v1beta1.VerificationFailed},
		"two slow ones leave p99 undecided": {step(200, 8, 2), v1beta1.VerificationUndecided},
	} {
		t.Run(name, func(t *testing.T) {
			got := Verify(plan, test.steps)
			if got.Outcome != test.want || got.SlowerThanP50 == nil || got.SlowerThanP99 == nil {
				t.Errorf("%+v, want %s", got, test.want)
			}
		})
	}
}
