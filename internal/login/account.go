package login

import (
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/hashmark-dev/hashmark/internal/password"
)

// MaxPasswordBytes is how much of a password bcrypt uses. The limit holds for every
// algorithm, so that all get the same passwords. It counts bytes, not characters: é is two
// bytes.
const MaxPasswordBytes = 72

// ErrPasswordTooLong means that bcrypt would use only a part of the password.
var ErrPasswordTooLong = fmt.Errorf(
	"the password has more than %d bytes, and bcrypt would ignore the rest; choose a shorter one (bytes count, not characters)",
	MaxPasswordBytes)

// hash is a stored password. Each check costs one hash.
type hash interface{ Matches(password string) bool }

// Account is a user's name and the hash of the password.
type Account struct {
	user string
	hash hash
}

// NewAccount creates an account, which takes the time of one hash. The error wraps
// ErrPasswordTooLong or that of password.Recipe.Check.
func NewAccount(user, secret string, recipe password.Recipe) (*Account, error) {
	if user == "" || secret == "" {
		return nil, errors.New("the test account needs a user and a password")
	}
	if len(secret) > MaxPasswordBytes {
		return nil, ErrPasswordTooLong
	}
	hash, err := password.Store(recipe, secret)
	if err != nil {
		return nil, fmt.Errorf("create the test account: %w", err)
	}
	return &Account{user: user, hash: hash}, nil
}

// Check reports whether user and password are the account's. It always costs one hash, so
// that its time does not show which users exist: for another user the password is compared
// too, and then refused.
func (a *Account) Check(user, secret string) bool {
	matches := a.hash.Matches(secret)
	known := subtle.ConstantTimeCompare([]byte(user), []byte(a.user)) == 1
	return matches && known
}
