package password

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"fmt"
	"hash"
	"runtime"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/scrypt"
)

const (
	// scryptBlock is scrypt's r: with 8, its N is the memory in KiB.
	scryptBlock = 8
	saltBytes   = 16
	keyBytes    = 32
)

// digests has the hash function of each digest of PBKDF2's HMAC.
var digests = map[string]func() hash.Hash{DigestSHA256: sha256.New, DigestSHA512: sha512.New}

// Stored is a password as a login service stores it: only its hash is known.
type Stored struct {
	// matches computes one hash of a password and compares it.
	matches func(password []byte) bool
	// memoryHard is true for hashes that leave much garbage.
	memoryHard bool
}

// Store hashes a password, which takes the time of one hash. The error is that of
// Recipe.Check.
func Store(r Recipe, password string) (*Stored, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	matches, err := matcher(r, []byte(password))
	if err != nil {
		return nil, fmt.Errorf("hash a password with %s: %w", r, err)
	}
	stored := &Stored{matches: drifting(matches), memoryHard: r.MemoryHard()}
	stored.sweep()
	return stored, nil
}

// Matches reports whether the password is the stored one. It always costs one hash.
func (s *Stored) Matches(password string) bool {
	matches := s.matches([]byte(password))
	s.sweep()
	return matches
}

// sweep collects the garbage after each memory-hard hash. The libraries allocate new memory
// for each hash, and the collector would let the same amount again accumulate before it
// ran: a service would need twice the memory, or be killed. With the sweep, the memory of
// one hash for each worker is enough. The collector's work is part of the hash both in the
// calibration and under load.
func (s *Stored) sweep() {
	if s.memoryHard {
		runtime.GC()
	}
}

func matcher(r Recipe, password []byte) (func([]byte) bool, error) {
	if r.Algorithm == Bcrypt {
		hash, err := bcrypt.GenerateFromPassword(password, int(r.Cost))
		return func(other []byte) bool { return bcrypt.CompareHashAndPassword(hash, other) == nil }, err
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	derive := r.derivation(salt)
	key, err := derive(password)
	return func(other []byte) bool {
		derived, err := derive(other)
		return err == nil && subtle.ConstantTimeCompare(key, derived) == 1
	}, err
}

// derivation returns the function that derives a key from a password, for every algorithm
// except bcrypt.
func (r Recipe) derivation(salt []byte) func(password []byte) ([]byte, error) {
	switch r.Algorithm {
	case Argon2id:
		return func(password []byte) ([]byte, error) {
			return argon2.IDKey(password, salt, uint32(r.Iterations), uint32(r.MemoryKiB), uint8(r.Parallelism), keyBytes), nil
		}
	case Scrypt:
		return func(password []byte) ([]byte, error) {
			return scrypt.Key(password, salt, int(r.MemoryKiB), scryptBlock, int(r.Parallelism), keyBytes)
		}
	case PBKDF2:
		return func(password []byte) ([]byte, error) {
			return pbkdf2.Key(digests[r.Digest], string(password), salt, int(r.Iterations), keyBytes)
		}
	default:
		return func(password []byte) ([]byte, error) {
			sum := sha256.Sum256(append(salt[:saltBytes:saltBytes], password...))
			return sum[:], nil
		}
	}
}
