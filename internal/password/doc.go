// Package password hashes a password in one of several ways, and checks other passwords
// against the hash. A Recipe defines how; Store hashes a password by it.
//
//	Bcrypt    bcrypt with 2^cost rounds            golang.org/x/crypto/bcrypt
//	Argon2id  memory, passes over it, lanes        golang.org/x/crypto/argon2
//	Scrypt    N = memory ÷ 1 KiB, r = 8, p lanes   golang.org/x/crypto/scrypt
//	PBKDF2    iterations of HMAC-SHA-256           crypto/pbkdf2
//	SHA256    one salted SHA-256                   crypto/sha256
//
// Every check computes one whole hash and compares in constant time, so that its time
// depends only on the recipe.
//
// The package exists for the login service that is measured. It can't write hashes down,
// and SHA256 is there to show what a login costs when hashing costs nothing: never store
// passwords this way.
//
// Built with the tag drift, hashes take more or less CPU on a schedule, for the end-to-end
// tests (package drift). Without the tag, as released, none of that is compiled in.
package password
