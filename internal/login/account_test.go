package login

import (
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/internal/password"
)

const (
	testUser     = "hashmark"
	testPassword = "correct horse battery staple"
)

var testRecipe = password.Recipe{Algorithm: password.Bcrypt, Cost: password.MinCost}

func testAccount(t testing.TB) *Account {
	t.Helper()
	account, err := NewAccount(testUser, testPassword, testRecipe)
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// counted is a stored password that counts the checks.
type counted struct {
	right  string
	hashes int
}

func (c *counted) Matches(secret string) bool {
	c.hashes++
	return secret == c.right
}

func TestEveryCheckCostsOneHash(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		user, password string
		want           bool
	}{
		"the right password":                      {testUser, testPassword, true},
		"a wrong password":                        {testUser, testPassword + "!", false},
		"an unknown user":                         {"nobody", "x", false},
		"an unknown user with the right password": {"nobody", testPassword, false},
		"user names are case-sensitive":           {"Hashmark", testPassword, false},
		"no user and no password":                 {"", "", false},
	} {
		hash := &counted{right: testPassword}
		got := (&Account{user: testUser, hash: hash}).Check(test.user, test.password)
		if got != test.want || hash.hashes != 1 {
			t.Errorf("%s: accepted %t after %d hashes, want %t after one", name, got, hash.hashes, test.want)
		}
	}
}

func TestNewAccountRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		user, secret string
		cost         int32
		want         string
	}{
		"a cost of 31":                {testUser, testPassword, 31, "between 4 and 16"},
		"a password of 73 bytes":      {testUser, strings.Repeat("x", 73), password.MinCost, "more than 72 bytes"},
		"an account without a name":   {"", testPassword, password.MinCost, "needs a user"},
		"an account without a secret": {testUser, "", password.MinCost, "needs a user and a password"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := NewAccount(test.user, test.secret, password.Recipe{Algorithm: password.Bcrypt, Cost: test.cost})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
		})
	}
}
