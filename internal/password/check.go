package password

import (
	"errors"
	"fmt"
)

// Check returns an error if the recipe is invalid or would take too long. It reports all
// problems at once. The error wraps ErrCost or ErrRecipe.
func (r Recipe) Check() error {
	switch r.Algorithm {
	case Bcrypt:
		return errors.Join(r.checkCost(), r.without(false, false))
	case Argon2id:
		return errors.Join(r.noCost(), r.without(true, true), r.within("iterations", r.Iterations, 1, maxPasses), r.checkMemory())
	case Scrypt:
		return errors.Join(r.noCost(), r.without(true, false), r.checkMemory())
	case PBKDF2:
		return errors.Join(r.noCost(), r.without(false, true), r.checkDigest(), r.within("iterations", r.Iterations, minRounds, maxRounds))
	case SHA256:
		return errors.Join(r.noCost(), r.without(false, false))
	default:
		return fmt.Errorf("%w: unknown algorithm %q; it must be one of %v", ErrRecipe, r.Algorithm, Algorithms)
	}
}

func (r Recipe) checkCost() error {
	if r.Cost < MinCost || r.Cost > MaxCost {
		return fmt.Errorf("%w, not %d", ErrCost, r.Cost)
	}
	return nil
}

func (r Recipe) noCost() error {
	if r.Cost != 0 {
		return fmt.Errorf("%w: %s has no cost", ErrRecipe, r.Algorithm)
	}
	return nil
}

// without returns an error if parameters of other algorithms are set.
func (r Recipe) without(memory, iterations bool) error {
	var wrong error
	if !memory && (r.MemoryKiB != 0 || r.Parallelism != 0) {
		wrong = fmt.Errorf("%w: %s has no memory and no parallelism", ErrRecipe, r.Algorithm)
	}
	if !iterations && r.Iterations != 0 {
		wrong = errors.Join(wrong, fmt.Errorf("%w: %s has no iterations", ErrRecipe, r.Algorithm))
	}
	if r.Algorithm != PBKDF2 && r.Digest != "" {
		wrong = errors.Join(wrong, fmt.Errorf("%w: %s has no digest", ErrRecipe, r.Algorithm))
	}
	return wrong
}

func (r Recipe) checkDigest() error {
	if digests[r.Digest] == nil {
		return fmt.Errorf("%w: the digest of %s must be %s or %s, not %q", ErrRecipe, r.Algorithm, DigestSHA256, DigestSHA512, r.Digest)
	}
	return nil
}

func (r Recipe) checkMemory() error {
	wrong := errors.Join(
		r.within("memory in KiB", r.MemoryKiB, minMemoryKiB, maxMemoryKiB),
		r.within("parallelism", r.Parallelism, 1, maxParallelism))
	if r.Algorithm == Scrypt && r.MemoryKiB&(r.MemoryKiB-1) != 0 {
		wrong = errors.Join(wrong, fmt.Errorf("%w: the memory of %s must be a power of two, not %d KiB", ErrRecipe, r.Algorithm, r.MemoryKiB))
	}
	if r.Algorithm == Argon2id && r.MemoryKiB < memoryOfArgon2Lanes*r.Parallelism {
		wrong = errors.Join(wrong, fmt.Errorf("%w: %s needs %d KiB for each of %d lanes, not %d KiB in total",
			ErrRecipe, r.Algorithm, memoryOfArgon2Lanes, r.Parallelism, r.MemoryKiB))
	}
	return wrong
}

func (r Recipe) within(what string, number, least, most int32) error {
	if number < least || number > most {
		return fmt.Errorf("%w: %s of %s must be between %d and %d, not %d", ErrRecipe, what, r.Algorithm, least, most, number)
	}
	return nil
}

// sample is the password that Prepare hashes. Every password takes the same time.
const sample = "correct horse battery staple"

// ErrWrongAnswer means that a password did not match its own hash.
var ErrWrongAnswer = errors.New("the password did not match its own hash")

// Prepare returns a function that computes one hash by checking a password against its own
// hash. Prepare itself takes the time of a hash, too. Its error is that of Recipe.Check,
// and the function's error is ErrWrongAnswer.
func Prepare(r Recipe) (hash func() error, err error) {
	stored, err := Store(r, sample)
	if err != nil {
		return nil, err
	}
	return func() error {
		if !stored.Matches(sample) {
			return ErrWrongAnswer
		}
		return nil
	}, nil
}
