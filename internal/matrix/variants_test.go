package matrix

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	api "github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func ptr[T any](v T) *T { return &v }

func pool(workers, queue *int32) api.Concurrency {
	return api.Concurrency{Mode: api.ConcurrencyWorkerPool, Workers: workers, QueueLength: queue}
}

var unbounded = api.Concurrency{Mode: api.ConcurrencyUnbounded}

func TestVariantsAreNamedAfterWhatTellsThemApart(t *testing.T) {
	tests := map[string]struct {
		matrix api.Matrix
		want   []string
	}{
		"costs are outermost, as the matrix writes them": {
			matrix: api.Matrix{Costs: []int32{10, 8}, CPULimits: []string{"1", "250m"}},
			want:   []string{"c10-1", "c10-250m", "c8-1", "c8-250m"},
		},
		"a limit is named in its shortest form": {
			matrix: api.Matrix{Costs: []int32{4}, CPULimits: []string{"1000m", "0.5", "1.5", "2", "64", "1e-1"}},
			want:   []string{"c4-1", "c4-500m", "c4-1500m", "c4-2", "c4-64", "c4-100m"},
		},
		"one kind of concurrency is not named": {
			matrix: api.Matrix{Costs: []int32{4}, CPULimits: []string{"1"}, Concurrency: []api.Concurrency{unbounded}},
			want:   []string{"c4-1"},
		},
		"several kinds of concurrency are named, with the queue where it is given": {
			matrix: api.Matrix{Costs: []int32{4}, CPULimits: []string{"1500m"}, Concurrency: []api.Concurrency{
				unbounded, pool(nil, nil), pool(ptr[int32](1), ptr[int32](64)),
			}},
			want: []string{"c4-1500m-u", "c4-1500m-w2", "c4-1500m-w1q64"},
		},
		"a node pool comes last": {
			matrix: api.Matrix{Costs: []int32{4}, CPULimits: []string{"1"},
				Concurrency: []api.Concurrency{unbounded, pool(nil, nil)},
				NodePools:   []api.NodePool{{Name: "small"}, {Name: "large"}}},
			want: []string{"c4-1-u-small", "c4-1-u-large", "c4-1-w1-small", "c4-1-w1-large"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			variants, err := Variants(test.matrix)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range variants {
				got = append(got, v.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariantsFillInDefaults(t *testing.T) {
	small := api.NodePool{Name: "small", NodeSelector: map[string]api.LabelValue{"size": "s"}}
	tests := map[string]struct {
		matrix api.Matrix
		want   api.Variant
	}{
		"without concurrency there is one pool of as many workers as whole CPUs": {
			matrix: api.Matrix{Costs: []int32{10}, CPULimits: []string{"2500m"}},
			want: api.Variant{Name: "c10-2500m", Algorithm: api.AlgorithmBcrypt, Cost: 10, CPULimit: "2500m",
				Concurrency: pool(ptr[int32](3), nil)},
		},
		"what is given is kept, the limit as it is written": {
			matrix: api.Matrix{Costs: []int32{10}, CPULimits: []string{"0.5"},
				Concurrency: []api.Concurrency{pool(ptr[int32](4), ptr[int32](7))}, NodePools: []api.NodePool{small}},
			want: api.Variant{Name: "c10-500m-small", Algorithm: api.AlgorithmBcrypt, Cost: 10, CPULimit: "0.5",
				Concurrency: pool(ptr[int32](4), ptr[int32](7)), NodePool: &small},
		},
		"an unbounded service has no workers": {
			matrix: api.Matrix{Costs: []int32{10}, CPULimits: []string{"1"}, Concurrency: []api.Concurrency{unbounded}},
			want:   api.Variant{Name: "c10-1", Algorithm: api.AlgorithmBcrypt, Cost: 10, CPULimit: "1", Concurrency: unbounded},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Variants(test.matrix)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]api.Variant{test.want}, got); diff != "" {
				t.Errorf("variants (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariantsThatResolveAlikeAreRefusedAndBothNamed(t *testing.T) {
	_, err := Variants(api.Matrix{Costs: []int32{10}, CPULimits: []string{"1500m"}, Concurrency: []api.Concurrency{
		pool(nil, nil), pool(ptr[int32](2), nil),
	}})
	var duplicate *DuplicateVariantError
	if !errors.As(err, &duplicate) {
		t.Fatalf("got %v, want a DuplicateVariantError", err)
	}
	want := DuplicateVariantError{
		Name:   "c10-1500m-w2",
		First:  `cost 10 with cpuLimit "1500m" and WorkerPool`,
		Second: `cost 10 with cpuLimit "1500m" and WorkerPool of 2 workers`,
	}
	if diff := cmp.Diff(want, *duplicate); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestVariantsRefuseWhatIsNoMatrix(t *testing.T) {
	if _, err := Variants(api.Matrix{Costs: []int32{10}}); !errors.Is(err, ErrEmpty) {
		t.Errorf("a matrix without limits: got %v, want ErrEmpty", err)
	}
	for _, limit := range []string{"", "one", "0", "-1", "65", "9e18"} {
		if _, err := Variants(api.Matrix{Costs: []int32{10}, CPULimits: []string{limit}}); err == nil {
			t.Errorf("CPU limit %q was accepted", limit)
		}
	}
}
