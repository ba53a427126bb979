package measurement_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

var update = flag.Bool("update", false, "write the goldens anew")

// ordinary returns a run of two steps as in a small experiment. The first is reported.
func ordinary() measurement.Run {
	underWay := make([]int64, measurement.UnderWayPoints)
	for i := range underWay {
		underWay[i] = int64(i % 5)
	}
	return measurement.Run{
		K6Version: "v1.8.1", GoVersion: "go1.26.8", Reported: 0,
		Generator: &measurement.Container{BootID: "11111111-2222-3333-4444-555555555555", Cpuset: "1", QuotaMilliCPU: 500, GoMaxProcs: 1},
		Services: []measurement.ServicePod{{
			Container: measurement.Container{BootID: "11111111-2222-3333-4444-555555555555", Cpuset: "0", GoMaxProcs: 1},
			Workers:   1, QueueLength: 40, MemoryPeakKiB: 11_264,
		}},
		UnderWay: underWay, IdleHashNanoseconds: 97_531_000,
		Companions: []handover.CompanionUse{{Name: "database", CPUPerLoginMicroseconds: 1702, BusiestPerMille: 103, MemoryPeakBytes: number(81_788_928)}},
		// 100 ms times the 1.0125th to the power of -1, 0, 2 and 31.
		Timeline: &measurement.Timeline{
			Window:          time.Second,
			HashNanoseconds: []int64{98_765_432, 0, 100_000_000, 102_515_625, 100_000_000, 146_975_853},
		},
		Steps: []measurement.StepResult{
			{
				CountedMicroseconds: 10_000_000, StepResult: handover.StepResult{Scheduled: 100, OK: 96, Refused: 1, TimedOut: 1, OtherErrors: 1, Cut: 1, ThroughputMilliPerSecond: number(9_700),
					Latencies:       &handover.Histogram{BucketsPerDoubling: 256, Buckets: []int32{2288, 2289, 2290, 2900}, Counts: []int64{1, 2, 90, 3}},
					P50Microseconds: number(71_234), P95Microseconds: number(556_001), MaxMicroseconds: number(780_000),
					P50Interval:             &handover.Interval{LowMicroseconds: 71_234 - 5*712, HighMicroseconds: 71_234 + 11*712},
					P95Interval:             &handover.Interval{LowMicroseconds: 430_000, HighMicroseconds: 780_000},
					StartLagP95Microseconds: number(350), StartLagP99Microseconds: number(1_200),
					FirstHalfP50Microseconds: number(69_776), SecondHalfP50Microseconds: number(73_336),
					LongestPauseMicroseconds: number(1_020_000), ReplicaSpreadPerMille: number(987),
					Alive: &handover.Alive{Probes: 10, P95Microseconds: number(4_000)}},
				SentInWindow: 99, CompletedInWindow: 97,
				Service: &evidence.Delta{
					ElapsedMicroseconds: 10_004_000, CPUMicroseconds: 5_820_000, Periods: 100, ThrottledPeriods: 61,
					ThrottledMicroseconds: 3_100_000, Hashes: 98, TimedHashes: 97, HashMicroseconds: 5_723_392, Refused: 1, Abandoned: 1,
					IdleMicroseconds: 4_100_000, StealMicroseconds: 10_000, BusyMicroseconds: 5_900_000,
				},
				Generator:                 &evidence.Delta{ElapsedMicroseconds: 10_000_000, CPUMicroseconds: 310_000, Periods: 100},
				ServiceInFlightAfterDrain: number(0),
			},
			{
				CountedMicroseconds: 5_000_000, StepResult: handover.StepResult{Scheduled: 50, NeverSent: 50},
			},
		},
	}
}

// spread returns a histogram of a number of logins in many buckets.
func spread(logins int64, perDoubling, buckets int32) *handover.Histogram {
	h := &handover.Histogram{BucketsPerDoubling: perDoubling}
	for i := range buckets {
		h.Buckets, h.Counts = append(h.Buckets, 1000+2*i), append(h.Counts, 1)
	}
	h.Counts[0] += logins - int64(buckets)
	return h
}

