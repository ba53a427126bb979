package v1beta1

// HashKind is a way to hash a password, spelled as the member of Hash that has its parameters.
// +kubebuilder:validation:Enum=bcrypt;argon2id;scrypt;pbkdf2;sha256
type HashKind string

const (
	// HashBcrypt is bcrypt as golang.org/x/crypto/bcrypt computes it.
	HashBcrypt HashKind = "bcrypt"
	// HashArgon2id is Argon2id as golang.org/x/crypto/argon2 computes it.
	HashArgon2id HashKind = "argon2id"
	// HashScrypt is scrypt as golang.org/x/crypto/scrypt computes it.
	HashScrypt HashKind = "scrypt"
	// HashPBKDF2 is PBKDF2 with HMAC as crypto/pbkdf2 computes it.
	HashPBKDF2 HashKind = "pbkdf2"
	// HashSHA256 is one salted SHA-256.
	HashSHA256 HashKind = "sha256"
	// HashOther is any other hash that a user's own login service computes, or an unknown one. It can't be
	// asked for.
	HashOther HashKind = "other"
)

// Hash is how a login is checked: exactly one of bcrypt, argon2id, scrypt, pbkdf2, sha256 and other,
// with its parameters.
//
// Bcrypt without sessions is a cost, wherever it is written: it is compared with the other costs, and
// it can be predicted. The same cost twice makes an A/A pair, whose difference is noise.
//
// +kubebuilder:validation:XValidation:rule="[has(self.bcrypt), has(self.argon2id), has(self.scrypt), has(self.pbkdf2), has(self.sha256), has(self.other)].filter(x, x).size() == 1",message="a hash must have exactly one of bcrypt, argon2id, scrypt, pbkdf2, sha256 and other, such as argon2id: {}"
// +kubebuilder:validation:XValidation:rule="!self.name.matches('^c[0-9]+(-|$)')",message="a hash's name can't begin like the name of a cost, such as c8; choose another name"
// +kubebuilder:validation:XValidation:rule="!has(self.guessesPerSecond) || !(has(self.bcrypt) || has(self.other) || has(self.sessions) && self.sessions)",message="guessesPerSecond is for argon2id, scrypt, pbkdf2 and sha256, without sessions; remove it, and for bcrypt set prices.guessesPerSecondAtCost10"
type Hash struct {
	// A short name that replaces the cost in the variant's name: lower-case letters, digits
	// and dashes, at most 16 characters. It can't begin like the name of a cost, such as
	// c8. By default "", which only a hash of matrix.costs has.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^([a-z]([a-z0-9-]{0,14}[a-z0-9])?)?$`
	Name string `json:"name"`
	// Bcrypt, such as {cost: 10}.
	// +optional
	Bcrypt *Bcrypt `json:"bcrypt,omitempty"`
	// Argon2id, such as {memoryKiB: 19456, iterations: 2, parallelism: 1}.
	// +optional
	Argon2id *Argon2id `json:"argon2id,omitempty"`
	// Scrypt, such as {memoryKiB: 131072, parallelism: 1}.
	// +optional
	Scrypt *Scrypt `json:"scrypt,omitempty"`
	// PBKDF2 with HMAC, such as {digest: SHA-256, iterations: 600000}.
	// +optional
	PBKDF2 *PBKDF2 `json:"pbkdf2,omitempty"`
	// One salted SHA-256, written as {}: deliberately cheap, to show what is left of a login when
	// hashing costs nothing. Never store passwords this way.
	// +optional
	SHA256 *SHA256 `json:"sha256,omitempty"`
	// A hash that is not in this list, or that you don't know, written as {}. Only with service.own. A
	// demand is answered by rate, latency and price: the hash is not compared with others, and not
	// checked.
	// +optional
	Other *Other `json:"other,omitempty"`
	// True if only a caller's first login hashes, and later requests carry a session cookie. Such a
	// hash is never recommended. By default every request hashes.
	// +optional
	Sessions bool `json:"sessions,omitempty"`
	// How many guesses per second the attacker's GPU makes at this hash, 1 to 10^12. Not with
	// bcrypt, whose guesses follow from prices.guessesPerSecondAtCost10. When absent: the
	// published rates for OWASP's Argon2id settings on an RTX 5090 (see docs/method.md); for
	// other settings the guesses are unknown, so that they have no price and the hash can't be
	// recommended.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	GuessesPerSecond *int64 `json:"guessesPerSecond,omitempty"`
}

