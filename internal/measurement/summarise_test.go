package measurement_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

const ms = time.Millisecond

func us(d time.Duration) *int64 { v := d.Microseconds(); return &v }

func number(v int64) *int64 { return &v }

// open is a step from 1 s to 5 s: one second of settling with 10 logins, two of
// counting with 100, one of drain.
func open() loadplan.Step {
	return loadplan.Step{
		Kind: loadplan.Open, StartMilliseconds: 1000, SettleMilliseconds: 1000, CountedMilliseconds: 2000,
		DrainMilliseconds: 1000, SettleRequests: 10, Requests: 100, Callers: 8, Reported: true,
	}
}

func plan(steps ...loadplan.Step) loadplan.Plan {
	return loadplan.Plan{Version: loadplan.Version, TimeoutMilliseconds: 1000, Steps: steps}
}

// steady are the logins of open(), evenly spaced, each sent a millisecond late
// and answered after (10 + index) ms from its due time, counted ones from 0 on.
func steady() []measurement.Record {
	var records []measurement.Record
	for i := range 110 {
		due := 1000*ms + time.Duration(i)*100*ms
		latency := 10 * ms
		if i >= 10 {
			due = 2000*ms + time.Duration(i-10)*20*ms
			latency = time.Duration(i) * ms
		}
		records = append(records, measurement.Record{
			Index: i, Due: due, Sent: due + ms, Ended: due + latency, Outcome: measurement.OK,
		})
	}
	return records
}

// change copies the records and alters some.
func change(records []measurement.Record, alter func([]measurement.Record) []measurement.Record) []measurement.Record {
	return alter(append([]measurement.Record(nil), records...))
}

func between(low, high time.Duration) *handover.Interval {
	return &handover.Interval{LowMicroseconds: low.Microseconds(), HighMicroseconds: high.Microseconds()}
}

