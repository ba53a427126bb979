package login

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

const (
	testUser     = "hashmark"
	testPassword = "correct horse battery staple"
)

func testAccount(t testing.TB) *Account {
	t.Helper()
	account, err := NewAccount(testUser, testPassword, MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return account
}

func TestCheck(t *testing.T) {
	t.Parallel()
	account := testAccount(t)
	tests := map[string]struct {
		user, password string
		want           bool
	}{
		"the right password":                          {testUser, testPassword, true},
		"a wrong password":                            {testUser, testPassword + "!", false},
		"an unknown user with the right password":     {"nobody", testPassword, false},
		"a user in other letters is another user":     {"Hashmark", testPassword, false},
		"no user and no password are not let through": {"", "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := account.Check(test.user, test.password); got != test.want {
				t.Errorf("let through: %t, want %t", got, test.want)
			}
		})
	}
}

func TestUnknownUsersCostTheSameHash(t *testing.T) {
	t.Parallel()
	account := testAccount(t)
	cost, err := bcrypt.Cost(account.nobody)
	if err != nil || cost != MinCost {
		t.Errorf("unknown users are compared at cost %d (%v), want %d", cost, err, MinCost)
	}
	// ErrMismatched is what a whole hash ends with; a malformed one costs nothing.
	err = bcrypt.CompareHashAndPassword(account.nobody, []byte(testPassword))
	if !errors.Is(err, bcrypt.ErrMismatchedHashAndPassword) {
		t.Errorf("error %v, want a mismatch after a whole hash", err)
	}
}

func TestNewAccountRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		user, password string
		cost           int32
		want           string
	}{
		"a cost of 31":                {testUser, testPassword, 31, "between 4 and 16"},
		"a cost of 17":                {testUser, testPassword, 17, "between 4 and 16"},
		"a cost of 3":                 {testUser, testPassword, 3, "between 4 and 16"},
		"a password of 73 bytes":      {testUser, strings.Repeat("x", 73), MinCost, "more than 72 bytes"},
		"an account without a name":   {"", testPassword, MinCost, "needs a user"},
		"an account without a secret": {testUser, "", MinCost, "needs a user and a password"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := NewAccount(test.user, test.password, test.cost)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
		})
	}
}
