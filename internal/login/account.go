package login

import (
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/hashmark-dev/hashmark/internal/password"
)

// MaxPasswordBytes is as much of a password as bcrypt looks at, and holds for
// every algorithm, so that they are asked the same. It counts bytes, not
// characters: é is two of them.
const MaxPasswordBytes = 72

// ErrPasswordTooLong means that bcrypt would look at a part of the password only.
var ErrPasswordTooLong = fmt.Errorf(
	"the password has more than %d bytes, and bcrypt would ignore the rest; choose a shorter one (bytes count, not characters)",
	MaxPasswordBytes)

// hash is a stored password, of which one check costs one hash.
type hash interface{ Matches(password string) bool }

// Account is a user's name and the hash of the password.
type Account struct {
	user string
	hash hash
}

// NewAccount makes an account, which takes the time of one hash. The error wraps
// ErrPasswordTooLong or the recipe's own (see password.Recipe.Check).
func NewAccount(user, secret string, recipe password.Recipe) (*Account, error) {
	if user == "" || secret == "" {
		return nil, errors.New("the test account needs a user and a password")
	}
	if len(secret) > MaxPasswordBytes {
		return nil, ErrPasswordTooLong
	}
	hash, err := password.Store(recipe, secret)
	if err != nil {
		return nil, fmt.Errorf("make the test account: %w", err)
	}
	return &Account{user: user, hash: hash}, nil
}

// Check tells whether the password is the user's. It always costs one hash, so
// that its time does not tell which users there are: another user's password is
// held against this one's, and refused whatever comes of it.
func (a *Account) Check(user, secret string) bool {
	matches := a.hash.Matches(secret)
	known := subtle.ConstantTimeCompare([]byte(user), []byte(a.user)) == 1
	return matches && known
}