// widest returns a run with the largest numbers that the API allows in each step: 2,000
// logins a second for half an hour, latencies of a minute, 64 CPUs for each of ten
// replicas, and a timeline with all windows. The counts of generator and service differ by
// the number of callers.
func widest(steps, services int) measurement.Run {
	const halfAnHour, scheduled = 1800_000_000, 3_600_000
	const fifth, callers = int64(scheduled / 6), 2_000
	run := ordinary()
	run.Companions = nil
	run.Services = nil
	for range services {
		run.Services = append(run.Services, measurement.ServicePod{
			Container: measurement.Container{BootID: "11111111-2222-3333-4444-555555555555", Cpuset: "0-63", QuotaMilliCPU: 64_000, GoMaxProcs: 64},
			Workers:   64, QueueLength: 10_000, MemoryPeakKiB: 64 << 20,
		})
	}
	run.Timeline = &measurement.Timeline{Window: 100 * time.Second}
	for i := range measurement.MostWindows {
		run.Timeline.HashNanoseconds = append(run.Timeline.HashNanoseconds, int64(59_000_000_000+i%2*10_340_573_002))
	}
	run.Steps = nil
	for range steps {
		run.Steps = append(run.Steps, measurement.StepResult{
			CountedMicroseconds: halfAnHour, StepResult: handover.StepResult{Scheduled: scheduled,
				OK: fifth, Refused: fifth, TimedOut: fifth, OtherErrors: fifth, Cut: fifth, NeverSent: fifth, ThroughputMilliPerSecond: number((fifth - callers) * 1_000_000_000 / halfAnHour),
				P50Microseconds: number(15_000_000), P95Microseconds: number(30_000_000), P99Microseconds: number(45_000_000),
				MaxMicroseconds:         number(60_000_000),
				P50Interval:             &handover.Interval{LowMicroseconds: 0, HighMicroseconds: 60_000_000},
				P95Interval:             &handover.Interval{LowMicroseconds: 15_000_000, HighMicroseconds: 60_000_000},
				P99Interval:             &handover.Interval{LowMicroseconds: 0, HighMicroseconds: 60_300_000},
				StartLagP95Microseconds: number(30_000_000), StartLagP99Microseconds: number(60_000_000),
				FirstHalfP50Microseconds: number(1_050_000), SecondHalfP50Microseconds: number(60_000_000),
				Alive: &handover.Alive{Probes: int64(services) * 1_800, Failed: int64(services) * 1_800, FailedInARow: 1_800}},
			SentInWindow: fifth, CompletedInWindow: fifth - callers,
			Service: &evidence.Delta{
				ElapsedMicroseconds: int64(services) * halfAnHour, CPUMicroseconds: 640 * halfAnHour,
				Periods: int64(services) * 18_000, ThrottledPeriods: int64(services) * 18_000, ThrottledMicroseconds: int64(services) * halfAnHour,
				Hashes: fifth + callers, TimedHashes: fifth / 2, HashMicroseconds: 1 << 40, Refused: fifth + callers, Abandoned: fifth,
				IdleMicroseconds: 10 * halfAnHour, StealMicroseconds: halfAnHour, BusyMicroseconds: 641 * halfAnHour,
			},
			Generator: &evidence.Delta{
				ElapsedMicroseconds: halfAnHour + 10_000_000, CPUMicroseconds: 64 * halfAnHour,
				Periods: 18_100, ThrottledPeriods: 18_100, ThrottledMicroseconds: halfAnHour,
			},
			ServiceInFlightAfterDrain: number(callers),
		})
		run.Steps[len(run.Steps)-1].Latencies = spread(fifth, 128, 60)
		// The saturation's throughput does not follow from its completions.
		if len(run.Steps) == steps {
			run.Steps[steps-1].ThroughputMilliPerSecond = number(2_000_000)
		}
	}
	if steps > 0 {
		run.Steps[run.Reported].Latencies = spread(fifth, 256, 200)
	}
	return run
}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	bare := ordinary()
	bare.Generator, bare.Services, bare.UnderWay, bare.Reported = nil, nil, nil, -1
	bare.Steps = bare.Steps[1:]
	anonymous := ordinary()
	anonymous.Generator = &measurement.Container{}
	for name, run := range map[string]measurement.Run{
		"an ordinary run": ordinary(),
		"a run without evidence or a reported step": bare,
		"a run with an empty generator":             anonymous,
		"a run without steps":                       {Reported: -1},
		"the widest run":                            widest(20, 1),
	} {
		t.Run(name, func(t *testing.T) {
			got := handedOver(t, run)
			for i := range run.Steps {
				if got.Steps[i].Latencies == nil || got.Steps[i].Latencies.BucketsPerDoubling < 128 {
					run.Steps[i].Latencies = got.Steps[i].Latencies
				}
			}
			if got.UnderWay == nil {
				run.UnderWay = nil
			}
			if diff := cmp.Diff(run, got); diff != "" {
				t.Errorf("what was read differs from what was written (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFormatOfTheMessage(t *testing.T) {
	got, err := measurement.Encode(ordinary())
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "ordinary.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the format changed; another format needs another version (-want +got):\n%s", diff)
	}
}

// The medians of halves are rounded to the nearest hundredth of the median, and its interval outward.
func TestLatenciesRelativeToTheMedianAreRoundedToHundredths(t *testing.T) {
	run := ordinary()
	step := &run.Steps[0]
	step.P50Microseconds, step.P50Interval = number(60_050), &handover.Interval{LowMicroseconds: 59_999, HighMicroseconds: 61_300}
	step.FirstHalfP50Microseconds, step.SecondHalfP50Microseconds = number(50_000), number(90_001)
	got := handedOver(t, run).Steps[0]
	if first, second := *got.FirstHalfP50Microseconds, *got.SecondHalfP50Microseconds; first != 83*600 || second != 150*600 {
		t.Errorf("the medians of the halves are %d and %d µs", first, second)
	}
	if want := (handover.Interval{LowMicroseconds: 60_050 - 600, HighMicroseconds: 60_050 + 3*600}); *got.P50Interval != want {
		t.Errorf("the interval is %+v, want %+v", *got.P50Interval, want)
	}
}

func TestMessagesFitWhatKubeletKeeps(t *testing.T) {
	twenty := widest(20, 1)
	twenty.UnderWay, twenty.Timeline, twenty.Generator, twenty.Services = nil, nil, nil, nil
	for i := range twenty.Steps {
		twenty.Steps[i].Latencies = nil
	}
	message, err := measurement.Encode(twenty)
	if err != nil {
		t.Fatal(err)
	}
	if len(message) > 3600 {
		t.Errorf("twenty of the widest steps take %d bytes, more than 3,600", len(message))
	}
	uneven := widest(24, 1)
	for i := range uneven.Steps {
		uneven.Steps[i].LongestPauseMicroseconds, uneven.Steps[i].ReplicaSpreadPerMille = number(60_000_000), number(10_000)
	}
	for i := range 3 {
		uneven.Companions = append(uneven.Companions, handover.CompanionUse{Name: fmt.Sprintf("a-long-name-%04d", i), CPUPerLoginMicroseconds: 3_600_000_000, BusiestPerMille: 100_000, MemoryPeakBytes: number(1 << 50)})
	}
	for name, run := range map[string]measurement.Run{
		"24 steps with pauses, and three companions": uneven,
		"twenty steps, one pod":                      widest(20, 1),
		"twenty steps, ten pods":                     widest(20, 10),
		"the plan's most steps, 24":                  widest(24, 1),
		"an ordinary run in every part":              ordinary(),
	} {
		message, err := measurement.Encode(run)
		if err != nil || len(message) > measurement.MaxBytes {
			t.Errorf("%s: %d bytes, error %v", name, len(message), err)
		}
	}
	if _, err := measurement.Encode(widest(40, 1)); err == nil {
		t.Error("forty of the widest steps cannot fit: want an error")
	}
}

func TestEncodeRefusesNumbersThatCannotBe(t *testing.T) {
	for name, damage := range map[string]func(*measurement.StepResult){
		"a count below zero":                   func(s *measurement.StepResult) { s.OK, s.Scheduled = -1, 3 },
		"counts that don't add up":             func(s *measurement.StepResult) { s.Scheduled++ },
		"more sent than scheduled":             func(s *measurement.StepResult) { s.SentInWindow = s.Scheduled + 1 },
		"p95 below p50":                        func(s *measurement.StepResult) { s.P95Microseconds = number(1) },
		"p99 of the lag below its p95":         func(s *measurement.StepResult) { s.StartLagP99Microseconds = number(1) },
		"an interval that reaches below zero":  func(s *measurement.StepResult) { s.P50Interval.LowMicroseconds = -800 },
		"an interval without p95":              func(s *measurement.StepResult) { s.P95Microseconds = nil },
		"an interval above p95":                func(s *measurement.StepResult) { s.P95Interval.LowMicroseconds = 600_000 },
		"a number that is too large":           func(s *measurement.StepResult) { s.MaxMicroseconds = number(1 << 60) },
		"a number of hashes that is too large": func(s *measurement.StepResult) { s.Service.Hashes = 1 << 55 },
	} {
		run := ordinary()
		damage(&run.Steps[0])
		if message, err := measurement.Encode(run); err == nil {
			t.Errorf("%s: no error, but\n%s", name, message)
		}
	}
}

func TestDamagedMessages(t *testing.T) {
	whole, err := measurement.Encode(ordinary())
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		message string
		want    error
	}{
		"no message":                       {"", measurement.ErrAbsent},
		"a message of white space":         {" \n\n", measurement.ErrAbsent},
		"a message without its start":      {whole[40:], measurement.ErrInvalid},
		"a message without its end":        {whole[:len(whole)-20], measurement.ErrInvalid},
		"only the first line of a message": {whole[:strings.Index(whole, "\n")+1], measurement.ErrInvalid},
		"a message of another version":     {strings.Replace(whole, "hashmark/", "hashmark/9", 1), measurement.ErrInvalid},
		"output of another program":        {"panic: runtime error: index out of range", measurement.ErrInvalid},
		"bytes that are not text":          {"\xff\xfe\x00\x01", measurement.ErrInvalid},
		"a message that is too long":       {whole + strings.Repeat("x", 5000), measurement.ErrInvalid},
		"something after the message":      {whole + "more", measurement.ErrInvalid},
		"a message twice in one":           {whole + whole, measurement.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := measurement.Decode(test.message); !errors.Is(err, test.want) {
				t.Errorf("want %v, got %v", test.want, err)
			}
		})
	}
	for i := range len(whole) - 1 {
		damaged := []byte(whole)
		damaged[i] ^= 1
		if _, err := measurement.Decode(string(damaged)); err == nil {
			t.Errorf("byte %d (%q) was changed: want an error", i, whole[i])
		}
	}
	if _, err := measurement.Decode(strings.TrimSpace(whole)); err != nil {
		t.Errorf("a message with its end trimmed: %v", err)
	}
}