func TestOpenStep(t *testing.T) {
	whole := measurement.StepResult{
		CountedMicroseconds: 2_000_000,
		StepResult: handover.StepResult{
			Scheduled: 100, OK: 100, ThroughputMilliPerSecond: number(47_500),
			P50Microseconds: us(59 * ms), P95Microseconds: us(104 * ms), P99Microseconds: us(108 * ms),
			MaxMicroseconds:          us(109 * ms),
			P50Interval:              between(49*ms, 70*ms),
			P95Interval:              between(99*ms, 109*ms),
			FirstHalfP50Microseconds: us(34 * ms), SecondHalfP50Microseconds: us(84 * ms),
			StartLagP95Microseconds: us(ms), StartLagP99Microseconds: us(ms),
			// A login is due every 20 ms, and takes 1 ms longer than the one before.
			LongestPauseMicroseconds: us(21 * ms),
		}, SentInWindow: 100,
		// The last five are answered after the counted part: they were due 20 to
		// 100 ms before its end and took 105 to 109 ms.
		CompletedInWindow: 95,
	}
	with := func(alter func(*measurement.StepResult)) measurement.StepResult {
		result := whole
		alter(&result)
		return result
	}
	tests := map[string]struct {
		records []measurement.Record
		want    measurement.StepResult
	}{
		"a step in which every login succeeds": {steady(), whole},
		"the settling part's logins are not counted, whatever their outcome": {
			change(steady(), func(r []measurement.Record) []measurement.Record {
				r[3].Outcome = measurement.OtherError
				return r
			}), whole,
		},
		"a failed login counts as slower than every success": {
			change(steady(), func(r []measurement.Record) []measurement.Record {
				r[10].Outcome, r[11].Outcome = measurement.Refused, measurement.TimedOut
				return r
			}), with(func(s *measurement.StepResult) {
				s.OK, s.Refused, s.TimedOut = 98, 1, 1
				s.CompletedInWindow, s.ThroughputMilliPerSecond = 93, number(46_500)
				s.P50Microseconds, s.P95Microseconds, s.P99Microseconds = us(61*ms), us(106*ms), nil
				s.P50Interval = between(51*ms, 72*ms)
				s.FirstHalfP50Microseconds = us(36 * ms)
				// Rank 100 is a failure, so p95 has no upper bound.
				s.P95Interval = nil
			}),
		},
		"p95 is nil when more than 5 % failed, and the maximum is not": {
			change(steady(), func(r []measurement.Record) []measurement.Record {
				for i := 10; i < 16; i++ {
					r[i].Outcome = measurement.OtherError
				}
				return r
			}), with(func(s *measurement.StepResult) {
				s.OK, s.OtherErrors = 94, 6
				s.CompletedInWindow, s.ThroughputMilliPerSecond = 89, number(44_500)
				s.P50Microseconds, s.P95Microseconds, s.P99Microseconds, s.P95Interval = us(65*ms), nil, nil, nil
				s.P50Interval = between(55*ms, 76*ms)
				s.FirstHalfP50Microseconds = us(40 * ms)
			}),
		},
		"few logins have no percentiles of latency, but a start lag": {
			steady()[:29], measurement.StepResult{
				CountedMicroseconds: 2_000_000, StepResult: handover.StepResult{Scheduled: 100, OK: 19, NeverSent: 81, ThroughputMilliPerSecond: number(9_500), MaxMicroseconds: us(28 * ms),
					StartLagP95Microseconds: us(ms), StartLagP99Microseconds: us(ms)}, SentInWindow: 19,
				CompletedInWindow: 19,
			},
		},
		"a half with fewer than 20 successes has no median": {
			change(steady(), func(r []measurement.Record) []measurement.Record {
				for i := 60; i < 91; i++ {
					r[i].Outcome = measurement.Refused
				}
				return r
			}), with(func(s *measurement.StepResult) {
				s.OK, s.Refused = 69, 31
				s.CompletedInWindow, s.ThroughputMilliPerSecond = 64, number(32_000)
				s.P50Microseconds, s.P95Microseconds, s.P99Microseconds, s.P95Interval = us(59*ms), nil, nil, nil
				s.P50Interval = between(49*ms, 101*ms)
				s.SecondHalfP50Microseconds = nil
			}),
		},
		"a login that was never sent counts in the half in which it was due": {
			change(steady(), func(r []measurement.Record) []measurement.Record { return append(r[:62], r[66:]...) }),
			with(func(s *measurement.StepResult) {
				s.OK, s.NeverSent, s.SentInWindow = 96, 4, 96
				s.CompletedInWindow, s.ThroughputMilliPerSecond = 91, number(45_500)
				s.P95Microseconds, s.P99Microseconds, s.P95Interval = us(108*ms), nil, nil
				s.P50Interval = between(49*ms, 74*ms)
				s.SecondHalfP50Microseconds = us(88 * ms)
				s.LongestPauseMicroseconds = us(25 * ms) // since the third of the logins after those four was sent
			}),
		},
		"a login without a record was never sent": {
			change(steady(), func(r []measurement.Record) []measurement.Record { return append(r[:20], r[21:]...) }),
			with(func(s *measurement.StepResult) {
				s.OK, s.NeverSent, s.SentInWindow = 99, 1, 99
				s.CompletedInWindow, s.ThroughputMilliPerSecond = 94, number(47_000)
				s.P50Microseconds, s.P95Microseconds, s.P99Microseconds = us(60*ms), us(105*ms), us(109*ms)
				s.P50Interval = between(50*ms, 71*ms)
				s.FirstHalfP50Microseconds = us(35 * ms)
				s.P95Interval = nil
			}),
		},
		"a failure that comes once the drain is over is a login cut off": {
			change(steady(), func(r []measurement.Record) []measurement.Record {
				r[50].Outcome, r[50].Ended = measurement.OtherError, 5000*ms
				r[51].Outcome, r[51].Ended = measurement.Cut, 0
				return r
			}), with(func(s *measurement.StepResult) {
				s.OK, s.Cut = 98, 2
				s.CompletedInWindow, s.ThroughputMilliPerSecond = 93, number(46_500)
				s.P95Microseconds, s.P99Microseconds, s.P95Interval = us(106*ms), nil, nil
				s.P50Microseconds, s.P50Interval = us(61*ms), between(49*ms, 72*ms)
			}),
		},
		"a login sent a little late at the very end counts as offered": {
			change(steady(), func(r []measurement.Record) []measurement.Record {
				r[109].Sent = 4019 * ms // due at 3980 ms
				return r
			}), whole,
		},
		"a login sent after the counted part keeps its wait in its latency and its lag": {
			change(steady(), func(r []measurement.Record) []measurement.Record {
				r[109].Sent, r[109].Ended = 4100*ms, 4200*ms // due at 3980 ms
				return r
			}), with(func(s *measurement.StepResult) {
				s.SentInWindow = 99
				s.MaxMicroseconds = us(220 * ms)
				s.P95Interval = between(99*ms, 220*ms)
			}),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := measurement.Summarise(plan(open()), test.records)
			if err != nil {
				t.Fatal(err)
			}
			var counted int64
			for _, count := range got.Steps[0].Latencies.Counts {
				counted += count
			}
			if counted != test.want.OK {
				t.Errorf("%d logins are in the histogram, of %d", counted, test.want.OK)
			}
			got.Steps[0].Latencies = nil
			if diff := cmp.Diff([]measurement.StepResult{test.want}, got.Steps); diff != "" {
				t.Errorf("the step differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClosedStepsCountWhatWasSentInTheWindowFromSending(t *testing.T) {
	step := loadplan.Step{Kind: loadplan.Closed, SettleMilliseconds: 1000, CountedMilliseconds: 2000, DrainMilliseconds: 1000, Callers: 1}
	var records []measurement.Record
	for i := range 30 { // one caller, an answer every 100 ms
		sent := time.Duration(i) * 100 * ms
		records = append(records, measurement.Record{Index: i, Due: sent, Sent: sent, Ended: sent + 100*ms, Outcome: measurement.OK})
	}
	want := measurement.StepResult{
		CountedMicroseconds: 2_000_000, StepResult: handover.StepResult{Scheduled: 20, OK: 20, ThroughputMilliPerSecond: number(10_000),
			P50Microseconds: us(100 * ms), P95Microseconds: us(100 * ms), P99Microseconds: us(100 * ms), MaxMicroseconds: us(100 * ms),
			P50Interval: between(100*ms, 100*ms),
			Latencies:   &handover.Histogram{BucketsPerDoubling: 128, Buckets: []int32{1347}, Counts: []int64{20}}}, SentInWindow: 20,
		// The login sent at 900 ms is answered at 1,000 ms: a response in the window to a
		// login of the settling part. The last response is at the end of the window.
		CompletedInWindow: 20,
	}
	got, err := measurement.Summarise(plan(step), records)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]measurement.StepResult{want}, got.Steps); diff != "" {
		t.Errorf("the step differs (-want +got):\n%s", diff)
	}

	step.Kind = loadplan.Saturation
	// A third of the login that was sent before the window is now in it. The last one is
	// answered at its end, and is completely in it.
	records[9].Ended += 50 * ms
	got, err = measurement.Summarise(plan(step), records)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(number(10_167), got.Steps[0].ThroughputMilliPerSecond); diff != "" {
		t.Errorf("a saturation counts logins by their share of the window (-want +got):\n%s", diff)
	}

	got, err = measurement.Summarise(plan(step), records[:10])
	if err != nil {
		t.Fatal(err)
	}
	if rate := got.Steps[0].ThroughputMilliPerSecond; rate != nil {
		t.Errorf("want no rate from one completion, got %d", *rate)
	}
}

func TestTheWarmUpIsLeftOutAndTheReportedStepIsPointedTo(t *testing.T) {
	warmup := loadplan.Step{Kind: loadplan.Warmup, CountedMilliseconds: 500, Requests: 5}
	records := steady()
	for i := range records {
		records[i].Step = 1
	}
	got, err := measurement.Summarise(plan(warmup, open()), records)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Steps) != 1 || got.Reported != 0 || got.Steps[0].OK != 100 {
		t.Errorf("want the open step alone, reported; got %d steps, reported %d", len(got.Steps), got.Reported)
	}
	if h := got.Steps[0].Latencies; h == nil || h.BucketsPerDoubling != 256 || len(got.UnderWay) != measurement.UnderWayPoints {
		t.Error("the reported step has no fine histogram or no requests under way")
	}
	unreported := open()
	unreported.Reported = false
	got, err = measurement.Summarise(plan(warmup, unreported), records)
	if err != nil {
		t.Fatal(err)
	}
	if got.Reported != -1 || got.Steps[0].Latencies.BucketsPerDoubling != 128 || got.UnderWay != nil {
		t.Errorf("no step is reported, got %d with requests under way or a fine histogram", got.Reported)
	}
}

func TestRecordsThatContradictThePlanAreGarbled(t *testing.T) {
	tests := map[string]func(*measurement.Record){
		"a step that the plan does not have": func(r *measurement.Record) { r.Step = 1 },
		"a step below zero":                  func(r *measurement.Record) { r.Step = -1 },
		"a login above the step's last one":  func(r *measurement.Record) { r.Index = 110 },
		"a login below zero":                 func(r *measurement.Record) { r.Index = -1 },
		"a login that is recorded twice":     func(r *measurement.Record) { r.Index = 0 },
		"a login sent before it was due":     func(r *measurement.Record) { r.Sent = r.Due - 1 },
		"a login that ended before its send": func(r *measurement.Record) { r.Ended = r.Sent - 1 },
	}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			records := steady()
			damage(&records[42])
			if _, err := measurement.Summarise(plan(open()), records); !errors.Is(err, measurement.ErrRecords) {
				t.Errorf("want ErrRecords, got %v", err)
			}
		})
	}
}

func TestFiguresDoNotDependOnTheOrderAndCountsAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		records := steady()[:random.IntN(111)]
		for i := range records {
			records[i].Outcome = measurement.Outcome(random.IntN(5))
			records[i].Ended += time.Duration(random.IntN(3000)) * ms
		}
		want, err := measurement.Summarise(plan(open()), records)
		if err != nil {
			t.Fatal(err)
		}
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		got, err := measurement.Summarise(plan(open()), records)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the result depends on the order (-want +got):\n%s", diff)
		}
		s := got.Steps[0]
		if sum := s.OK + s.Refused + s.TimedOut + s.OtherErrors + s.Cut + s.NeverSent; s.Scheduled != 100 || sum != 100 {
			t.Fatalf("scheduled %d, the sum of outcomes %d, want 100", s.Scheduled, sum)
		}
	}
}
