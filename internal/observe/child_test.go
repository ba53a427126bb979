package observe_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/observe"
)

// mode says what this program does instead of testing: a test starts it as a process of its own,
// because observe waits for all children of its process.
const mode = "OBSERVE_TEST_MODE"

// modes are those that tests with k6 add. They don't return.
var modes = map[string]func(){}

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
	default:
		modes[os.Getenv(mode)]()
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
		observe.Handler(reading{err}, nil).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/evidence", nil))
		if body := recorder.Body.String(); !strings.Contains(body, want) || (recorder.Code == http.StatusOK) != (err == nil) {
			t.Errorf("%d: %s, want %s", recorder.Code, body, want)
		}
	}
}
