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
	// sessionLifetime is longer than any step of a load, so that a caller hashes at most
	// once in a step.
	sessionLifetime = time.Hour
	sessionKeyBytes = 32
)

// Sessions accepts callers by a cookie from an earlier login. The service stores no
// sessions: the cookie holds its expiry time and is signed (HMAC-SHA-256), so that every
// replica with the same key accepts it.
type Sessions struct {
	key []byte
	now func() time.Time
}

// NewSessions returns sessions signed with a key. All replicas of a service need the same
// key; an empty key stands for a random one of this process.
func NewSessions(key string) *Sessions {
	if key == "" {
		random := make([]byte, sessionKeyBytes)
		rand.Read(random)
		return &Sessions{key: random, now: time.Now}
	}
	return &Sessions{key: []byte(key), now: time.Now}
}

// Cookie opens a session. It is not marked Secure: the service is reached by plain HTTP
// within a cluster, and browsers and k6 would never send a Secure cookie back.
func (s *Sessions) Cookie() *http.Cookie {
	expires := strconv.FormatInt(s.now().Add(sessionLifetime).Unix(), 10)
	//nolint:gosec // G124: not Secure, for the reason above
	return &http.Cookie{
		Name: sessionCookie, Value: expires + "." + s.signature(expires),
		Path: "/", MaxAge: int(sessionLifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

// admits reports whether a request has a cookie of this service that has not expired. The
// signature is checked first, so that nothing unsigned is parsed any further.
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

// signature returns the signature of an expiry time, in hexadecimal digits.
func (s *Sessions) signature(expires string) string {
	sum := hmac.New(sha256.New, s.key)
	sum.Write([]byte(expires)) // never fails, by the contract of hash.Hash
	return hex.EncodeToString(sum.Sum(nil))
}
