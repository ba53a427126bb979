//go:build k6

package loginflow_test

import (
	"context"
	"encoding/json"
	"errors"
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

// startScript runs a script next to the site, as a pod does.
func startScript(t *testing.T, text string) *loginflow.Script {
	t.Helper()
	folder := t.TempDir()
	if err := loadtests.Write(folder, text); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(k6(t), filepath.Join(folder, loadtests.K6)); err != nil {
		t.Fatal(err)
	}
	flow := handover.Login{Script: text, Wrong: handover.ExpectedResponse{Status: []int32{303}}}
	script, err := loginflow.StartScript(folder, flow, site(t).URL, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(script.Close)
	return script
}

func TestAScriptLogsIn(t *testing.T) {
	script := startScript(t, challenge)
	for range 2 { // the second without the first one's cookies
		if err := script.Login(t.Context(), "ada", "sesame $1"); err != nil {
			t.Fatal(err)
		}
	}
	before, err := cgroup.CPUTimeOf(script.PID())
	if err != nil || before <= 0 {
		t.Errorf("k6 has used %s, %v", before, err)
	}
	if err := script.LoginWrongly(t.Context(), "ada", "open"); err != nil {
		t.Errorf("a wrong password: %v", err)
	}
	if after, err := cgroup.CPUTimeOf(script.PID()); err != nil || after <= before {
		t.Errorf("k6 has used %s after %s, %v", after, before, err)
	}
	if err := script.LoginWrongly(t.Context(), "ada", "sesame $1"); err == nil || err.Error() != "login(): the login succeeded with the status 302. The response begins with \"\"" {
		t.Errorf("the right password instead of a wrong one: %v", err)
	}
}

func TestAScriptThatFailsSaysWhy(t *testing.T) {
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
			err := startScript(t, test.script).Login(t.Context(), "ada", "x")
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
	if err := script.Login(ctx, "ada", "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// Under load, a script is called as the steps of a flow are, and what it throws is a failed login.
func TestAttemptsWithAScript(t *testing.T) {
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
import { attempt } from './attempt.js';
export default function () {
  for (const user of ['ada', 'bob', 'nobody']) {
    const { ok, untimed, error } = attempt(__ENV.TARGET, user, 'sesame $1', 1000);
    console.log('case ' + JSON.stringify([user, ok, untimed > 0 && untimed < 1000, error]));
  }
}
`
	if err := os.WriteFile(main, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), k6(t), loadtests.Arguments(main)...)
	command.Env = loadtests.Environ("TARGET=" + site(t).URL)
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
