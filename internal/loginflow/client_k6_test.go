//go:build k6

package loginflow_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/loadtests"
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
	mux.HandleFunc("GET /list", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `["id"]`) })
	mux.HandleFunc("GET /cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "not all")
	})
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
	mux.HandleFunc("POST /fields", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		headers := []string{r.Header.Get("Content-Type"), r.Header.Get("X-Role"), r.Header.Get("Cookie")}
		if got, want := strings.Join(headers, " | "), "text/plain | a, b | c=1; d=2"; got != want {
			http.Error(w, got, http.StatusTeapot)
			return
		}
		if string(body) != "z=1&password=sesame%20%241&z=2&a=" {
			http.Error(w, string(body), http.StatusUnauthorized)
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
		{"path":"/form","extract":[{"name":"csrf","formField":"csrf"}]},
		{"name":"password","method":"POST","path":"/form","form":[{"name":"user","value":"$(HASHMARK_USER)"},{"name":"password","value":"$(HASHMARK_PASSWORD)"},{"name":"csrf","value":"$(csrf)"}],"expect":{"status":[302]}}],
		"wrong":{"status":[303]}}`,
	"JSON, and what it answers": `{"steps":[
		{"method":"POST","path":"/json","json":{"user":"$(HASHMARK_USER)","password":"$(HASHMARK_PASSWORD)"},"extract":[{"name":"token","json":"session.token"},{"name":"ttl","regexp":"\"ttl\":(\\d+)"}]},
		{"method":"PUT","path":"/token/$(token)/$(ttl)"}],
		"wrong":{"status":[401]}}`,
	"Basic authentication": `{"steps":[{"path":"/basic","auth":"Basic"}],"wrong":{"status":[401]}}`,
	"fields in their order, some of them twice": `{"steps":[{"method":"POST","path":"/fields",
		"headers":[{"name":"X-Role","value":"a"},{"name":"Cookie","value":"c=1"},{"name":"content-type","value":"text/plain"},
			{"name":"Cookie","value":"d=2"},{"name":"x-role","value":"b"}],
		"form":[{"name":"z","value":"1"},{"name":"password","value":"$(HASHMARK_PASSWORD)"},{"name":"z","value":"2"},{"name":"a","value":""}]}],
		"wrong":{"status":[401]}}`,
	"a body as text": `{"steps":[{"method":"POST","path":"/json","headers":[{"name":"Content-Type","value":"application/json"}],
		"body":"{\"user\":\"$(HASHMARK_USER)\",\"password\":\"$(HASHMARK_PASSWORD)\"}"}],"wrong":{"status":[401]}}`,
}

// k6 returns the program.
func k6(t *testing.T) string {
	t.Helper()
	program := os.Getenv("HASHMARK_K6")
	if program == "" {
		t.Fatal("HASHMARK_K6 is not set: run `make test-unit`, which compiles k6 first, or set it to a k6 program")
	}
	return program
}

// start starts k6 with a flow, next to a service.
func start(t *testing.T, flow handover.Login) *loginflow.Client {
	t.Helper()
	return startAs(t, flow, false)
}

func startAs(t *testing.T, flow handover.Login, private bool) *loginflow.Client {
	t.Helper()
	folder := t.TempDir()
	if err := loadtests.Write(folder, flow.Script); err != nil {
		t.Fatal(err)
	}
	client, err := loginflow.Start(k6(t), folder, flow, 5*time.Second, private)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// parsed returns a flow of a spec.
func parsed(t *testing.T, text string) handover.Login {
	t.Helper()
	flow, err := loginflow.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return flow
}

// accounts at a service are the right one, and the same with a wrong password.
func accounts(address string) (right, wrong loginflow.Account) {
	right = loginflow.Account{Address: address, User: "ada", Password: "sesame $1"}
	wrong = right
	wrong.Password = "open"
	return right, wrong
}

func TestEveryKindOfLogin(t *testing.T) {
	right, wrong := accounts(site(t).URL)
	for name, text := range flows {
		t.Run(name, func(t *testing.T) {
			flow := parsed(t, text)
			client := start(t, flow)
			for range 2 { // the second without the first one's cookies
				if err := client.Login(t.Context(), right); err != nil {
					t.Error(err)
				}
			}
			if err := client.Login(t.Context(), wrong); err == nil {
				t.Error("a wrong password is accepted")
			}
			if len(flow.Steps) > 1 && name != "a form with a token" {
				return // its password is in the first step
			}
			if err := client.LoginWrongly(t.Context(), wrong); err != nil {
				t.Errorf("a wrong password: %v", err)
			}
		})
	}
}

func TestAWrongPasswordMustBeRefusedByTheLastStep(t *testing.T) {
	_, wrong := accounts(site(t).URL)
	for name, test := range map[string]struct{ flow, want string }{
		"a refusal of another step": {
			flows["JSON, and what it answers"], `step 1: the status was 401, and 200 to 299 was expected. The response begins with "no `,
		},
		"another status": {
			`{"steps":[{"path":"/basic","auth":"Basic"}],"wrong":{"status":[403]}}`, `step 1: the status was 401, and 403 was expected.`,
		},
		"a success": {`{"steps":[{"path":"/form"}],"wrong":{"status":[401]}}`, `login(): the login succeeded with the status 200.`},
	} {
		t.Run(name, func(t *testing.T) {
			err := start(t, parsed(t, test.flow)).LoginWrongly(t.Context(), wrong)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s…", err, test.want)
			}
		})
	}
}

