package password

import (
	"cmp"
	"errors"
	"fmt"
)

// Algorithm is a way to hash. The names are the API's.
type Algorithm string

// The algorithms.
const (
	Bcrypt   Algorithm = "bcrypt"
	Argon2id Algorithm = "argon2id"
	Scrypt   Algorithm = "scrypt"
	PBKDF2   Algorithm = "pbkdf2"
	SHA256   Algorithm = "sha256"
	// Other is what a user's own login service computes. This package can't.
	Other Algorithm = "other"
)

// Algorithms are those that this package computes.
var Algorithms = []Algorithm{Bcrypt, Argon2id, Scrypt, PBKDF2, SHA256}

// The digests of PBKDF2's HMAC.
const (
	DigestSHA256 = "SHA-256"
	DigestSHA512 = "SHA-512"
)

const (
	// MinCost is bcrypt's own minimum.
	MinCost = 4
	// MaxCost is Hashmark's maximum. Each increment doubles the time of a hash: one hash at
	// cost 31 would take a day and a half.
	MaxCost = 16

	minMemoryKiB        = 8
	maxMemoryKiB        = 4 << 20
	maxParallelism      = 64
	maxPasses           = 64
	minRounds           = 1000
	maxRounds           = 10_000_000
	memoryOfArgon2Lanes = 8
)

// ErrCost means that a bcrypt cost is not between MinCost and MaxCost.
var ErrCost = fmt.Errorf("the bcrypt cost must be between %d and %d", MinCost, MaxCost)

// ErrRecipe means that an algorithm does not exist, or that its parameters are invalid.
var ErrRecipe = errors.New("invalid hash settings")

// Recipe is how passwords are hashed. Parameters that the algorithm does not have are 0 or "".
type Recipe struct {
	Algorithm Algorithm
	// Cost of bcrypt: 2^cost rounds.
	Cost int32
	// MemoryKiB is the memory of one hash of Argon2id or Scrypt.
	MemoryKiB int32
	// Iterations are Argon2id's passes over its memory, or PBKDF2's rounds.
	Iterations int32
	// Parallelism is the lanes of one hash of Argon2id or Scrypt.
	Parallelism int32
	// Digest of PBKDF2's HMAC.
	Digest string
}

// owasp holds the recommendations of OWASP's Password Storage Cheat Sheet (read in November
// 2026): Argon2id with 19 MiB, 2 passes and 1 lane; scrypt with N = 2^17, r = 8, p = 1;
// PBKDF2-HMAC-SHA256 with 600,000 iterations.
// https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
var owasp = map[Algorithm]Recipe{
	Argon2id: {MemoryKiB: 19_456, Iterations: 2, Parallelism: 1},
	Scrypt:   {MemoryKiB: 131_072, Parallelism: 1},
	PBKDF2:   {Iterations: 600_000, Digest: DigestSHA256},
}

// WithDefaults replaces parameters that are 0 or "" with OWASP's recommendation, if there is one.
// A bcrypt cost has no default.
func (r Recipe) WithDefaults() Recipe {
	recommended := owasp[r.Algorithm]
	fill := func(number *int32, recommended int32) {
		if *number == 0 {
			*number = recommended
		}
	}
	fill(&r.MemoryKiB, recommended.MemoryKiB)
	fill(&r.Iterations, recommended.Iterations)
	fill(&r.Parallelism, recommended.Parallelism)
	r.Digest = cmp.Or(r.Digest, recommended.Digest)
	return r
}

// MemoryHard reports whether one hash takes MemoryKiB of memory.
func (r Recipe) MemoryHard() bool { return r.Algorithm == Argon2id || r.Algorithm == Scrypt }

// Lanes returns how many threads one hash can use at a time: Argon2id computes its lanes in
// parallel, scrypt one after another.
func (r Recipe) Lanes() int32 {
	if r.Algorithm == Argon2id {
		return max(1, r.Parallelism)
	}
	return 1
}

// String describes the recipe in the notation that is usual for its algorithm, such as
// "Argon2id m=19456 t=2 p=1" or "bcrypt cost 10".
func (r Recipe) String() string {
	switch r.Algorithm {
	case Bcrypt:
		return fmt.Sprintf("bcrypt cost %d", r.Cost)
	case Argon2id:
		return fmt.Sprintf("Argon2id m=%d t=%d p=%d", r.MemoryKiB, r.Iterations, r.Parallelism)
	case Scrypt:
		return fmt.Sprintf("scrypt N=%d r=%d p=%d", r.MemoryKiB, scryptBlock, r.Parallelism)
	case PBKDF2:
		return fmt.Sprintf("PBKDF2-HMAC-%s with %d iterations", r.Digest, r.Iterations)
	case SHA256:
		return "SHA256"
	case Other:
		return "another hash"
	default:
		return string(r.Algorithm)
	}
}
