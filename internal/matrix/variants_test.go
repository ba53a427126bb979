package matrix

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func pool(workers, queue *int32) v1beta1.Concurrency {
	return v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: workers, QueueLength: queue}
}

var unbounded = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}

func TestVariantsAreNamedAfterWhatTellsThemApart(t *testing.T) {
	tests := map[string]struct {
		matrix v1beta1.Matrix
		want   []string
	}{
		"costs are outermost, as the matrix writes them": {
			matrix: v1beta1.Matrix{Costs: []int32{10, 8}, CPULimits: fixture.Limits("1", "250m")},
			want:   []string{"c10-1", "c10-250m", "c8-1", "c8-250m"},
		},
		"a limit is named in its shortest form": {
			matrix: v1beta1.Matrix{Costs: []int32{4}, CPULimits: fixture.Limits("1000m", "0.5", "1.5", "2", "64", "1e-1")},
			want:   []string{"c4-1", "c4-500m", "c4-1500m", "c4-2", "c4-64", "c4-100m"},
		},
		"one kind of concurrency is not named": {
			matrix: v1beta1.Matrix{Costs: []int32{4}, CPULimits: fixture.Limits("1"), Concurrency: []v1beta1.Concurrency{unbounded}},
			want:   []string{"c4-1"},
		},
		"several kinds of concurrency are named, with the queue where it is given": {
			matrix: v1beta1.Matrix{Costs: []int32{4}, CPULimits: fixture.Limits("1500m"), Concurrency: []v1beta1.Concurrency{
				unbounded, pool(nil, nil), pool(ptr.To[int32](1), ptr.To[int32](64)),
			}},
			want: []string{"c4-1500m-u", "c4-1500m-w2", "c4-1500m-w1q64"},
		},
		"a node pool comes last": {
			matrix: v1beta1.Matrix{Costs: []int32{4}, CPULimits: fixture.Limits("1"),
				Concurrency: []v1beta1.Concurrency{unbounded, pool(nil, nil)},
				NodePools:   []v1beta1.NodePool{{Name: "small"}, {Name: "large"}}},
			want: []string{"c4-1-u-small", "c4-1-u-large", "c4-1-w1-small", "c4-1-w1-large"},
		},
		"controls come after the costs, by their own names": {
			matrix: v1beta1.Matrix{Costs: []int32{10, 8}, CPULimits: fixture.Limits("1", "250m"),
				Controls: []v1beta1.Control{{Name: "session", Algorithm: v1beta1.AlgorithmBcrypt, Cost: ptr.To[int32](10)}, {Name: "cheap", Algorithm: v1beta1.AlgorithmSHA256}}},
			want: []string{"c10-1", "c10-250m", "c8-1", "c8-250m", "session-1", "session-250m", "cheap-1", "cheap-250m"},
		},
		"controls without costs": {
			matrix: v1beta1.Matrix{CPULimits: fixture.Limits("1"), Concurrency: []v1beta1.Concurrency{unbounded, pool(nil, nil)},
				Controls: []v1beta1.Control{{Name: "cheap", Algorithm: v1beta1.AlgorithmSHA256}}},
			want: []string{"cheap-1-u", "cheap-1-w1"},
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
	small := v1beta1.NodePool{Name: "small", NodeSelector: map[string]v1beta1.LabelValue{"size": "s"}}
	own := v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("0.5"),
		Concurrency: []v1beta1.Concurrency{pool(ptr.To[int32](4), ptr.To[int32](7))}, NodePools: []v1beta1.NodePool{small}}
	control := func(c v1beta1.Control) v1beta1.Matrix {
		c.Name = "control"
		return v1beta1.Matrix{CPULimits: fixture.Limits("1"), Controls: []v1beta1.Control{c}}
	}
	ofControl := func(v v1beta1.Variant) v1beta1.Variant {
		v.Name, v.Control, v.CPULimit, v.Concurrency = "control-1", "control", "1", pool(ptr.To[int32](1), nil)
		return v
	}
	for name, test := range map[string]struct {
		matrix v1beta1.Matrix
		want   v1beta1.Variant
	}{
		"without concurrency there is one pool of as many workers as whole CPUs": {
			v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("2500m")},
			v1beta1.Variant{Name: "c10-2500m", Algorithm: v1beta1.AlgorithmBcrypt, Cost: 10, CPULimit: "2500m",
				Concurrency: pool(ptr.To[int32](3), nil)},
		},
		"what is given is kept, the limit as it is written": {
			own, v1beta1.Variant{Name: "c10-500m-small", Algorithm: v1beta1.AlgorithmBcrypt, Cost: 10, CPULimit: "0.5",
				Concurrency: pool(ptr.To[int32](4), ptr.To[int32](7)), NodePool: &small},
		},
		"an unbounded service has no workers": {
			v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1"), Concurrency: []v1beta1.Concurrency{unbounded}},
			v1beta1.Variant{Name: "c10-1", Algorithm: v1beta1.AlgorithmBcrypt, Cost: 10, CPULimit: "1", Concurrency: unbounded},
		},
		"sessions over a cost": {
			control(v1beta1.Control{Algorithm: v1beta1.AlgorithmBcrypt, Cost: ptr.To[int32](10), Sessions: true}),
			ofControl(v1beta1.Variant{Algorithm: v1beta1.AlgorithmBcrypt, Cost: 10, Sessions: true}),
		},
		"Argon2id has OWASP's parameters": {
			control(v1beta1.Control{Algorithm: v1beta1.AlgorithmArgon2id}),
			ofControl(v1beta1.Variant{Algorithm: v1beta1.AlgorithmArgon2id, MemoryKiB: ptr.To[int32](19_456), Iterations: ptr.To[int32](2), Parallelism: ptr.To[int32](1)}),
		},
		"Argon2id keeps its own": {
			control(v1beta1.Control{Algorithm: v1beta1.AlgorithmArgon2id, MemoryKiB: ptr.To[int32](9216), Iterations: ptr.To[int32](4), Parallelism: ptr.To[int32](3)}),
			ofControl(v1beta1.Variant{Algorithm: v1beta1.AlgorithmArgon2id, MemoryKiB: ptr.To[int32](9216), Iterations: ptr.To[int32](4), Parallelism: ptr.To[int32](3)}),
		},
		"scrypt": {
			control(v1beta1.Control{Algorithm: v1beta1.AlgorithmScrypt}),
			ofControl(v1beta1.Variant{Algorithm: v1beta1.AlgorithmScrypt, MemoryKiB: ptr.To[int32](131_072), Parallelism: ptr.To[int32](1)}),
		},
		"PBKDF2": {
			control(v1beta1.Control{Algorithm: v1beta1.AlgorithmPBKDF2}),
			ofControl(v1beta1.Variant{Algorithm: v1beta1.AlgorithmPBKDF2, Iterations: ptr.To[int32](600_000)}),
		},
		"SHA-256, which has no numbers": {
			control(v1beta1.Control{Algorithm: v1beta1.AlgorithmSHA256}), ofControl(v1beta1.Variant{Algorithm: v1beta1.AlgorithmSHA256}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Variants(test.matrix)
			if diff := cmp.Diff([]v1beta1.Variant{test.want}, got); diff != "" || err != nil {
				t.Fatalf("error %v; variants (-want +got):\n%s", err, diff)
			}
			// The service uses the API's names for its algorithms.
			if err := Recipe(got[0]).Check(); err != nil {
				t.Errorf("its hash: %v", err)
			}
		})
	}
}