func TestAResponseThatIsNotExpectedIsQuoted(t *testing.T) {
	right, _ := accounts(site(t).URL)
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
			`{"steps":[{"path":"/form"},{"path":"/form","extract":[{"name":"csrf","header":"X-CSRF"}]}],"wrong":{}}`,
			`step 2: csrf was not found in the response, which has the status 200. It begins with "<html>`,
		},
		"no name in the form":  {`{"steps":[{"path":"/form","extract":[{"name":"csrf","formField":"crsf"}]}],"wrong":{}}`, `step 1: csrf was not found`},
		"no such cookie":       {`{"steps":[{"path":"/form","extract":[{"name":"id","cookie":"id"}]}],"wrong":{}}`, `step 1: id was not found`},
		"no JSON":              {`{"steps":[{"path":"/form","extract":[{"name":"id","json":"id"}]}],"wrong":{}}`, `step 1: id was not found`},
		"no object":            {`{"steps":[{"path":"/list","extract":[{"name":"id","json":"id"}]}],"wrong":{}}`, `step 1: id was not found`},
		"a body that is cut":   {`{"steps":[{"path":"/cut"}],"wrong":{}}`, `step 1: the request failed: unexpected EOF`},
		"an exception":         {`{"steps":[{"path":"/form","extract":[{"name":"id","regexp":"(?i)x"}]}],"wrong":{}}`, `login(): the login failed: "SyntaxError: `},
		"a request that fails": {`{"setup":[{"path":"/absent"}],"steps":[{"path":"/form"}],"wrong":{}}`, `setup request 1: the status was 404, and 200 to 299 was expected`},
		"a setup without a variable": {
			`{"setup":[{"path":"/form"},{"name":"again","path":"/form","extract":[{"name":"id","cookie":"id"}]}],"steps":[{"path":"/form"}],"wrong":{}}`,
			`again: id was not found`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := start(t, parsed(t, test.flow))
			err := client.Setup(t.Context(), right)
			if err == nil {
				err = client.Login(t.Context(), right)
			}
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s…", err, test.want)
			}
		})
	}
}

// What a service answers and what a script throws can have a Secret. The step and the status can't.
func TestNothingIsQuotedFromAPrivateService(t *testing.T) {
	right, wrong := accounts(site(t).URL)
	const script = "import http from 'k6/http';\nexport function login({ address }) { "
	for name, test := range map[string]struct {
		flow handover.Login
		want string
	}{
		"another status": {
			parsed(t, `{"steps":[{"method":"POST","path":"/json","body":"{}"}],"wrong":{}}`),
			`step 1: the status was 401, and 200 to 299 was expected. The response is ` + loginflow.Hidden,
		},
		"a redirect": {
			parsed(t, `{"steps":[{"path":"/redirect"}],"wrong":{}}`),
			`step 1: the status was 302, and 200 to 299 was expected. The response is ` + loginflow.Hidden,
		},
		"no value": {
			parsed(t, `{"steps":[{"path":"/form","extract":[{"name":"csrf","header":"X-CSRF"}]}],"wrong":{}}`),
			`step 1: csrf was not found in the response, which has the status 200. The response is ` + loginflow.Hidden,
		},
		"a failed setup":         {parsed(t, `{"setup":[{"path":"/absent"}],"steps":[{"path":"/form"}],"wrong":{}}`), `setup request 1: the status was 404`},
		"a body that is cut":     {parsed(t, `{"steps":[{"path":"/cut"}],"wrong":{}}`), `step 1: the request failed: ` + loginflow.Hidden},
		"an exception":           {handover.Login{Script: script + "throw new Error('no token'); }"}, `login(): the login failed: "` + loginflow.Hidden},
		"a response of a script": {handover.Login{Script: script + "return { response: http.post(address + '/json', '{}'), ok: false }; }"}, `login(): the login failed with the status 401. The response is ` + loginflow.Hidden},
		"the output of k6":       {handover.Login{Script: "no token"}, `login(): k6 could not run spec.service.own.login.script: "` + loginflow.Hidden},
		"a wrong password":       {parsed(t, `{"steps":[{"path":"/basic","auth":"Basic"}],"wrong":{"status":[403]}}`), `step 1: the status was 401`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := startAs(t, test.flow, true)
			err := client.Setup(t.Context(), right)
			switch {
			case err != nil:
			case name == "a wrong password":
				err = client.LoginWrongly(t.Context(), wrong)
			default:
				err = client.Login(t.Context(), right)
			}
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Fatalf("got %v, want %s…", err, test.want)
			}
			for _, said := range []string{"no no", "<html>", "token", "EOF", "?error"} {
				if strings.Contains(err.Error(), said) {
					t.Errorf("%v has %q", err, said)
				}
			}
		})
	}
}

