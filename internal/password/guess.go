package password

import (
	"math"
	"time"
)

// The CPU times of hashes in golang.org/x/crypto and the standard library on a 2024 server core
// (Zen 4), in microseconds: bcrypt's within 1 % there, the others' from a few hashes with OWASP's
// parameters (Argon2id 22 ms, scrypt 322 ms, PBKDF2 100 ms).
const (
	guessedHashConstant = 34.0
	guessedHashFactor   = 55.25 // × 2^cost
	guessedArgon2       = 0.563 // × KiB × iterations
	guessedScrypt       = 2.46  // × KiB × lanes
	guessedPBKDF2       = 0.166 // × iterations
	// guessedPBKDF2SHA512 is × iterations, too: 2.5 times as much, as on the CPU where both were timed.
	guessedPBKDF2SHA512 = 0.41
	// guessedOther is what a login takes without its hash, in microseconds.
	guessedOther = 1000
)

// ReferenceCost is the bcrypt cost of the reference hash, which every calibration times too.
const ReferenceCost = 8

// GuessedTime returns the estimated CPU time of a hash. It is within a factor of 2, which is enough
// for an estimate that is corrected as soon as the first trial has ended.
func (r Recipe) GuessedTime() time.Duration {
	micros := guessedHashConstant + guessedHashFactor*math.Exp2(float64(r.Cost))
	switch r.Algorithm {
	case Argon2id:
		micros = guessedArgon2 * float64(r.MemoryKiB) * float64(r.Iterations)
	case Scrypt:
		micros = guessedScrypt * float64(r.MemoryKiB) * float64(max(1, r.Parallelism))
	case PBKDF2:
		micros = guessedPBKDF2 * float64(r.Iterations)
		if r.Digest == DigestSHA512 {
			micros = guessedPBKDF2SHA512 * float64(r.Iterations)
		}
	case SHA256:
		micros = 1
	case Other:
		micros = guessedOther
	}
	return time.Duration(micros * float64(time.Microsecond))
}
