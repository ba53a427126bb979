package password

import (
	"encoding/hex"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	right = "correct horse battery staple"
	wrong = "correct horse battery stapler"
)

// cheapest is a recipe of each algorithm that a test can afford.
var cheapest = map[Algorithm]Recipe{
	Bcrypt:   {Algorithm: Bcrypt, Cost: MinCost},
	Argon2id: {Algorithm: Argon2id, MemoryKiB: 64, Iterations: 1, Parallelism: 2},
	Scrypt:   {Algorithm: Scrypt, MemoryKiB: 64, Parallelism: 2},
	PBKDF2:   {Algorithm: PBKDF2, Iterations: minRounds, Digest: DigestSHA512},
	SHA256:   {Algorithm: SHA256},
}

func TestOnlyTheStoredPasswordMatches(t *testing.T) {
	t.Parallel()
	for algorithm, recipe := range cheapest {
		t.Run(string(algorithm), func(t *testing.T) {
			t.Parallel()
			stored, err := Store(recipe, right)
			if err != nil {
				t.Fatal(err)
			}
			for password, want := range map[string]bool{right: true, wrong: false, right[1:]: false, "": false} {
				if got := stored.Matches(password); got != want {
					t.Errorf("%q matches: %t, want %t", password, got, want)
				}
			}
		})
	}
}

// Without a salt it would be visible that two users have the same password.
func TestEachStoredPasswordIsSaltedAnew(t *testing.T) {
	t.Parallel()
	for algorithm, recipe := range cheapest {
		if algorithm == Bcrypt {
			continue // its library draws the salt
		}
		first, second := recipe.derivation([]byte("one salt of 16 b")), recipe.derivation([]byte("another of 16 b."))
		a, err := first([]byte(right))
		b, other := second([]byte(right))
		if err != nil || other != nil || len(a) != keyBytes || string(a) == string(b) {
			t.Errorf("%s: keys %x and %x of two salts (%v, %v)", algorithm, a, b, err, other)
		}
	}
}

// The libraries test the published test vectors of their algorithms. This test checks that
// each parameter of the recipe reaches the algorithm.
func TestEachNumberOfARecipeCounts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		algorithm Algorithm
		change    func(*Recipe)
	}{
		"memory of Argon2id":      {Argon2id, func(r *Recipe) { r.MemoryKiB = 128 }},
		"passes of Argon2id":      {Argon2id, func(r *Recipe) { r.Iterations = 2 }},
		"lanes of Argon2id":       {Argon2id, func(r *Recipe) { r.Parallelism = 1 }},
		"memory of scrypt":        {Scrypt, func(r *Recipe) { r.MemoryKiB = 128 }},
		"lanes of scrypt":         {Scrypt, func(r *Recipe) { r.Parallelism = 1 }},
		"iterations of PBKDF2":    {PBKDF2, func(r *Recipe) { r.Iterations = 2 * minRounds }},
		"digest of PBKDF2":        {PBKDF2, func(r *Recipe) { r.Digest = DigestSHA256 }},
		"an algorithm of its own": {SHA256, func(r *Recipe) { *r = cheapest[PBKDF2] }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			salt := []byte("one salt of 16 b")
			changed := cheapest[test.algorithm]
			test.change(&changed)
			before, err := cheapest[test.algorithm].derivation(salt)([]byte(right))
			after, other := changed.derivation(salt)([]byte(right))
			if err != nil || other != nil || string(before) == string(after) {
				t.Errorf("the key stays %x when it changes (%v, %v)", before, err, other)
			}
		})
	}
}

// The values for SHA-256 and SHA-512 are published with those of RFC 6070, which has only SHA-1:
// https://stackoverflow.com/a/5136918, https://stackoverflow.com/a/15593883.
func TestPBKDF2HasItsPublishedKeys(t *testing.T) {
	t.Parallel()
	for digest, want := range map[string]string{
		DigestSHA256: "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a",
		DigestSHA512: "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5",
	} {
		recipe := Recipe{Algorithm: PBKDF2, Iterations: 4096, Digest: digest}
		if got, err := recipe.derivation([]byte("salt"))([]byte("password")); hex.EncodeToString(got) != want || err != nil {
			t.Errorf("%s: the key is %x (%v), want %s", recipe, got, err, want)
		}
	}
}

func TestRecipesThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		recipe Recipe
		is     error
		says   string
	}{
		"a cost of 31":                  {Recipe{Algorithm: Bcrypt, Cost: 31}, ErrCost, "between 4 and 16"},
		"a cost of 3":                   {Recipe{Algorithm: Bcrypt, Cost: 3}, ErrCost, "between 4 and 16"},
		"a cost of another algorithm":   {Recipe{Algorithm: SHA256, Cost: 10}, ErrRecipe, "sha256 has no cost"},
		"memory of bcrypt":              {Recipe{Algorithm: Bcrypt, Cost: 4, MemoryKiB: 64}, ErrRecipe, "no memory"},
		"lanes of PBKDF2":               {Recipe{Algorithm: PBKDF2, Iterations: 1000, Parallelism: 1, Digest: DigestSHA256}, ErrRecipe, "no parallelism"},
		"iterations of scrypt":          {Recipe{Algorithm: Scrypt, MemoryKiB: 64, Parallelism: 1, Iterations: 1}, ErrRecipe, "no iterations"},
		"PBKDF2 without iterations":     {Recipe{Algorithm: PBKDF2, Digest: DigestSHA256}, ErrRecipe, "between 1000 and 10000000"},
		"PBKDF2 without a digest":       {Recipe{Algorithm: PBKDF2, Iterations: 1000}, ErrRecipe, `must be SHA-256 or SHA-512, not ""`},
		"a digest that does not exist":  {Recipe{Algorithm: PBKDF2, Iterations: 1000, Digest: "SHA-1"}, ErrRecipe, `must be SHA-256 or SHA-512, not "SHA-1"`},
		"a digest of Argon2id":          {Recipe{Algorithm: Argon2id, MemoryKiB: 64, Iterations: 1, Parallelism: 1, Digest: DigestSHA256}, ErrRecipe, "argon2id has no digest"},
		"65 passes of Argon2id":         {Recipe{Algorithm: Argon2id, MemoryKiB: 64, Iterations: 65, Parallelism: 1}, ErrRecipe, "between 1 and 64"},
		"too much memory":               {Recipe{Algorithm: Argon2id, MemoryKiB: 4<<20 + 1, Iterations: 1, Parallelism: 1}, ErrRecipe, "memory in KiB"},
		"65 lanes":                      {Recipe{Algorithm: Scrypt, MemoryKiB: 64, Parallelism: 65}, ErrRecipe, "parallelism"},
		"too little memory for lanes":   {Recipe{Algorithm: Argon2id, MemoryKiB: 31, Iterations: 1, Parallelism: 4}, ErrRecipe, "8 KiB for each of 4 lanes"},
		"not a power of two":            {Recipe{Algorithm: Scrypt, MemoryKiB: 19_456, Parallelism: 1}, ErrRecipe, "power of two"},
		"an unknown algorithm":          {Recipe{Algorithm: "MD5"}, ErrRecipe, `"MD5"; it must be one of [bcrypt argon2id`},
		"no algorithm":                  {Recipe{}, ErrRecipe, "must be one of [bcrypt"},
		"a cost and memory, both wrong": {Recipe{Algorithm: Scrypt, Cost: 8, MemoryKiB: 3, Parallelism: 1}, ErrRecipe, "has no cost"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Store(test.recipe, right)
			if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want one that says %q", err, test.says)
			}
		})
	}
}

func TestDefaultsAreOWASPs(t *testing.T) {
	t.Parallel()
	for algorithm, want := range map[Algorithm]string{
		Argon2id: "Argon2id m=19456 t=2 p=1",
		Scrypt:   "scrypt N=131072 r=8 p=1",
		PBKDF2:   "PBKDF2-HMAC-SHA-256 with 600000 iterations",
		SHA256:   "SHA256",
		Bcrypt:   "bcrypt cost 0",
	} {
		if got := (Recipe{Algorithm: algorithm}).WithDefaults().String(); got != want {
			t.Errorf("%s has the defaults %q, want %q", algorithm, got, want)
		}
	}
	given := Recipe{Algorithm: Argon2id, MemoryKiB: 8, Iterations: 1, Parallelism: 1}
	if got := given.WithDefaults(); got != given {
		t.Errorf("defaults overwrite what is given: %s became %s", given, got)
	}
}

// Otherwise the memory of the first login would be added to the memory of storing: a
// scrypt service with 192Mi was killed because of this.
func TestStoringLeavesNoMemoryBehind(t *testing.T) {
	const memoryKiB = 32 << 10
	for _, algorithm := range []Algorithm{Argon2id, Scrypt} {
		recipe := cheapest[algorithm]
		recipe.MemoryKiB = memoryKiB
		stored, err := Store(recipe, right)
		if err != nil {
			t.Fatal(err)
		}
		var used runtime.MemStats
		runtime.ReadMemStats(&used)
		if used.HeapAlloc > memoryKiB<<10/2 {
			t.Errorf("%s left %d MiB behind", algorithm, used.HeapAlloc>>20)
		}
		if !stored.Matches(right) {
			t.Errorf("%s does not match its own password", algorithm)
		}
	}
}

// A service has 64Mi in addition to its workers' memory, and the soft limit of Go's memory
// (GOMEMLIMIT) leaves half of that to memory that Go does not count. Without the sweep
// after each hash, the soft limit alone let this process grow to 197 MiB.
func TestMemoryHardHashesTakeTheMemoryOfTheWorkersAlone(t *testing.T) {
	const workers, memoryKiB, spare = 2, 64 << 10, 32 << 20
	before := debug.SetMemoryLimit(workers*memoryKiB<<10 + spare)
	defer debug.SetMemoryLimit(before)
	stored, err := Store(Recipe{Algorithm: Argon2id, MemoryKiB: memoryKiB, Iterations: 1, Parallelism: 1}, right)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range 8 {
				stored.Matches(right)
			}
		})
	}
	all.Wait()
	if used, most := highWater(t), workers*memoryKiB+spare>>10+16<<10; used > most {
		t.Errorf("the process used up to %d KiB, want at most %d", used, most)
	}
}

// highWater returns the maximum memory that the process has used, in KiB.
func highWater(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "VmHWM:" {
			used, err := strconv.Atoi(words[1])
			if err != nil {
				t.Fatal(err)
			}
			return used
		}
	}
	t.Fatal("/proc/self/status has no VmHWM")
	return 0
}