func TestHashingIsToldInTheWordsOfItsAlgorithm(t *testing.T) {
	tests := map[string]v1beta1.Variant{
		"bcrypt cost 10":               {Algorithm: v1beta1.AlgorithmBcrypt, Cost: 10},
		"bcrypt cost 10 with sessions": {Algorithm: v1beta1.AlgorithmBcrypt, Cost: 10, Sessions: true},
		"Argon2id m=64 t=3 p=2":        {Algorithm: v1beta1.AlgorithmArgon2id, MemoryKiB: ptr.To[int32](64), Iterations: ptr.To[int32](3), Parallelism: ptr.To[int32](2)},
	}
	for want, variant := range tests {
		if got := Hashing(variant); got != want {
			t.Errorf("described as %q, want %q", got, want)
		}
	}
}

func TestVariantsThatResolveAlikeAreRefusedAndBothNamed(t *testing.T) {
	for _, test := range []struct {
		matrix v1beta1.Matrix
		want   DuplicateVariantError
	}{
		{v1beta1.Matrix{CPULimits: fixture.Limits("1"), Controls: []v1beta1.Control{
			{Name: "other", Algorithm: v1beta1.AlgorithmSHA256}, {Name: "other", Algorithm: v1beta1.AlgorithmPBKDF2},
		}}, DuplicateVariantError{
			Name:   "other-1",
			First:  `control other (SHA256) with cpuLimit "1" and WorkerPool`,
			Second: `control other (PBKDF2 with 600000 iterations) with cpuLimit "1" and WorkerPool`,
		}},
		{v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1500m"), Concurrency: []v1beta1.Concurrency{
			pool(nil, nil), pool(ptr.To[int32](2), nil),
		}}, DuplicateVariantError{
			Name:   "c10-1500m-w2",
			First:  `cost 10 with cpuLimit "1500m" and WorkerPool`,
			Second: `cost 10 with cpuLimit "1500m" and WorkerPool of 2 workers`,
		}},
	} {
		_, err := Variants(test.matrix)
		duplicate, is := errors.AsType[*DuplicateVariantError](err)
		if !is {
			t.Fatalf("got %v, want a DuplicateVariantError", err)
		}
		if diff := cmp.Diff(test.want, *duplicate); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
}

func TestVariantsRefuseWhatIsNoMatrix(t *testing.T) {
	if _, err := Variants(v1beta1.Matrix{Costs: []int32{10}}); !errors.Is(err, ErrEmpty) {
		t.Errorf("a matrix without limits: got %v, want ErrEmpty", err)
	}
	for _, limit := range []string{"", "one", "0", "-1", "65", "9e18"} {
		if _, err := Variants(v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits(limit)}); err == nil {
			t.Errorf("CPU limit %q was accepted", limit)
		}
	}
}
