//go:build k6

package loginflow_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/loadtests"
)

// script logs in by every flow, with the right password and with a wrong one.
const script = `
import { logIn } from './flow.js';
const flows = JSON.parse(__ENV.FLOWS);
export default function () {
  for (const name of Object.keys(flows)) {
    for (const password of ['sesame $1', 'sesame $1', 'open']) {
      const variables = { HASHMARK_USER: 'ada', HASHMARK_PASSWORD: password };
      const { response, ok } = logIn(flows[name].steps, __ENV.TARGET, variables, 1000);
      console.log('case ' + JSON.stringify([name, password, ok, response.status]));
    }
  }
}
`

// k6 returns the program.
func k6(t *testing.T) string {
	t.Helper()
	program := os.Getenv("HASHMARK_K6")
	if program == "" {
		t.Fatal("HASHMARK_K6 is not set: run `make test-unit`, which compiles k6 first, or set it to a k6 program")
	}
	return program
}

// TestEveryKindOfLoginInK6 sends the same requests as TestEveryKindOfLogin, by the script that puts
// load on a service.
func TestEveryKindOfLoginInK6(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, loadtests.Scripts); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(folder, "main.js")
	if err := os.WriteFile(main, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed := map[string]handover.Login{}
	for name, text := range flows {
		flow, err := loginflow.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		parsed[name] = flow
	}
	all, err := json.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), k6(t), loadtests.Arguments(main)...)
	command.Env = loadtests.Environ("TARGET="+site(t).URL, "FLOWS="+string(all))
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("k6: %v\n%s", err, output)
	}
	seen := 0
	for line := range strings.Lines(string(output)) {
		text, is := strings.CutPrefix(strings.TrimSpace(line), "case ")
		if !is {
			continue
		}
		var name, password string
		var ok bool
		var status int
		if err := json.Unmarshal([]byte(text), &[]any{&name, &password, &ok, &status}); err != nil {
			t.Fatal(err)
		}
		seen++
		if right := password != "open"; ok != right {
			t.Errorf("%s with the password %q: ok %t, status %d", name, password, ok, status)
		}
	}
	if seen != 3*len(flows) {
		t.Errorf("%d logins were reported, want %d:\n%s", seen, 3*len(flows), output)
	}
}