// A load that an earlier version of the generator drives during an upgrade has a result.
func TestACompanionOfAnEarlierGeneratorHasNoMemory(t *testing.T) {
	run := ordinary()
	message, err := measurement.Encode(run)
	if err != nil {
		t.Fatal(err)
	}
	got, err := measurement.Decode(measurement.Seal(strings.Replace(body(message), "103 81788928", "103", 1)))
	run.Companions[0].MemoryPeakBytes = nil
	if diff := cmp.Diff(run.Companions, got.Companions); err != nil || diff != "" {
		t.Errorf("error %v; companions (-want +got):\n%s", err, diff)
	}
}

// TestMessagesThatContradictThemselves uses messages with a valid checksum and invalid
// content.
func TestMessagesThatContradictThemselves(t *testing.T) {
	message, err := measurement.Encode(ordinary())
	if err != nil {
		t.Fatal(err)
	}
	whole := body(message)
	for name, text := range map[string]string{
		"a companion twice":                 strings.Replace(whole, "companion ", "companion database 1 1\ncompanion ", 1),
		"a companion without a name":        strings.Replace(whole, "companion database", "companion ", 1),
		"a companion without numbers":       strings.Replace(whole, "companion database 1702 103 81788928", "companion database 1702", 1),
		"a companion below zero":            strings.Replace(whole, "companion database 1702", "companion database -1", 1),
		"a companion that is too busy":      strings.Replace(whole, "companion database 1702 103", "companion database 1702 100001", 1),
		"a companion of too much memory":    strings.Replace(whole, "103 81788928", "103 1125899906842625", 1),
		"a companion with a long name":      strings.Replace(whole, "companion database", "companion databasedatabased", 1),
		"four companions":                   strings.Replace(whole, "companion ", "companion a 1 1\ncompanion b 1 1\ncompanion c 1 1\ncompanion ", 1),
		"a step is missing":                 whole[:strings.LastIndex(whole, "step ")],
		"there is a step too many":          strings.Replace(whole, "steps=2", "steps=1", 1),
		"a missing step is reported":        strings.Replace(whole, "reported=0", "reported=2", 1),
		"no number of steps":                strings.Replace(whole, "steps=2", "steps=two", 1),
		"no exit code":                      strings.Replace(whole, "exit=0", "", 1),
		"an invalid version":                strings.Replace(whole, "k6=v1.8.1", "k6=v1=8", 1),
		"a line of an unknown kind":         whole + "more words\n",
		"numbers that are not base64url":    strings.Replace(whole, "step ", "step !", 1),
		"a timeline of two words":           strings.Replace(whole, "speed 1000 ", "speed ", 1),
		"two timelines":                     whole + "speed 1000 5 g\n",
		"two idle hash times":               whole + "idle 5\n",
		"an idle hash of no time":           strings.Replace(whole, "idle 97531000", "idle 0", 1),
		"an idle hash of more than an hour": strings.Replace(whole, "idle 97531000", "idle 3600000000001", 1),
		"windows of length 0":               strings.Replace(whole, "speed 1000 ", "speed 0 ", 1),
		"windows of half a second":          strings.Replace(whole, "speed 1000 ", "speed 1500 ", 1),
		"windows of more than an hour":      strings.Replace(whole, "speed 1000 ", "speed 3601000 ", 1),
		"windows of a number with a sign":   strings.Replace(whole, "speed 1000 ", "speed +1000 ", 1),
		"a hash time of 0":                  strings.Replace(whole, " 100000000 fAgig_", " 0 fAgig_", 1),
		"a hash of more than an hour":       strings.Replace(whole, " 100000000 fAgig_", " 3600000000001 fAgig_", 1),
		"an invalid speed level":            strings.Replace(whole, " fAgig_", " fAgig+", 1),
		"a timeline without a window":       strings.Replace(whole, " fAgig_", " ", 1),
		"a timeline of unknown windows":     strings.Replace(whole, " fAgig_", " AA", 1),
		"a median that is another window":   strings.Replace(whole, " fAgig_", " fAgii_", 1),
		"a timeline of too many windows":    strings.Replace(whole, " fAgig_", " "+strings.Repeat("g", 513), 1),
		"too many numbers":                  strings.Replace(whole, "\nspeed", "AAAA\nspeed", 1),
		"too few numbers":                   strings.Replace(whole, "underway AAIC", "underway AA", 1),
		"a container without its CPUs":      strings.Replace(whole, " 1 500 1\n", " 1 500\n", 1),
		"a quota below zero":                strings.Replace(whole, " 1 500 1\n", " 1 -500 1\n", 1),
		"values of another version":         strings.Replace(whole, "\nstep AIg", "\nstep gIAB", 1),
		"it is longer than kubelet keeps":   whole + strings.Repeat("service - - 0 0 0 0 0\n", 300),
		"a failure without a reason":        "hashmark/6 failure= exit=1\n",
		"a failure with an invalid reason":  "hashmark/6 failure=%-~ exit=1\n",
		"a failure without an exit code":    "hashmark/6 failure=K6Failed\n",
		"a failure with a stray line":       "hashmark/6 failure=K6Failed exit=1\nno detail\n",
	} {
		t.Run(name, func(t *testing.T) {
			if text == whole {
				t.Fatal("the message was not changed")
			}
			if _, err := measurement.Decode(measurement.Seal(text)); !errors.Is(err, measurement.ErrInvalid) {
				t.Errorf("want ErrInvalid, got %v", err)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	long := strings.Repeat("a line of k6's stderr\n", 500) + "the last words"
	for name, test := range map[string]struct {
		detail string
		check  func(*measurement.Failure) bool
	}{
		"a few lines are complete":  {"one\n\ntwo\n", func(f *measurement.Failure) bool { return f.Detail == "one\n\ntwo" }},
		"many lines keep their end": {long, func(f *measurement.Failure) bool { return strings.HasSuffix(f.Detail, "stderr\nthe last words") }},
		"a long line keeps its end": {strings.Repeat("é", 9000) + "!", func(f *measurement.Failure) bool {
			return strings.HasSuffix(f.Detail, "é!") && len(f.Detail) > 4000
		}},
		"no detail":               {"", func(f *measurement.Failure) bool { return f.Detail == "" }},
		"bytes that are not text": {"a\xffb", func(f *measurement.Failure) bool { return f.Detail == "a\ufffdb" }},
		"characters that control a terminal": {"a\x1b[31m\u009b\u202eb\u2028c\r\nd\x00", func(f *measurement.Failure) bool {
			return f.Detail == "a\ufffd[31m\ufffd\ufffdb\ufffdc\ufffd\nd\ufffd"
		}},
		"a line that looks like the last": {"end 00000000\nhashmark/6", func(f *measurement.Failure) bool { return strings.HasPrefix(f.Detail, "end 0") }},
	} {
		t.Run(name, func(t *testing.T) {
			message := measurement.EncodeFailure(handover.ScriptError, test.detail, 107)
			if len(message) > measurement.MaxBytes {
				t.Errorf("the message takes %d bytes", len(message))
			}
			_, err := measurement.Decode(message)
			var failure *measurement.Failure
			if !errors.As(err, &failure) {
				t.Fatalf("want a failure, got %v\n%s", err, message)
			}
			if failure.Reason != handover.ScriptError || failure.ExitCode != 107 || !test.check(failure) {
				t.Errorf("got %+v", failure)
			}
		})
	}
}

// FuzzDecode looks for messages that panic, and for messages that decode to a run that
// changes when it is encoded again.
func FuzzDecode(f *testing.F) {
	for _, run := range []measurement.Run{ordinary(), widest(20, 1), {Reported: -1}} {
		message, err := measurement.Encode(run)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body(message))
	}
	f.Add(body(measurement.EncodeFailure(handover.K6Failed, "why", 1)))
	f.Fuzz(func(t *testing.T, text string) {
		// With a random checksum, nothing would pass the first check.
		message := measurement.Seal(text)
		run, err := measurement.Decode(message)
		if err != nil {
			return
		}
		again, err := measurement.Encode(run)
		if err != nil {
			return // numbers that a message can have but no generator writes
		}
		got, err := measurement.Decode(again)
		if err != nil {
			t.Fatalf("%v\nread %q\nwrote %q", err, message, again)
		}
		for i := range run.Steps { // the message was longer, because a decoded one need not be the shortest
			if a, b := run.Steps[i].Latencies, got.Steps[i].Latencies; a != nil && (b == nil || b.BucketsPerDoubling < a.BucketsPerDoubling) {
				run.Steps[i].Latencies, got.Steps[i].Latencies = nil, nil
			}
		}
		if got.UnderWay == nil {
			run.UnderWay = nil
		}
		if diff := cmp.Diff(run, got); diff != "" {
			t.Fatalf("the run changed when it was encoded again (-first +second):\n%s", diff)
		}
	})
}

func body(message string) string { return message[:strings.LastIndex(message, "end ")] }

// A load that k6 did not run, or that failed before it, has no exit code to tell.
func TestAFailureNamesTheExitCodeIfThereIsOne(t *testing.T) {
	for want, failure := range map[string]measurement.Failure{
		"the load failed: LoginFailed: 401":         {Reason: handover.LoginFailed, Detail: "401"},
		"the load failed: K6Failed (exit code 107)": {Reason: handover.K6Failed, ExitCode: 107},
	} {
		if got := failure.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
