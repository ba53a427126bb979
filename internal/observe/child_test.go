package observe_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/observe"
)

// mode says what this program does instead of testing: a test starts it as a process of its own,
// because observe waits for all children of its process.
const mode = "OBSERVE_TEST_MODE"

func TestMain(m *testing.M) {
	switch os.Getenv(mode) {
	case "":
		os.Exit(m.Run())
	case "observe":
		os.Unsetenv(mode)
		ctx := context.Background()
		if text := os.Getenv("OBSERVE_TEST_ENDS"); text != "" {
			limit, _ := time.ParseDuration(text)
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}
		code, err := observe.Run(ctx, os.Args[1:], os.Environ())
		if err != nil {
			fmt.Println(err)
			os.Exit(99)
		}
		os.Exit(code)
	case "rehearse":
		rehearse()
	}
}

// observed runs a shell command under observe.
func observed(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "sh", "-c", script)
	command.Env = append(os.Environ(), mode+"=observe")
	return command
}

func TestExitCodesAndOutputPassThrough(t *testing.T) {
	for script, want := range map[string]int{
		"echo out; echo err >&2; exit 7": 7,
		"echo out; echo err >&2":         0,
		// The shell is ended by a signal.
		"echo out; echo err >&2; kill -9 $$": 128 + 9,
		// A process whose parent has ended is inherited and ends first.
		"(sleep 0.05 &) ; sleep 0.2; echo out; echo err >&2; exit 3": 3,
	} {
		command := observed(t, script)
		var out, err strings.Builder
		command.Stdout, command.Stderr = &out, &err
		_ = command.Run()
		if code := command.ProcessState.ExitCode(); code != want || out.String() != "out\n" || err.String() != "err\n" {
			t.Errorf("%s: exit code %d, output %q, errors %q; want %d", script, code, out.String(), err.String(), want)
		}
	}
}

func TestSignalsPassThrough(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1} {
		// The shell can handle a signal only between two commands.
		command := observed(t, fmt.Sprintf("trap 'echo got; exit 5' %d; echo ready; while :; do sleep 0.02; done", signal))
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		if line, _ := lines.ReadString('\n'); line != "ready\n" {
			t.Fatalf("the child wrote %q", line)
		}
		if err := command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		line, _ := lines.ReadString('\n')
		_ = command.Wait()
		if code := command.ProcessState.ExitCode(); line != "got\n" || code != 5 {
			t.Errorf("%s: the child wrote %q and ended with %d", signal, line, code)
		}
	}
}

func TestAChildThatIgnoresTheEndIsKilled(t *testing.T) {
	command := observed(t, "trap '' TERM; while :; do sleep 0.05; done")
	command.Env = append(command.Env, "OBSERVE_TEST_ENDS=100ms")
	_ = command.Run()
	if code := command.ProcessState.ExitCode(); code != 128+9 {
		t.Errorf("the exit code is %d", code)
	}
}

func TestACommandThatDoesNotExistIsAnError(t *testing.T) {
	if _, err := observe.Run(t.Context(), []string{"/no/such/program"}, nil); err == nil {
		t.Error("there is no error")
	}
}

type reading struct{ err error }

func (r reading) ReadContainer() (evidence.Reading, error) {
	return evidence.Reading{InstanceID: "one", CPUMicroseconds: 7}, r.err
}

func TestTheEvidenceIsThatOfTheContainer(t *testing.T) {
	for err, want := range map[error]string{nil: `"cpuMicroseconds":7`, errors.New("no cgroup"): "no cgroup"} {
		recorder := httptest.NewRecorder()
		observe.Handler(reading{err}).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/evidence", nil))
		if body := recorder.Body.String(); !strings.Contains(body, want) || (recorder.Code == http.StatusOK) != (err == nil) {
			t.Errorf("%d: %s, want %s", recorder.Code, body, want)
		}
	}
}

