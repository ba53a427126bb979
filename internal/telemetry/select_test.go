package telemetry_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// busy returns more experiments than have series, in no order.
func busy() []v1beta1.SizingExperiment {
	since := func(phase v1beta1.ExperimentPhase, start, end time.Duration) func(*v1beta1.SizingExperiment) {
		return func(e *v1beta1.SizingExperiment) {
			e.Status.Phase = phase
			if start != 0 {
				e.Status.StartTime = at(-start)
			}
			if end != 0 {
				e.Status.CompletionTime = at(-end)
			}
			e.CreationTimestamp = *at(-start - time.Hour)
		}
	}
	return []v1beta1.SizingExperiment{
		asked("ended-early", since(v1beta1.ExperimentSucceeded, 9*time.Hour, 8*time.Hour)),
		asked("waits-shorter", func(e *v1beta1.SizingExperiment) { e.CreationTimestamp = *at(-time.Minute) }),
		asked("runs", since(v1beta1.ExperimentRunning, time.Hour, 0)),
		asked("ended-late", since(v1beta1.ExperimentFailed, 5*time.Hour, 2*time.Hour)),
		asked("suspended", since(v1beta1.ExperimentSuspended, 2*time.Hour, 0)),
		asked("waits", func(e *v1beta1.SizingExperiment) {
			e.Status.Phase, e.CreationTimestamp = v1beta1.ExperimentQueued, *at(-time.Hour)
		}),
	}
}

func TestSelectPrefersRunningExperiments(t *testing.T) {
	want := []string{"suspended", "runs", "waits", "waits-shorter", "ended-late", "ended-early"}
	for most := range len(want) + 2 {
		selected, left := telemetry.Select(busy(), most)
		var names []string
		for _, e := range selected {
			names = append(names, e.Name)
		}
		n := min(most, len(want))
		if diff := cmp.Diff(want[:n], names, cmpEmpty); diff != "" || left != len(want)-n {
			t.Errorf("of at most %d, %d are left out; selected (-want +got):\n%s", most, left, diff)
		}
	}
}

// cmpEmpty makes nil and empty slices equal.
var cmpEmpty = cmp.Transformer("empty", func(names []string) []string { return append([]string{}, names...) })

func TestLeftOutExperimentsAreOnlyCounted(t *testing.T) {
	s := clinic()
	s.MaxExperiments = 1
	samples := telemetry.Of(s)
	if got := value(t, samples, "hashmark_experiments_left_out"); got != 4 {
		t.Errorf("%v are left out, want 4", got)
	}
	if got := value(t, samples, "hashmark_experiments", "Succeeded"); got != 3 {
		t.Errorf("%v have succeeded, want 3: those left out are counted", got)
	}
	for _, sample := range samples {
		if slices.Contains(sample.Values, "hashes") || slices.Contains(sample.Values, "later") {
			t.Errorf("%s %v belongs to an experiment that is left out", sample.Series.Name, sample.Values)
		}
	}
}

// value returns the value of the sample with these label values.
func value(t *testing.T, samples []telemetry.Sample, name string, values ...string) float64 {
	t.Helper()
	for _, sample := range samples {
		if sample.Series.Name == name && (len(values) == 0 || slices.Equal(sample.Values, values)) {
			return sample.Value
		}
	}
	t.Fatalf("%s %v has no sample", name, values)
	return 0
}

// has reports whether any sample of a series has a label with the value.
func has(samples []telemetry.Sample, name, value string) bool {
	return slices.ContainsFunc(samples, func(s telemetry.Sample) bool {
		return s.Series.Name == name && slices.Contains(s.Values, value)
	})
}
