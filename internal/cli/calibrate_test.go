package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// virtual returns a machine on which a hash of cost 8 takes at8, multiplied by what slower
// returns for the current time. Time passes only while it hashes.
func virtual(at8 time.Duration, slower func(time.Duration) float64) *machine {
	var now time.Duration
	return &machine{
		wall: func() time.Duration { return now },
		cpu:  func() (time.Duration, error) { return now, nil },
		prepare: func(cost int32) (func() error, error) {
			took := at8 * time.Duration(1<<cost) / (1 << referenceCost)
			return func() error {
				now += time.Duration(slower(now) * float64(took))
				return nil
			}, nil
		},
	}
}

// driftsAlong is a speed that changes by some percent every two seconds.
func driftsAlong(now time.Duration) float64 {
	course := []float64{1, 1.02, 0.97, 1.05, 0.99}
	return course[int(now/(2*time.Second))%len(course)]
}

// calibrating runs a command line without a cluster, on a machine on which a hash of
// cost 8 takes 14 ms.
func calibrating(t *testing.T, ctx context.Context, arguments ...string) (out, errOut string, code int) {
	t.Helper()
	return calibratingOn(ctx, virtual(14*time.Millisecond, driftsAlong), arguments...)
}

func calibratingOn(ctx context.Context, on *machine, arguments ...string) (out, errOut string, code int) {
	var stdout, stderr bytes.Buffer
	p := Program{Streams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr}, machine: on}
	code = p.Run(ctx, append([]string{"calibrate"}, arguments...))
	return stdout.String(), stderr.String(), code
}

func TestCalibrateWithoutACluster(t *testing.T) {
	out, errOut, code := calibrating(t, t.Context(), "--costs", "12,10", "--rate", "20", "--p95", "300ms", "--max-total-cpu", "8")
	if code != ExitMet {
		t.Errorf("exit code %d: %s", code, errOut)
	}
	golden(t, "calibrate.txt", errOut+out)
}

func TestCalibrateWithoutARateRecommendsNothing(t *testing.T) {
	out, errOut, code := calibrating(t, t.Context(), "--costs", "10", "-o", "json")
	var got answer
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != ExitMet {
		t.Fatalf("exit code %d, %v: %s", code, err, errOut)
	}
	if got.Recommendation != nil || len(got.Predictions) != len(predictedLimits) || len(got.HashTimes) != 1 {
		t.Errorf("%d hash times, %d predictions, recommendation %v", len(got.HashTimes), len(got.Predictions), got.Recommendation)
	}
	if hash := got.HashTimes[0]; hash.HashMicroseconds < 54_000 || hash.HashMicroseconds > 58_800 || hash.LowMicroseconds >= hash.HighMicroseconds {
		t.Errorf("cost 10 takes %+v, want 56 ms and the drift of the machine", hash)
	}
	for _, p := range got.Predictions {
		if p.CapacityMilliPerSecond == nil || *p.CapacityMilliPerSecond > p.BoundMilliPerSecond {
			t.Errorf("%s carries %v, and its CPU %d", p.Variant, p.CapacityMilliPerSecond, p.BoundMilliPerSecond)
		}
	}
}

func TestCalibrateExitCodeIfNothingServesTheRate(t *testing.T) {
	out, errOut, code := calibrating(t, t.Context(), "--costs", "12", "--rate", "20", "--p95", "100ms")
	if code != ExitNotMet || !strings.Contains(out, "cost 12") {
		t.Errorf("exit code %d: %s\n%s", code, errOut, out)
	}
}

// Each cost is timed once. If the speed changes between two of them, their batch means
// differ, and an interval made from these would cover everything.
func TestCalibrateOnACPUThatBecomesSlower(t *testing.T) {
	becomesSlower := virtual(14*time.Millisecond, func(now time.Duration) float64 {
		if now > 30*time.Second {
			return 1.04
		}
		return 1
	})
	out, errOut, code := calibratingOn(t.Context(), becomesSlower, "--costs", "8,10", "--rate", "20", "-o", "json")
	var got answer
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != ExitMet || len(got.HashTimes) != 2 {
		t.Fatalf("exit code %d, %v: %s", code, err, errOut)
	}
	for _, hash := range got.HashTimes {
		if 20*hash.ErrorMicroseconds > hash.HashMicroseconds {
			t.Errorf("cost %d takes %d ± %d µs, want an error below 5 %%", hash.Hash.Cost(), hash.HashMicroseconds, hash.ErrorMicroseconds)
		}
	}
}

func TestCalibrateNamesCostsWithoutPrediction(t *testing.T) {
	out, errOut, code := calibrating(t, t.Context(), "--costs", "4,10")
	if code != ExitMet || !strings.Contains(errOut, "Cost 4 is not predicted") || strings.Contains(out, "c4-") {
		t.Errorf("exit code %d: %s\n%s", code, errOut, out)
	}
	if out, errOut, code := calibrating(t, t.Context(), "--costs", "4", "--rate", "20"); code != ExitFailed || !strings.Contains(errOut, "nothing can be predicted") || out != "" {
		t.Errorf("exit code %d: %s\n%s", code, errOut, out)
	}
}

func TestCalibrateLeavesOutSlowCosts(t *testing.T) {
	out, errOut, code := calibratingOn(t.Context(), virtual(200*time.Millisecond, driftsAlong), "--costs", "9,16", "--duration", "5s")
	if code != ExitMet || !strings.Contains(errOut, "Cost 16 is left out") || strings.Contains(out, "c16-") || !strings.Contains(out, "c9-1") {
		t.Errorf("exit code %d: %s\n%s", code, errOut, out)
	}
}

func TestCalibrateRefusesInvalidFlags(t *testing.T) {
	for name, c := range map[string]struct{ arguments, says string }{
		"a cost that is too high": {"--costs 10,17", "--costs names 17: the bcrypt cost must be between 4 and 16"},
		"a cost twice":            {"--costs 10,10", "--costs names 10 twice"},
		"a moment":                {"--duration 1s", "--duration 1s: must be between 5s and 1h0m0s"},
		"headroom of no rate":     {"--headroom 50", "set --rate to the logins per second to serve"},
		"a rate of nothing":       {"--rate 0", "must be above 0 and at most 1000000"},
		"an unknown format":       {"-o html", "html"},
		"an argument":             {"login-sizing", "unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, code := calibrating(t, t.Context(), strings.Fields(c.arguments)...)
			if code != ExitFailed || !strings.Contains(errOut, c.says) || out != "" {
				t.Errorf("exit code %d, want %q, got %q", code, c.says, errOut)
			}
		})
	}
}

func TestCalibrateCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, _, code := calibrating(t, ctx, "--costs", "10"); code != ExitFailed || out != "" {
		t.Errorf("exit code %d, printed %q", code, out)
	}
}
