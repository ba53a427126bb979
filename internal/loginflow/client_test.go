package loginflow_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
)

// site is a login service with a form that is protected by a token, one that takes JSON, and one
// with Basic authentication. Each accepts ada with the password "sesame $1".
func site(t *testing.T) *httptest.Server {
	t.Helper()
	accepts := func(user, password string) bool { return user == "ada" && password == "sesame $1" }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /form", func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s3"})
		w.Header().Set("X-Token", "in a header")
		_, _ = io.WriteString(w, `<html><form><input name="user"><input type="hidden" name="csrf" value="t&amp;k"/></form></html>`)
	})
	mux.HandleFunc("POST /form", func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("session")
		if err != nil || cookie.Value != "s3" || r.FormValue("csrf") != "t&k" {
			http.Error(w, "forged", http.StatusForbidden)
			return
		}
		if accepts(r.FormValue("user"), r.FormValue("password")) {
			http.Redirect(w, r, "/welcome", http.StatusFound)
			return
		}
		http.Redirect(w, r, "/form?error", http.StatusSeeOther)
	})
	mux.Handle("GET /redirect", http.RedirectHandler("/login?error", http.StatusFound))
	mux.HandleFunc("POST /json", func(w http.ResponseWriter, r *http.Request) {
		var given map[string]string
		if r.Header.Get("Content-Type") != "application/json" || json.NewDecoder(r.Body).Decode(&given) != nil || !accepts(given["user"], given["password"]) {
			http.Error(w, strings.Repeat("no ", 200), http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"session":{"token":"t1","ttl":12345678901234567890}}`)
	})
	mux.HandleFunc("PUT /token/{token}/{ttl}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("token") != "t1" || r.PathValue("ttl") != "12345678901234567890" {
			http.Error(w, r.URL.Path, http.StatusTeapot)
		}
	})
	mux.HandleFunc("GET /basic", func(w http.ResponseWriter, r *http.Request) {
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:sesame $1"))
		if r.Header.Get("Authorization") != want {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// flows are flows as in a spec.
var flows = map[string]string{
	"a form with a token": `{"steps":[
		{"path":"/form","extract":{"csrf":{"formField":"csrf"}}},
		{"name":"password","method":"POST","path":"/form","form":{"user":"$(HASHMARK_USER)","password":"$(HASHMARK_PASSWORD)","csrf":"$(csrf)"},"expect":{"status":[302]}}],
		"wrong":{"status":[303]}}`,
	"JSON, and what it answers": `{"steps":[
		{"method":"POST","path":"/json","json":{"user":"$(HASHMARK_USER)","password":"$(HASHMARK_PASSWORD)"},"extract":{"token":{"json":"session.token"},"ttl":{"regexp":"\"ttl\":(\\d+)"}}},
		{"method":"PUT","path":"/token/$(token)/$(ttl)"}],
		"wrong":{"status":[401]}}`,
	"Basic authentication": `{"steps":[{"path":"/basic","basicAuth":true}],"wrong":{"status":[401]}}`,
	"a body as text": `{"steps":[{"method":"POST","path":"/json","headers":{"Content-Type":"application/json"},
		"body":"{\"user\":\"$(HASHMARK_USER)\",\"password\":\"$(HASHMARK_PASSWORD)\"}"}],"wrong":{"status":[401]}}`,
}

func TestEveryKindOfLogin(t *testing.T) {
	server := site(t)
	for name, text := range flows {
		t.Run(name, func(t *testing.T) {
			flow, err := loginflow.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			client := loginflow.NewClient(flow, server.URL+"/", time.Second)
			for range 2 { // the second without the first one's cookies
				if err := client.Login(t.Context(), "ada", "sesame $1"); err != nil {
					t.Error(err)
				}
			}
			if len(flow.Steps) > 1 && name != "a form with a token" {
				return // its password is in the first step
			}
			if err := client.LoginWrongly(t.Context(), "ada", "open"); err != nil {
				t.Errorf("a wrong password: %v", err)
			}
		})
	}
}

func TestAResponseThatIsNotExpectedIsQuoted(t *testing.T) {
	server := site(t)
	for name, test := range map[string]struct{ flow, want string }{
		"another status": {
			`{"steps":[{"name":"password","method":"POST","path":"/json","body":"{}","expect":{"status":[200,204]}}],"wrong":{}}`,
			`password: the status was 401, and 200 or 204 was expected. The response begins with "` + strings.Repeat("no ", 66) + `no"`,
		},
		"a redirect": {
			`{"steps":[{"path":"/redirect"}],"wrong":{}}`,
			`step 1: the status was 302, and 200 to 299 was expected. The response redirects to "/login?error"`,
		},
		"no value": {
			`{"steps":[{"path":"/form","extract":{"csrf":{"header":"X-CSRF"}}}],"wrong":{}}`,
			`step 1: csrf was not found in the response, which has the status 200 and begins with "<html>`,
		},
		"no name in the form":  {`{"steps":[{"path":"/form","extract":{"csrf":{"formField":"crsf"}}}],"wrong":{}}`, `step 1: csrf was not found`},
		"no such cookie":       {`{"steps":[{"path":"/form","extract":{"id":{"cookie":"id"}}}],"wrong":{}}`, `step 1: id was not found`},
		"no JSON":              {`{"steps":[{"path":"/form","extract":{"id":{"json":"id"}}}],"wrong":{}}`, `step 1: id was not found`},
		"a request that fails": {`{"setup":[{"path":"/absent"}],"steps":[{"path":"/form"}],"wrong":{}}`, `setup request 1: the status was 404, and 200 to 299 was expected`},
	} {
		t.Run(name, func(t *testing.T) {
			flow, err := loginflow.Parse(test.flow)
			if err != nil {
				t.Fatal(err)
			}
			client := loginflow.NewClient(flow, server.URL, time.Second)
			err = errors.Join(client.Setup(t.Context(), "ada", "x"))
			if err == nil {
				err = client.Login(t.Context(), "ada", "x")
			}
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s…", err, test.want)
			}
		})
	}
}

func TestAServiceThatDoesNotAnswerIsNamedWithoutItsAddress(t *testing.T) {
	server := site(t)
	server.Close()
	flow := handover.Login{Steps: []handover.Request{{Path: "/form"}}}
	err := loginflow.NewClient(flow, server.URL, time.Second).Login(t.Context(), "ada", "x")
	if err == nil || !strings.HasPrefix(err.Error(), "step 1: there was no response: ") || strings.Contains(err.Error(), "GET") {
		t.Errorf("got %v", err)
	}
}

func TestVariablesAreReplacedAsKubernetesDoes(t *testing.T) {
	known := map[string]string{"A": "a", "B_2": "$(A)"}
	for text, want := range map[string]string{
		"$(A)-$(B_2)": "a-$(A)", "$$(A)": "$(A)", "$(C)": "$(C)", "$A $ $(": "$A $ $(", "$$$(A)": "$a", "": "",
	} {
		if got := loginflow.Expand(text, known); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := fmt.Sprint(loginflow.References("$(A) $$(B) $(C)")); got != "[A C]" {
		t.Errorf("the references are %s", got)
	}
}

func TestAFlowThatCannotBeSentIsRefused(t *testing.T) {
	for _, text := range []string{
		`{"steps":[{"path":"/","timeout":3}]}`, `{"wrong":{"status":[401]}}`, `{"steps":[]}`, `{"steps":[{"path":"/"}],"script":"x"}`,
	} {
		if _, err := loginflow.Parse(text); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}
