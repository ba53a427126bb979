package matrix

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func pool(workers, queue *int32) v1alpha1.Concurrency {
	return v1alpha1.Concurrency{Mode: v1alpha1.ConcurrencyWorkerPool, Workers: workers, QueueLength: queue}
}

var unbounded = v1alpha1.Concurrency{Mode: v1alpha1.ConcurrencyUnbounded}

func TestVariantsAreNamedAfterWhatTellsThemApart(t *testing.T) {
	tests := map[string]struct {
		matrix v1alpha1.Matrix
		want   []string
	}{
		"costs are outermost, as the matrix writes them": {
			matrix: v1alpha1.Matrix{Costs: []int32{10, 8}, CPULimits: []string{"1", "250m"}},
			want:   []string{"c10-1", "c10-250m", "c8-1", "c8-250m"},
		},
		"a limit is named in its shortest form": {
			matrix: v1alpha1.Matrix{Costs: []int32{4}, CPULimits: []string{"1000m", "0.5", "1.5", "2", "64", "1e-1"}},
			want:   []string{"c4-1", "c4-500m", "c4-1500m", "c4-2", "c4-64", "c4-100m"},
		},
		"one kind of concurrency is not named": {
			matrix: v1alpha1.Matrix{Costs: []int32{4}, CPULimits: []string{"1"}, Concurrency: []v1alpha1.Concurrency{unbounded}},
			want:   []string{"c4-1"},
		},
		"several kinds of concurrency are named, with the queue where it is given": {
			matrix: v1alpha1.Matrix{Costs: []int32{4}, CPULimits: []string{"1500m"}, Concurrency: []v1alpha1.Concurrency{
				unbounded, pool(nil, nil), pool(ptr.To[int32](1), ptr.To[int32](64)),
			}},
			want: []string{"c4-1500m-u", "c4-1500m-w2", "c4-1500m-w1q64"},
		},
		"a node pool comes last": {
			matrix: v1alpha1.Matrix{Costs: []int32{4}, CPULimits: []string{"1"},
				Concurrency: []v1alpha1.Concurrency{unbounded, pool(nil, nil)},
				NodePools:   []v1alpha1.NodePool{{Name: "small"}, {Name: "large"}}},
			want: []string{"c4-1-u-small", "c4-1-u-large", "c4-1-w1-small", "c4-1-w1-large"},
		},
		"controls come after the costs, by their own names": {
			matrix: v1alpha1.Matrix{Costs: []int32{10, 8}, CPULimits: []string{"1", "250m"},
				Controls: []v1alpha1.Control{{Name: "session", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: ptr.To[int32](10)}, {Name: "cheap", Algorithm: v1alpha1.AlgorithmSHA256}}},
			want: []string{"c10-1", "c10-250m", "c8-1", "c8-250m", "session-1", "session-250m", "cheap-1", "cheap-250m"},
		},
		"controls without costs": {
			matrix: v1alpha1.Matrix{CPULimits: []string{"1"}, Concurrency: []v1alpha1.Concurrency{unbounded, pool(nil, nil)},
				Controls: []v1alpha1.Control{{Name: "cheap", Algorithm: v1alpha1.AlgorithmSHA256}}},
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
	small := v1alpha1.NodePool{Name: "small", NodeSelector: map[string]v1alpha1.LabelValue{"size": "s"}}
	tests := map[string]struct {
		matrix v1alpha1.Matrix
		want   v1alpha1.Variant
	}{
		"without concurrency there is one pool of as many workers as whole CPUs": {
			matrix: v1alpha1.Matrix{Costs: []int32{10}, CPULimits: []string{"2500m"}},
			want: v1alpha1.Variant{Name: "c10-2500m", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10, CPULimit: "2500m",
				Concurrency: pool(ptr.To[int32](3), nil)},
		},
		"what is given is kept, the limit as it is written": {
			matrix: v1alpha1.Matrix{Costs: []int32{10}, CPULimits: []string{"0.5"},
				Concurrency: []v1alpha1.Concurrency{pool(ptr.To[int32](4), ptr.To[int32](7))}, NodePools: []v1alpha1.NodePool{small}},
			want: v1alpha1.Variant{Name: "c10-500m-small", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10, CPULimit: "0.5",
				Concurrency: pool(ptr.To[int32](4), ptr.To[int32](7)), NodePool: &small},
		},
		"an unbounded service has no workers": {
			matrix: v1alpha1.Matrix{Costs: []int32{10}, CPULimits: []string{"1"}, Concurrency: []v1alpha1.Concurrency{unbounded}},
			want:   v1alpha1.Variant{Name: "c10-1", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10, CPULimit: "1", Concurrency: unbounded},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Variants(test.matrix)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]v1alpha1.Variant{test.want}, got); diff != "" {
				t.Errorf("variants (-want +got):\n%s", diff)
			}
		})
	}
}

