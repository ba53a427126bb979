package login

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// FuzzSpeedFrom: GET /speed answers from any second with a bounded list, or refuses it.
func FuzzSpeedFrom(f *testing.F) {
	for _, from := range []string{"0", "1", "-1", "9223372036854775807", "9223372036854775808", "", "1e3", "٣"} {
		f.Add(from)
	}
	timer := newHashTimer(nil, nil)
	for second := range 3 * evidence.MostSpeedSeconds {
		timer.book(time.Duration(second)*time.Second, time.Millisecond)
	}
	service := &Service{timer: timer}
	f.Fuzz(func(t *testing.T, from string) {
		recorder := httptest.NewRecorder()
		service.getSpeed(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/speed?from="+url.QueryEscape(from), nil))
		if code := recorder.Code; code != http.StatusOK && code != http.StatusBadRequest {
			t.Errorf("second %q is answered with %d", from, code)
		}
		if most := 40 * evidence.MostSpeedSeconds; recorder.Body.Len() > most {
			t.Errorf("second %q is answered with %d bytes", from, recorder.Body.Len())
		}
	})
}

// FuzzCookie: no cookie that the service did not sign opens a session.
func FuzzCookie(f *testing.F) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	sessions := &Sessions{key: []byte("key"), now: func() time.Time { return now }}
	own := sessions.Cookie().Value
	f.Add(own)
	f.Add("9223372036854775807." + sessions.signature("1"))
	f.Add(".")
	f.Fuzz(func(t *testing.T, value string) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		request.Header.Set("Cookie", sessionCookie+"="+value)
		cookie, err := request.Cookie(sessionCookie)
		if admitted := sessions.admits(request); admitted != (err == nil && cookie.Value == own) {
			t.Errorf("the cookie %q is admitted: %t", value, admitted)
		}
	})
}
