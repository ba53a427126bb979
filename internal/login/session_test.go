package login

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// startSessions serves logins with sessions on loopback.
func startSessions(t *testing.T, key string) (*Service, string) {
	t.Helper()
	return startWith(t, Options{Concurrency: Unbounded{}, Sessions: NewSessions(key)})
}

// logIn returns the cookie that a successful login sets.
func logIn(t *testing.T, url string) *http.Cookie {
	t.Helper()
	response, _ := send(t, request(t.Context(), t, "POST", url+"/login", jsonType, goodLogin))
	for _, cookie := range response.Cookies() {
		if cookie.Name == sessionCookie {
			return cookie
		}
	}
	t.Fatalf("a successful login, answered with %d, set no session cookie", response.StatusCode)
	return nil
}

func TestASessionsBearerIsLetInWithoutAHash(t *testing.T) {
	t.Parallel()
	service, url := startSessions(t, "")
	cookie := logIn(t, url)
	for range 3 {
		r := request(t.Context(), t, "GET", url+"/", "", "")
		r.AddCookie(cookie)
		response, body := send(t, r)
		if response.StatusCode != http.StatusOK || len(response.Cookies()) != 0 {
			t.Errorf("%d %s with %v, want 200 and no new cookie", response.StatusCode, body, response.Cookies())
		}
	}
	got := read(t, url)
	if got.Hashes != 1 || got.Sessions != 3 {
		t.Errorf("%d hashes and %d session requests, want 1 and 3", got.Hashes, got.Sessions)
	}
	if _, body := send(t, request(t.Context(), t, "GET", url+"/metrics", "", "")); !strings.Contains(body, "hashmark_login_session_requests_total 3") {
		t.Error("the metrics lack the three requests")
	}
	if got := service.inFlight.Load(); got != 0 {
		t.Errorf("%d logins are still under way", got)
	}
}

func TestTheCookieIsForThisServiceAlone(t *testing.T) {
	t.Parallel()
	_, url := startSessions(t, "")
	got := logIn(t, url)
	if !got.HttpOnly || got.SameSite != http.SameSiteStrictMode || got.Path != "/" || got.Secure || got.Domain != "" {
		t.Errorf("the cookie is %s; want HttpOnly, SameSite=Strict, Path=/, and not Secure over plain HTTP", got)
	}
	if got.MaxAge != 3600 {
		t.Errorf("it lasts %d s, want an hour", got.MaxAge)
	}
}

func TestWithoutAValidCookieALoginHashes(t *testing.T) {
	t.Parallel()
	earlier := NewSessions("key")
	earlier.now = func() time.Time { return time.Now().Add(-sessionLifetime - time.Second) }
	mine := NewSessions("key").Cookie().Value
	expires, signature, _ := strings.Cut(mine, ".")
	tests := map[string]string{
		"no cookie":                     "",
		"expired":                       earlier.Cookie().Value,
		"signed by another key":         NewSessions("another").Cookie().Value,
		"signed by a random key":        NewSessions("").Cookie().Value,
		"with a later expiry":           expires + "0." + signature,
		"without a signature":           expires,
		"with an empty signature":       expires + ".",
		"with a shortened signature":    expires + "." + signature[:32],
		"a signed word that is no time": "soon." + NewSessions("key").signature("soon"),
		"empty":                         ".",
	}
	for name, value := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, url := startSessions(t, "key")
			for password, want := range map[string]int{"": 401, "x": 401, testPassword: 200} {
				r := request(t.Context(), t, "GET", url+"/", "", "")
				if value != "" {
					r.AddCookie(&http.Cookie{Name: sessionCookie, Value: value})
				}
				if password != "" {
					r.SetBasicAuth(testUser, password)
				}
				response, _ := send(t, r)
				if response.StatusCode != want || (len(response.Cookies()) == 1) != (want == http.StatusOK) {
					t.Errorf("%d with the cookies %v, want %d", response.StatusCode, response.Cookies(), want)
				}
			}
			if hashes, sessions := service.hashes.Load(), service.admitted.Load(); hashes != 2 || sessions != 0 {
				t.Errorf("%d hashes and %d by session, want 2 and none", hashes, sessions)
			}
		})
	}
}

func TestWithoutSessionsACookieIsIgnored(t *testing.T) {
	t.Parallel()
	service, url := start(t, Unbounded{})
	response, _ := send(t, request(t.Context(), t, "POST", url+"/login", jsonType, goodLogin))
	if len(response.Cookies()) != 0 {
		t.Errorf("a login set %v", response.Cookies())
	}
	r := request(t.Context(), t, "GET", url+"/", "", "")
	r.AddCookie(NewSessions("").Cookie())
	if response, _ := send(t, r); response.StatusCode != http.StatusUnauthorized || service.admitted.Load() != 0 {
		t.Errorf("%d, want 401", response.StatusCode)
	}
}
