package login

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	sessionCookie = "hashmark_session"
	// sessionLifetime is longer than any step of a load, so that within one a
	// caller hashes once.
	sessionLifetime = time.Hour
	sessionKeyBytes = 32
)

// Sessions lets callers in by a cookie that an earlier login earned them. The
// service keeps no list of them: the cookie holds when it expires, and is signed
// (HMAC-SHA-256), so that every replica with the same key lets its bearer in.
type Sessions struct {
	key []byte
	now func() time.Time
}

// NewSessions signs by a key. All replicas of a service need the same one; an
// empty key stands for a random one of this process.
func NewSessions(key string) *Sessions {
	if key == "" {
		random := make([]byte, sessionKeyBytes)
		rand.Read(random)
		return &Sessions{key: random, now: time.Now}
	}
	return &Sessions{key: []byte(key), now: time.Now}
}

// Cookie opens a session. It is not marked Secure: the service is reached by
// plain HTTP inside a cluster, where a browser, and k6 as well, would never send
// such a cookie back.
func (s *Sessions) Cookie() *http.Cookie {
	expires := strconv.FormatInt(s.now().Add(sessionLifetime).Unix(), 10)
	//nolint:gosec // G124: not Secure, for the reason above
	return &http.Cookie{
		Name: sessionCookie, Value: expires + "." + s.signature(expires),
		Path: "/", MaxAge: int(sessionLifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

// admits tells whether a request carries a cookie of this service that has not
// expired. The signature is looked at first: nothing that is not signed here is
// read any further.
func (s *Sessions) admits(r *http.Request) bool {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return false
	}
	expires, signature, found := strings.Cut(cookie.Value, ".")
	if !found || !hmac.Equal([]byte(signature), []byte(s.signature(expires))) {
		return false
	}
	seconds, err := strconv.ParseInt(expires, 10, 64)
	return err == nil && s.now().Before(time.Unix(seconds, 0))
}

// signature of a moment, in hexadecimal digits.
func (s *Sessions) signature(expires string) string {
	sum := hmac.New(sha256.New, s.key)
	sum.Write([]byte(expires)) // never fails, by the contract of hash.Hash
	return hex.EncodeToString(sum.Sum(nil))
}
