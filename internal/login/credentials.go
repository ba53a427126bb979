package login

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/internal/password"
)

// maxBodyBytes is more than enough for a user and a password of 72 bytes, escaped.
const maxBodyBytes = 4096

// Credentials are what a caller logs in with.
type Credentials struct {
	User     string
	Password string
}

// refusal is the answer to a request that is refused without a hash.
type refusal struct {
	status   int
	sentence string
}

func (r *refusal) Error() string { return r.sentence }

func badRequest(format string, arguments ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, sentence: fmt.Sprintf(format, arguments...)}
}

// readCredentials reads the whole body of POST /login. The body must be read before the
// login queues, because net/http notices that a caller is gone only after it has read the
// end of the body.
func readCredentials(w http.ResponseWriter, r *http.Request) (Credentials, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		return Credentials{}, bodyError(err)
	}
	return parseCredentials(r.Header.Get("Content-Type"), body)
}

func bodyError(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return &refusal{
			status:   http.StatusRequestEntityTooLarge,
			sentence: fmt.Sprintf("the body has more than %d bytes", maxBodyBytes),
		}
	}
	return badRequest("the body could not be read completely: %v", err)
}

// parseCredentials returns user and password from a form or from JSON. The error is a
// *refusal.
func parseCredentials(contentType string, body []byte) (Credentials, error) {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType = ""
	}
	var c Credentials
	switch mediaType {
	case "application/json":
		c, err = parseJSON(body)
	case "application/x-www-form-urlencoded":
		c, err = parseForm(body)
	default:
		return Credentials{}, &refusal{
			status:   http.StatusUnsupportedMediaType,
			sentence: "send user and password as application/json or application/x-www-form-urlencoded",
		}
	}
	if err != nil {
		return Credentials{}, err
	}
	return c, c.check()
}

func parseJSON(body []byte) (Credentials, error) {
	var fields struct {
		User     string `json:"user"`
		Password string `json:"password"`
	}
	if err := json.Unmarshal(body, &fields); err != nil {
		return Credentials{}, badRequest(`the body is not JSON of the form {"user": "...", "password": "..."}: %v`, err)
	}
	return Credentials{User: fields.User, Password: fields.Password}, nil
}

func parseForm(body []byte) (Credentials, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return Credentials{}, badRequest("the body is not a form: %v", err)
	}
	return Credentials{User: form.Get("user"), Password: form.Get("password")}, nil
}

// check refuses credentials that can't be right, to save the hash. The error is a *refusal.
func (c Credentials) check() error {
	switch {
	case c.User == "":
		return badRequest("the user is missing")
	case c.Password == "":
		return badRequest("the password is missing")
	case len(c.Password) > MaxPasswordBytes:
		return badRequest("%v", ErrPasswordTooLong)
	}
	return nil
}

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
