package prediction_test

import (
	"slices"
	"testing"

	"github.com/hashmark-dev/hashmark/internal/prediction"
)

func TestTheServiceOfAVariantIsTheSlowerOfTwoRepetitions(t *testing.T) {
	spec, trials := quickstart()
	// took returns the CPU time of a login if a second repetition uses a factor times the first one's.
	took := func(factor float64) float64 {
		again := named(t, trials, "c10-500m").DeepCopy()
		for i := range again.Status.Steps {
			if service := again.Status.Steps[i].Service; service != nil {
				service.CPUMicroseconds = int64(factor * float64(service.CPUMicroseconds))
			}
		}
		service, _ := prediction.ServiceOf(spec, append(slices.Clip(trials), *again), again.Spec.Variant)
		return service.Hash.Seconds()
	}
	if slower, same := took(1.5)/took(1), took(0.5)/took(1); slower < 1.49 || slower > 1.51 || same != 1 {
		t.Errorf("a login takes %v and %v times as long as with the same repetition again, want 1.5 and 1", slower, same)
	}
}
