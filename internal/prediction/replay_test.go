package prediction_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/prediction"
)

// withRepetition adds a repetition of c10-500m. Its p95 and capacity are those of the first
// times one factor, and its CPU time is that times another. It has the same logins.
func withRepetition(t *testing.T, trials []v1alpha1.SizingTrial, times, cpu float64) []v1alpha1.SizingTrial {
	t.Helper()
	again := named(t, trials, "c10-500m").DeepCopy()
	again.Name = "again"
	again.Status.Result.Trial = again.Name
	for _, number := range []*int64{again.Status.Result.P95Microseconds, again.Status.Result.CapacityMilliPerSecond} {
		*number = int64(times * float64(*number))
	}
	for i := range again.Status.Steps {
		if service := again.Status.Steps[i].Service; service != nil {
			service.CPUMicroseconds = int64(cpu * float64(service.CPUMicroseconds))
		}
	}
	return append(slices.Clone(trials), *again)
}

// A variant's row has the longer latency and the lower capacity of two repetitions, so the
// model is compared with these. Its service is the slower one.
func TestOfTwoRepetitionsTheLessFavourableCounts(t *testing.T) {
	spec, trials := quickstart(t)
	// off returns the model's errors in p95 and in the capacity, in thousandths.
	off := func(trials []v1alpha1.SizingTrial) [2]int64 {
		_, check := predict(spec, trials)
		for _, held := range check.HeldOut {
			if held.Variant == "c10-500m" {
				return [2]int64{*held.P95PerMille, *held.CapacityPerMille}
			}
		}
		t.Fatal("c10-500m is not held out")
		return [2]int64{}
	}
	serviceOf := func(trials []v1alpha1.SizingTrial) float64 {
		service, _ := prediction.ServiceOf(spec, trials, named(t, trials, "c10-500m").Spec.Variant)
		return service.Hash.Seconds()
	}
	one := off(trials)
	got := [][2]int64{off(withRepetition(t, trials, 1.25, 1)), off(withRepetition(t, trials, 0.8, 1))}
	want := [][2]int64{{(1000+one[0])*4/5 - 1000, one[1]}, {one[0], (1000+one[1])*5/4 - 1000}}
	within := cmp.Comparer(func(a, b int64) bool { return a-b <= 1 && b-a <= 1 })
	if diff := cmp.Diff(want, got, within); diff != "" {
		t.Errorf("errors of the model with a higher repetition, and with a lower one (-want +got):\n%s", diff)
	}
	if slower, same := serviceOf(withRepetition(t, trials, 1, 1.5))/serviceOf(trials), serviceOf(withRepetition(t, trials, 1, 0.5))/serviceOf(trials); slower < 1.49 || slower > 1.51 || same != 1 {
		t.Errorf("a login takes %v and %v times as long as with the first repetition alone, want 1.5 and 1", slower, same)
	}
}
