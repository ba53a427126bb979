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
		"hashes come after the costs, by their own names": {
			matrix: v1beta1.Matrix{Costs: []int32{10, 8}, CPULimits: fixture.Limits("1", "250m"),
				Hashes: []v1beta1.Hash{{Name: "session", Bcrypt: &v1beta1.Bcrypt{Cost: 10}}, {Name: "cheap", SHA256: &v1beta1.SHA256{}}}},
			want: []string{"c10-1", "c10-250m", "c8-1", "c8-250m", "session-1", "session-250m", "cheap-1", "cheap-250m"},
		},
		"hashes without costs": {
			matrix: v1beta1.Matrix{CPULimits: fixture.Limits("1"), Concurrency: []v1beta1.Concurrency{unbounded, pool(nil, nil)},
				Hashes: []v1beta1.Hash{{Name: "cheap", SHA256: &v1beta1.SHA256{}}}},
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
	owasp := v1beta1.Hash{
		Name: "owasp", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}, Sessions: true, GuessesPerSecond: ptr.To[int64](5),
	}
	for name, test := range map[string]struct {
		matrix v1beta1.Matrix
		want   v1beta1.Variant
	}{
		"without concurrency there is one pool of as many workers as whole CPUs": {
			v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("2500m")},
			v1beta1.Variant{Name: "c10-2500m", Hash: v1beta1.BcryptHash(10), CPULimit: "2500m",
				Concurrency: pool(ptr.To[int32](3), nil)},
		},
		"what is given is kept, the limit as it is written": {
			own, v1beta1.Variant{Name: "c10-500m-small", Hash: v1beta1.BcryptHash(10), CPULimit: "0.5",
				Concurrency: pool(ptr.To[int32](4), ptr.To[int32](7)), NodePool: &small},
		},
		"an unbounded service has no workers": {
			v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1"), Concurrency: []v1beta1.Concurrency{unbounded}},
			v1beta1.Variant{Name: "c10-1", Hash: v1beta1.BcryptHash(10), CPULimit: "1", Concurrency: unbounded},
		},
		"a hash is copied as it is": {
			v1beta1.Matrix{CPULimits: fixture.Limits("1"), Hashes: []v1beta1.Hash{owasp}},
			v1beta1.Variant{Name: "owasp-1", Hash: owasp, CPULimit: "1", Concurrency: pool(ptr.To[int32](1), nil)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Variants(test.matrix)
			if diff := cmp.Diff([]v1beta1.Variant{test.want}, got); diff != "" || err != nil {
				t.Fatalf("error %v; variants (-want +got):\n%s", err, diff)
			}
		})
	}
}

// The service accepts each recipe: its algorithms have the names of the API's kinds.
func TestHashingIsToldInTheWordsOfItsAlgorithm(t *testing.T) {
	tests := map[string]v1beta1.Hash{
		"bcrypt cost 10":                             v1beta1.BcryptHash(10),
		"bcrypt cost 10 with sessions":               {Bcrypt: &v1beta1.Bcrypt{Cost: 10}, Sessions: true},
		"Argon2id m=64 t=3 p=2":                      {Argon2id: &v1beta1.Argon2id{MemoryKiB: 64, Iterations: 3, Parallelism: 2}},
		"scrypt N=64 r=8 p=2":                        {Scrypt: &v1beta1.Scrypt{MemoryKiB: 64, Parallelism: 2}},
		"PBKDF2-HMAC-SHA-512 with 210000 iterations": {PBKDF2: &v1beta1.PBKDF2{Digest: v1beta1.DigestSHA512, Iterations: 210_000}},
		"SHA256": {SHA256: &v1beta1.SHA256{}},
	}
	for want, hash := range tests {
		variant := v1beta1.Variant{Hash: hash}
		if got := Hashing(variant); got != want {
			t.Errorf("described as %q, want %q", got, want)
		}
		if err := Recipe(variant).Check(); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	if got := Hashing(v1beta1.Variant{Hash: v1beta1.Hash{Other: &v1beta1.Other{}}}); got != "another hash" {
		t.Errorf("other is described as %q", got)
	}
}

func TestACostCountsOnceInWhicheverFormItIsWritten(t *testing.T) {
	m := v1beta1.Matrix{Costs: []int32{12, 10}, Hashes: []v1beta1.Hash{
		{Name: "again", Bcrypt: &v1beta1.Bcrypt{Cost: 10}}, {Name: "nine", Bcrypt: &v1beta1.Bcrypt{Cost: 9}},
		{Name: "session", Bcrypt: &v1beta1.Bcrypt{Cost: 8}, Sessions: true}, {Name: "cheap", SHA256: &v1beta1.SHA256{}},
	}}
	if diff := cmp.Diff([]int32{12, 10, 9}, Costs(m)); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
}

func TestVariantsThatResolveAlikeAreRefusedAndBothNamed(t *testing.T) {
	for _, test := range []struct {
		matrix v1beta1.Matrix
		want   DuplicateVariantError
	}{
		{v1beta1.Matrix{CPULimits: fixture.Limits("1"), Hashes: []v1beta1.Hash{
			{Name: "other", SHA256: &v1beta1.SHA256{}}, {Name: "other", PBKDF2: &v1beta1.PBKDF2{Digest: v1beta1.DigestSHA256, Iterations: 600_000}},
		}}, DuplicateVariantError{
			Name:   "other-1",
			First:  `hash other (SHA256) with cpuLimit "1" and WorkerPool`,
			Second: `hash other (PBKDF2-HMAC-SHA-256 with 600000 iterations) with cpuLimit "1" and WorkerPool`,
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