func TestControlsBecomeVariantsWithOWASPsDefaults(t *testing.T) {
	tests := map[string]struct {
		control v1alpha1.Control
		want    v1alpha1.Variant
	}{
		"sessions over a cost": {
			v1alpha1.Control{Name: "session", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: ptr.To[int32](10), Sessions: true},
			v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10, Sessions: true},
		},
		"Argon2id": {
			v1alpha1.Control{Name: "argon2id", Algorithm: v1alpha1.AlgorithmArgon2id},
			v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmArgon2id, MemoryKiB: ptr.To[int32](19_456), Iterations: ptr.To[int32](2), Parallelism: ptr.To[int32](1)},
		},
		"Argon2id with numbers of its own": {
			v1alpha1.Control{Name: "argon2id", Algorithm: v1alpha1.AlgorithmArgon2id, MemoryKiB: ptr.To[int32](9216), Iterations: ptr.To[int32](4), Parallelism: ptr.To[int32](3)},
			v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmArgon2id, MemoryKiB: ptr.To[int32](9216), Iterations: ptr.To[int32](4), Parallelism: ptr.To[int32](3)},
		},
		"scrypt": {
			v1alpha1.Control{Name: "scrypt", Algorithm: v1alpha1.AlgorithmScrypt},
			v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmScrypt, MemoryKiB: ptr.To[int32](131_072), Parallelism: ptr.To[int32](1)},
		},
		"PBKDF2": {
			v1alpha1.Control{Name: "pbkdf2", Algorithm: v1alpha1.AlgorithmPBKDF2},
			v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmPBKDF2, Iterations: ptr.To[int32](600_000)},
		},
		"SHA-256, which has no numbers": {
			v1alpha1.Control{Name: "cheap", Algorithm: v1alpha1.AlgorithmSHA256},
			v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmSHA256},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.want.Name, test.want.Control, test.want.CPULimit = test.control.Name+"-1", test.control.Name, "1"
			test.want.Concurrency = pool(ptr.To[int32](1), nil)
			got, err := Variants(v1alpha1.Matrix{CPULimits: []string{"1"}, Controls: []v1alpha1.Control{test.control}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]v1alpha1.Variant{test.want}, got); diff != "" {
				t.Errorf("variants (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHashingIsToldInTheWordsOfItsAlgorithm(t *testing.T) {
	tests := map[string]v1alpha1.Variant{
		"bcrypt cost 10":               {Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10},
		"bcrypt cost 10 with sessions": {Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10, Sessions: true},
		"Argon2id m=64 t=3 p=2":        {Algorithm: v1alpha1.AlgorithmArgon2id, MemoryKiB: ptr.To[int32](64), Iterations: ptr.To[int32](3), Parallelism: ptr.To[int32](2)},
	}
	for want, variant := range tests {
		if got := Hashing(variant); got != want {
			t.Errorf("described as %q, want %q", got, want)
		}
	}
}

// The service uses the API's names for its algorithms.
func TestEveryAlgorithmOfTheAPICanBeHashed(t *testing.T) {
	for _, algorithm := range []v1alpha1.Algorithm{
		v1alpha1.AlgorithmArgon2id, v1alpha1.AlgorithmScrypt, v1alpha1.AlgorithmPBKDF2, v1alpha1.AlgorithmSHA256,
	} {
		if err := Recipe(controlHashing(v1alpha1.Control{Algorithm: algorithm}).variant).Check(); err != nil {
			t.Errorf("%s with its defaults: %v", algorithm, err)
		}
	}
	if err := Recipe(v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10}).Check(); err != nil {
		t.Errorf("bcrypt: %v", err)
	}
}

func TestControlsOfOneNameAreRefusedAndBothNamed(t *testing.T) {
	_, err := Variants(v1alpha1.Matrix{CPULimits: []string{"1"}, Controls: []v1alpha1.Control{
		{Name: "other", Algorithm: v1alpha1.AlgorithmSHA256}, {Name: "other", Algorithm: v1alpha1.AlgorithmPBKDF2},
	}})
	var duplicate *DuplicateVariantError
	if !errors.As(err, &duplicate) {
		t.Fatalf("got %v, want a DuplicateVariantError", err)
	}
	want := DuplicateVariantError{
		Name:   "other-1",
		First:  `control other (SHA256) with cpuLimit "1" and WorkerPool`,
		Second: `control other (PBKDF2 with 600000 iterations) with cpuLimit "1" and WorkerPool`,
	}
	if diff := cmp.Diff(want, *duplicate); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestVariantsThatResolveAlikeAreRefusedAndBothNamed(t *testing.T) {
	_, err := Variants(v1alpha1.Matrix{Costs: []int32{10}, CPULimits: []string{"1500m"}, Concurrency: []v1alpha1.Concurrency{
		pool(nil, nil), pool(ptr.To[int32](2), nil),
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
	if _, err := Variants(v1alpha1.Matrix{Costs: []int32{10}}); !errors.Is(err, ErrEmpty) {
		t.Errorf("a matrix without limits: got %v, want ErrEmpty", err)
	}
	for _, limit := range []string{"", "one", "0", "-1", "65", "9e18"} {
		if _, err := Variants(v1alpha1.Matrix{Costs: []int32{10}, CPULimits: []string{limit}}); err == nil {
			t.Errorf("CPU limit %q was accepted", limit)
		}
	}
}
