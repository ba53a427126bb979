package verdict_test

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Whatever a generator hands over, the judgement is consistent: the verdict is that of the
// worst reason, the bracket's ends are in order, and more evidence against a run never
// makes its verdict better.
func FuzzJudgementsHoldTogether(f *testing.F) {
	f.Add(uint8(0), int64(100), int64(0), int64(0), int64(200_000), int64(2_000), int64(24_500), int64(500), "0", "1", true)
	f.Add(uint8(1), int64(0), int64(50), int64(99), int64(0), int64(9_000_000), int64(0), int64(0), "", "0-7", false)
	f.Add(uint8(2), int64(19), int64(3), int64(0), int64(5_000_000), int64(0), int64(90_000), int64(505), "x", "x", true)
	f.Fuzz(func(t *testing.T, mode uint8, ok, refused, neverSent, p95, lag, rate, quota int64, serviceCPUs, generatorCPUs string, known bool) {
		for _, n := range []*int64{&ok, &refused, &neverSent, &p95, &lag, &rate, &quota} {
			*n = int64(uint64(*n) % 100_000_000)
		}
		w := ranWell(t, [](func(*v1beta1.SizingTrialSpec)){func(*v1beta1.SizingTrialSpec) {}, atRates(1, 20, 50), withUsers(1, 8)}[mode%3])
		w.Run.Services[0].Cpuset, w.Run.Services[0].QuotaMilliCPU, w.Run.Generator.Cpuset = serviceCPUs, quota, generatorCPUs
		disturbed := &w.Run.Steps[int(ok)%len(w.Run.Steps)]
		disturbed.OK, disturbed.Refused, disturbed.NeverSent = ok, refused, neverSent
		disturbed.Scheduled, disturbed.SentInWindow, disturbed.CompletedInWindow = ok+refused+neverSent, ok, ok
		disturbed.P95Microseconds, disturbed.StartLagP95Microseconds, disturbed.ThroughputMilliPerSecond = &p95, &lag, &rate
		disturbed.P95Interval = &handover.Interval{LowMicroseconds: p95 / 2, HighMicroseconds: p95 * 2}
		if !known {
			disturbed.P95Microseconds, disturbed.P95Interval, disturbed.Service, disturbed.Generator = nil, nil, nil, nil
		}
		judged := w.judge()
		checkWorst(t, judged.Result)
		checkBracket(t, judged.Capacity)

		w.Placement.Altered = []string{"another image"}
		if worse := w.judge().Result.Verdict; worse != invalid {
			t.Errorf("an altered pod made %s of %s", worse, judged.Result.Verdict)
		}
	})
}

func checkWorst(t *testing.T, row v1beta1.VariantResult) {
	t.Helper()
	rank := map[v1beta1.Verdict]int{"": 0, fine: 0, suspect: 1, invalid: 2}
	worst, kinds := fine, map[string]bool{}
	for _, r := range row.Reasons {
		if rank[r.Verdict] > rank[worst] {
			worst = r.Verdict
		}
		if kinds[r.Type] || r.Message == "" || len([]rune(r.Message)) > 512 {
			t.Errorf("reason %s is repeated, empty or too long: %q", r.Type, r.Message)
		}
		kinds[r.Type] = true
	}
	if row.Verdict != worst {
		t.Errorf("verdict is %s, its worst reason %s", row.Verdict, worst)
	}
}

func checkBracket(t *testing.T, c *v1beta1.Capacity) {
	t.Helper()
	if c == nil {
		return
	}
	met, failed := ptr.Deref(c.HighestMetMilliPerSecond, 0), ptr.Deref(c.LowestFailedMilliPerSecond, 1<<62)
	if met >= failed {
		t.Errorf("%d met the objective, and %d did not", met, failed)
	}
	if c.MilliPerSecond == nil {
		return
	}
	answer := *c.MilliPerSecond
	if answer < met || answer >= failed {
		t.Errorf("capacity %d is outside the measured range, %d to %d", answer, met, failed)
	}
	if between := c.Interval; between != nil && (answer < between.LowMilliPerSecond || answer > between.HighMilliPerSecond) {
		t.Errorf("capacity %d is outside its interval %+v", answer, between)
	}
	if c.Message == "" || len([]rune(c.Message)) > 512 {
		t.Errorf("the message is empty or too long: %q", c.Message)
	}
}