// rehearse is a login service, or the rehearsal of one, depending on the arguments.
func rehearse() {
	target, kind := os.Args[1], os.Args[2]
	if kind == "serve" {
		serve(strings.TrimPrefix(target, "http://"), os.Args[3])
	}
	flow, _ := loginflow.Parse(`{"setup":[{"path":"/setup"}],"steps":[{"path":"/","basicAuth":true}],"wrong":{"status":[401]}}`)
	if kind == "answers everybody alike" {
		flow.Wrong.Status = []int32{http.StatusOK}
	}
	r := observe.Rehearsal{
		Command: []string{os.Args[0], target, "serve", kind}, Environment: os.Environ(), Target: target,
		ReadyPath: "/ready", ReadyWithin: 2 * time.Second, Flow: flow, User: "ada", Password: "sesame", RequestTimeout: time.Second,
	}
	logins := 0
	err := r.Run(func(with observe.Logins) error {
		if with.Wrong() != nil || (with.Unknown == nil) != (kind == "names its users") {
			return errors.New("a wrong login was not refused as before")
		}
		for ; logins < 3; logins++ {
			if err := with.Right(); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Printf("%d logins, error: %v", logins, err)
	os.Exit(0)
}

// serve is a login service with a defect.
func serve(address, kind string) {
	if kind == "ends" {
		os.Exit(3)
	}
	logins := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/ready", func(w http.ResponseWriter, _ *http.Request) {
		if kind == "is never ready" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/setup", func(w http.ResponseWriter, _ *http.Request) {
		if kind == "refuses the setup" {
			w.WriteHeader(http.StatusConflict)
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		logins++
		user, password, _ := r.BasicAuth()
		switch {
		case kind == "ends later" && logins == 7:
			os.Exit(4)
		case kind == "refuses everybody", kind == "refuses later" && logins == 7:
			http.Error(w, "locked", http.StatusForbidden)
		case user != "ada" && kind == "names its users":
			w.WriteHeader(http.StatusNotFound)
		case password != "sesame" && kind == "crashes at a wrong password":
			w.WriteHeader(http.StatusInternalServerError)
		case password != "sesame" && kind != "accepts everybody" && kind != "answers everybody alike":
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	_ = http.ListenAndServe(address, mux)
	os.Exit(1)
}

func TestAServiceThatCannotBeMeasuredIsRefusedWithAReason(t *testing.T) {
	for kind, want := range map[string]string{
		"works":                       "3 logins, error: <nil>",
		"names its users":             "3 logins, error: <nil>",
		"ends":                        "0 logins, error: ServiceNotReady: the login service did not keep running: it ended with exit code 3",
		"is never ready":              "0 logins, error: ServiceNotReady: the login service was not ready within 2s: GET /ready returned 503 Service Unavailable",
		"refuses the setup":           "0 logins, error: LoginFailed: before the first login, setup request 1: the status was 409",
		"refuses everybody":           "0 logins, error: LoginFailed: a login failed at step 1: the status was 403, and 200 to 299 was expected. The response begins with \"locked",
		"accepts everybody":           "0 logins, error: WrongPasswordAccepted: ",
		"answers everybody alike":     "0 logins, error: WrongPasswordAccepted: ",
		"crashes at a wrong password": "0 logins, error: LoginFailed: with a wrong password, ",
		"refuses later":               "1 logins, error: LoginFailed: a login failed at step 1: the status was 403",
		"ends later":                  "1 logins, error: ServiceNotReady: the login service did not keep running: it ended with exit code 4",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(nil)
			target := server.URL // free now, as nothing else asks for ports
			server.Close()
			command := exec.CommandContext(t.Context(), os.Args[0], target, kind)
			command.Env = append(os.Environ(), mode+"=rehearse")
			var out strings.Builder
			command.Stdout, command.Stderr = &out, io.Discard
			if err := command.Run(); err != nil || !strings.HasPrefix(out.String(), want) {
				t.Errorf("%v, %s; want %s", err, out.String(), want)
			}
		})
	}
}