func TestAServiceThatDoesNotAnswerIsNamedWithoutItsAddress(t *testing.T) {
	server := site(t)
	server.Close()
	right, _ := accounts(server.URL)
	flow := handover.Login{Steps: []handover.Request{{Path: "/form"}}}
	err := start(t, flow).Login(t.Context(), right)
	if err == nil || !strings.HasPrefix(err.Error(), "step 1: the request failed: ") || strings.Contains(err.Error(), "GET") {
		t.Errorf("got %v", err)
	}
}

// challenge is a login that steps can't express: its last request depends on code.
const challenge = `
import http from 'k6/http';
export function login({ address, user, password, timeout }) {
  const form = http.get(address + '/form', { timeout });
  const csrf = form.html().find('input[name=csrf]').attr('value').trim();
  const response = http.post(address + '/form', { user, password, csrf }, { redirects: 0, timeout });
  return { response, ok: response.status === 302 };
}
`

// startScript starts k6 with a script.
func startScript(t *testing.T, text string) *loginflow.Client {
	t.Helper()
	return start(t, handover.Login{Script: text, Wrong: handover.ExpectedResponse{Status: []int32{303}}})
}

func TestAScriptLogsIn(t *testing.T) {
	script := startScript(t, challenge)
	right, wrong := accounts(site(t).URL)
	for range 2 { // the second without the first one's cookies
		if err := script.Login(t.Context(), right); err != nil {
			t.Fatal(err)
		}
	}
	before, err := cgroup.CPUTimeOf(script.PID())
	if err != nil || before <= 0 {
		t.Errorf("k6 has used %s, %v", before, err)
	}
	if err := script.LoginWrongly(t.Context(), wrong); err != nil {
		t.Errorf("a wrong password: %v", err)
	}
	if after, err := cgroup.CPUTimeOf(script.PID()); err != nil || after <= before {
		t.Errorf("k6 has used %s after %s, %v", after, before, err)
	}
	if err := script.LoginWrongly(t.Context(), right); err == nil || err.Error() != "login(): the login succeeded with the status 302. The response begins with \"\"" {
		t.Errorf("the right password instead of a wrong one: %v", err)
	}
}

func TestAScriptThatFailsSaysWhy(t *testing.T) {
	right, _ := accounts(site(t).URL)
	const head = "import http from 'k6/http';\nexport function login({ address }) { "
	for name, test := range map[string]struct{ script, want string }{
		"an exception": {head + "throw new Error('no ' + 'token'); }", `login(): the login failed: "Error: no token"`},
		"nothing":      {head + "}", `login(): the login failed: "TypeError: `},
		"a failure": {
			head + "return { response: http.post(address + '/json', '{}'), ok: false }; }",
			`login(): the login failed with the status 401. The response begins with "` + strings.Repeat("no ", 66) + `no"`,
		},
		"no connection":       {head + "return { response: http.get('http://127.0.0.1:1/'), ok: false }; }", `login(): the login failed: "dial: connection refused"`},
		"a mistake in syntax": {head, `login(): k6 could not run spec.service.own.login.script: "`},
		"no function login":   {"export const log = 1;", `login(): `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := startScript(t, test.script).Login(t.Context(), right)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || len(err.Error()) > 400 {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestAScriptThatHangsIsGivenUp(t *testing.T) {
	script := startScript(t, "import { sleep } from 'k6';\nexport function login() { sleep(600); }")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := script.Login(ctx, loginflow.Account{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// Under load, a script is called as the steps of a flow are, and what it throws is a failed login.
func TestLoginsUnderLoadWithAScript(t *testing.T) {
	folder := t.TempDir()
	own := strings.Replace(challenge, "export function login(", "function right(", 1) + `
export function login(given) {
  if (http.cookieJar().cookiesForURL(given.address).session) {
    throw 'a cookie of an earlier login';
  }
  if (given.user === 'nobody') {
    throw 'nobody';
  }
  return Object.assign(right(given), { untimed: given.user === 'ada' ? 1e9 : -1 });
}
`
	if err := loadtests.Write(folder, own); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(folder, "main.js")
	text := `
import { loginOnce } from './login_once.js';
export default function () {
  for (const user of ['ada', 'bob', 'nobody']) {
    const { ok, untimed, error } = loginOnce(__ENV.TARGET, user, 'sesame $1', 1000);
    console.log('case ' + JSON.stringify([user, ok, untimed > 0 && untimed < 1000, error]));
  }
}
`
	if err := os.WriteFile(main, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), k6(t), loadtests.Arguments(main)...)
	command.Env = loadtests.Environ(os.Environ(), "TARGET="+site(t).URL)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("k6: %v\n%s", err, output)
	}
	var got []string
	for line := range strings.Lines(string(output)) {
		if text, is := strings.CutPrefix(strings.TrimSpace(line), "case "); is && json.Valid([]byte(text)) {
			got = append(got, text)
		}
	}
	if want := `["ada",true,true,""] ["bob",false,false,""] ["nobody",false,false,"nobody"]`; strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s\n%s", strings.Join(got, " "), want, output)
	}
}