// Bcrypt has the parameters of bcrypt.
type Bcrypt struct {
	// The cost, 4 to 16: 2^cost rounds of key expansion. Each increment doubles the time of a
	// hash; one hash at cost 31 takes a day and a half.
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=16
	Cost int32 `json:"cost"`
}

// Argon2id has the parameters of Argon2id. The defaults are those of OWASP's Password Storage Cheat
// Sheet.
//
// +kubebuilder:validation:XValidation:rule="self.memoryKiB >= 8 * self.parallelism",message="argon2id needs 8 KiB of memory for each lane; raise memoryKiB, or lower parallelism"
type Argon2id struct {
	// The memory of one hash, in KiB, 8 to 4,194,304. By default 19456.
	// +optional
	// +kubebuilder:default=19456
	// +kubebuilder:validation:Minimum=8
	// +kubebuilder:validation:Maximum=4194304
	MemoryKiB int32 `json:"memoryKiB,omitempty"`
	// The passes over the memory, 1 to 64. By default 2.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Iterations int32 `json:"iterations,omitempty"`
	// The lanes of one hash, 1 to 64. By default 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Parallelism int32 `json:"parallelism,omitempty"`
}

// Scrypt has the parameters of scrypt with blocks of 1 KiB (r = 8), so that N is the memory in KiB.
// The defaults are those of OWASP's Password Storage Cheat Sheet.
//
// +kubebuilder:validation:XValidation:rule="self.memoryKiB in [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]",message="memoryKiB must be a power of two with scrypt, such as 65536 or 131072"
type Scrypt struct {
	// The memory of one hash, in KiB, a power of two from 8 to 4,194,304. By default 131072.
	// +optional
	// +kubebuilder:default=131072
	// +kubebuilder:validation:Minimum=8
	// +kubebuilder:validation:Maximum=4194304
	MemoryKiB int32 `json:"memoryKiB,omitempty"`
	// The lanes of one hash, 1 to 64. By default 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Parallelism int32 `json:"parallelism,omitempty"`
}

// PBKDF2 has the parameters of PBKDF2. The defaults are those of OWASP's Password Storage Cheat Sheet
// for SHA-256.
type PBKDF2 struct {
	// The digest of the HMAC: SHA-256 (the default) or SHA-512.
	// +optional
	// +kubebuilder:default=SHA-256
	Digest Digest `json:"digest,omitempty"`
	// The rounds, 1,000 to 10,000,000. By default 600000.
	// +optional
	// +kubebuilder:default=600000
	// +kubebuilder:validation:Minimum=1000
	// +kubebuilder:validation:Maximum=10000000
	Iterations int32 `json:"iterations,omitempty"`
}

// Digest is the hash function of an HMAC.
// +kubebuilder:validation:Enum=SHA-256;SHA-512
type Digest string

const (
	// DigestSHA256 is SHA-256.
	DigestSHA256 Digest = "SHA-256"
	// DigestSHA512 is SHA-512.
	DigestSHA512 Digest = "SHA-512"
)

// SHA256 has no parameters.
type SHA256 struct{}

// Other has no parameters.
type Other struct{}

// BcryptHash returns the hash of an entry of matrix.costs.
func BcryptHash(cost int32) Hash { return Hash{Bcrypt: &Bcrypt{Cost: cost}} }

// Kind returns the member that the hash has, or "" if it has none.
func (h *Hash) Kind() HashKind {
	switch {
	case h.Bcrypt != nil:
		return HashBcrypt
	case h.Argon2id != nil:
		return HashArgon2id
	case h.Scrypt != nil:
		return HashScrypt
	case h.PBKDF2 != nil:
		return HashPBKDF2
	case h.SHA256 != nil:
		return HashSHA256
	case h.Other != nil:
		return HashOther
	default:
		return ""
	}
}

// Cost returns the cost of bcrypt, or 0 for another hash.
func (h *Hash) Cost() int32 {
	if h.Bcrypt == nil {
		return 0
	}
	return h.Bcrypt.Cost
}

// IsCost reports whether the hash is bcrypt without sessions, which is compared with and predicted from
// other costs, wherever it is written in the matrix.
func (h *Hash) IsCost() bool { return h.Bcrypt != nil && !h.Sessions }
