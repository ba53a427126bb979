package login

import (
	"errors"
	"fmt"

	"golang.org/x/crypto/bcrypt"
)

const (
	// MinCost is bcrypt's own lower bound.
	MinCost = 4
	// MaxCost is ours. Each step up doubles the time of a hash: one at cost 31
	// would take a day and a half.
	MaxCost = 16
	// MaxPasswordBytes is as much of a password as bcrypt looks at. It counts
	// bytes, not characters: é is two of them.
	MaxPasswordBytes = 72
)

// ErrCost means that a cost lies outside MinCost to MaxCost.
var ErrCost = fmt.Errorf("the bcrypt cost must lie between %d and %d", MinCost, MaxCost)

// ErrPasswordTooLong means that bcrypt would look at a part of the password only.
var ErrPasswordTooLong = fmt.Errorf(
	"the password has more than %d bytes, and bcrypt would ignore the rest; choose a shorter one (bytes count, not characters)",
	MaxPasswordBytes)

// Account is a user's name and the hash of the password.
type Account struct {
	user string
	hash []byte
	// nobody is compared against for any other user: it costs the same and no
	// password has it.
	nobody []byte
}

// NewAccount makes an account, which takes the time of one hash. The error wraps
// ErrCost or ErrPasswordTooLong.
func NewAccount(user, password string, cost int32) (*Account, error) {
	if cost < MinCost || cost > MaxCost {
		return nil, fmt.Errorf("%w, not at %d", ErrCost, cost)
	}
	if user == "" || password == "" {
		return nil, errors.New("the test account needs a user and a password")
	}
	if len(password) > MaxPasswordBytes {
		return nil, ErrPasswordTooLong
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), int(cost))
	if err != nil {
		return nil, fmt.Errorf("hash the test account's password: %w", err)
	}
	return &Account{user: user, hash: hash, nobody: withoutPassword(hash)}, nil
}

// Check tells whether the password is the user's. It always costs one hash, so
// that its time does not tell which users there are.
func (a *Account) Check(user, password string) bool {
	hash := a.nobody
	if user == a.user {
		hash = a.hash
	}
	return bcrypt.CompareHashAndPassword(hash, []byte(password)) == nil
}

// withoutPassword turns a hash into one that no password has, of the same cost.
// The last of bcrypt's 31 characters carries four bits only and is written with
// the rest zero; a character with other bits there is never computed.
func withoutPassword(hash []byte) []byte {
	nobody := append([]byte(nil), hash...)
	nobody[len(nobody)-1] = '9'
	return nobody
}
