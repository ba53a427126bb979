// Package supply_test checks the scripts that look at what Hashmark's programs are made of.
package supply_test

import (
	"cmp"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// caller calls one function of the standard library, which the test declares vulnerable.
const caller = "package main\n\nimport \"strings\"\n\nfunc main() { println(strings.ToUpper(\"a\")) }\n"

// vulnerable is an entry of a database, in the format of https://go.dev/security/vuln/database.
const vulnerable = `{
	"schema_version": "1.3.1", "id": "GO-2026-9999", "modified": "2026-01-01T00:00:00Z", "published": "2026-01-01T00:00:00Z",
	"details": "An invented vulnerability.",
	"affected": [{
		"package": {"name": "stdlib", "ecosystem": "Go"},
		"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
		"ecosystem_specific": {"imports": [{"path": "strings", "symbols": ["SYMBOL"]}]}
	}],
	"database_specific": {"url": "https://pkg.go.dev/vuln/GO-2026-9999"}
}`

func TestAVulnerabilityFailsTheCheckOnlyIfItIsCalled(t *testing.T) {
	for name, test := range map[string]struct {
		symbol string
		fails  bool
		says   string
	}{
		"the program calls the function": {symbol: "ToUpper", fails: true, says: ". calls functions with known vulnerabilities: GO-2026-9999; update what contains them"},
		"the program does not call it":   {symbol: "ToLower", says: ". calls no vulnerable function"},
		"the database has no entry":      {says: ". calls no vulnerable function"},
	} {
		t.Run(name, func(t *testing.T) {
			failed, said := check(t, "GOVULNDB=file://"+database(t, test.symbol))
			if failed != test.fails || !strings.Contains(said, test.says) {
				t.Errorf("failed: %v, want %v; and %q in:\n%s", failed, test.fails, test.says, said)
			}
		})
	}
}

// The database is behind a proxy that fails in one way each, because without one it could be
// reached.
func TestOnlyAnUnreachableDatabaseIsNoFailure(t *testing.T) {
	const notRun = "vulnerabilities: NOT RUN: "
	for name, test := range map[string]struct {
		proxy    string
		patience string // by default enough for a busy machine
		fails    bool
		says     string
	}{
		"the proxy does not listen":              {proxy: "http://127.0.0.1:1", says: notRun + `Get "https://vuln.go.dev/index/modules.json.gz": proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused`},
		"the proxy never answers":                {proxy: silent(t), patience: "1", says: notRun + "https://vuln.go.dev sent no index within 1 s"},
		"something else answers as the database": {proxy: impostor(t), fails: true, says: "can't check for vulnerabilities: Get \"https://vuln.go.dev/index/modules.json.gz\": tls: failed to verify certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			failed, said := check(t, "GOVULNDB=", "PATIENCE="+cmp.Or(test.patience, "60"), "HTTPS_PROXY="+test.proxy, "https_proxy=", "NO_PROXY=", "no_proxy=")
			if failed != test.fails || !strings.Contains(said, test.says) {
				t.Errorf("failed: %v, want %v; and %q in:\n%s", failed, test.fails, test.says, said)
			}
		})
	}
}

func TestADatabaseThatAnswersWronglyIsAFailure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.Error(w, "broken", http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	failed, said := check(t, "GOVULNDB="+server.URL)
	if !failed || !strings.Contains(said, "returned unexpected status: 500 Internal Server Error") {
		t.Errorf("failed: %v, want true; and the status in:\n%s", failed, said)
	}
}

// check runs the script on a program that calls strings.ToUpper, and returns what it wrote.
func check(t *testing.T, environment ...string) (failed bool, said string) {
	t.Helper()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "go.mod"), "module example.com/caller\n\ngo 1.26\n")
	write(t, filepath.Join(folder, "main.go"), caller)
	command := exec.CommandContext(t.Context(), "../../hack/vulnerabilities.sh", folder, ".")
	command.Env = append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	return err != nil, string(output)
}

// database writes a database with one vulnerable function of the package strings, or with none.
func database(t *testing.T, symbol string) string {
	t.Helper()
	folder, modules := t.TempDir(), "[]"
	if symbol != "" {
		modules = `[{"path": "stdlib", "vulns": [{"id": "GO-2026-9999", "modified": "2026-01-01T00:00:00Z"}]}]`
		write(t, filepath.Join(folder, "ID", "GO-2026-9999.json"), strings.ReplaceAll(vulnerable, "SYMBOL", symbol))
	}
	write(t, filepath.Join(folder, "index", "modules.json"), modules)
	write(t, filepath.Join(folder, "index", "db.json"), `{"modified": "2026-01-01T00:00:00Z"}`)
	return folder
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// silent returns the address of a proxy that accepts connections and never answers.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return "http://" + listener.Addr().String()
}

// impostor returns the address of a proxy that connects everything to a server whose
// certificate is not trusted.
func impostor(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		upstream, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = upstream.Close() }()
		w.WriteHeader(http.StatusOK)
		client, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = client.Close() }()
		go func() { _, _ = io.Copy(upstream, buffered) }()
		_, _ = io.Copy(client, upstream)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}
