package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// TestMain lets the test binary act as the load runner and as k6.
func TestMain(m *testing.M) {
	switch os.Getenv("STAND_IN_FOR") {
	case "loadrunner":
		os.Setenv("STAND_IN_FOR", "k6")
		os.Exit(run())
	case "k6":
		if os.Args[1] == "version" {
			fmt.Println("k6 v1.8.1 (go1.26.8, linux/amd64)")
			os.Exit(0)
		}
		fmt.Fprintf(os.Stderr, "pid %d\n%s", os.Getpid(), os.Getenv("K6_SAYS"))
		if os.Getenv("K6_STAYS") != "" {
			stay()
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const plan = `{"version":5,"timeoutMs":1000,"steps":[{"kind":"Open","startMs":0,"settleMs":0,"countedMs":900,"drainMs":100,"callers":1,"arrivals":"Uniform","requests":1,"reported":true}]}`

// loadRunner returns the program with an environment in which it succeeds, and the file of
// its message.
func loadRunner(t *testing.T, alter ...string) (*exec.Cmd, string) {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(service.Close)
	message := filepath.Join(t.TempDir(), "termination-log")
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append([]string{
		"STAND_IN_FOR=loadrunner", "HASHMARK_K6=" + os.Args[0], "HASHMARK_MESSAGE_FILE=" + message,
		"HASHMARK_PLAN=" + plan, "HASHMARK_TARGET=" + service.URL, "HASHMARK_USER=u", "HASHMARK_PASSWORD=p",
		"K6_SAYS=hm:zero 0\nhm:s 0 0 100 110\nhm:e 0 0 5100 ok\nhm:total 1 1\n",
	}, alter...)
	return command, message
}

func decode(t *testing.T, message string) error {
	t.Helper()
	text, err := os.ReadFile(message)
	if err != nil {
		t.Fatal(err)
	}
	_, err = measurement.Decode(string(text))
	return err
}

func TestALoadThatSucceedsHandsOverItsRun(t *testing.T) {
	for name, alter := range map[string][]string{"in a file": nil, "on standard output": {"HASHMARK_MESSAGE_FILE=-"}} {
		command, message := loadRunner(t, alter...)
		text, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		if alter == nil {
			if text, err = os.ReadFile(message); err != nil {
				t.Fatal(err)
			}
		}
		run, err := measurement.Decode(string(text))
		if err != nil || len(run.Steps) != 1 || run.Steps[0].OK != 1 || run.K6Version != "v1.8.1" {
			t.Errorf("%s: got %+v, error %v", name, run, err)
		}
	}
}

func TestExitCodesAndReasons(t *testing.T) {
	for name, test := range map[string]struct {
		alter  []string
		code   int
		reason string
	}{
		"an environment without a plan": {[]string{"HASHMARK_PLAN="}, 2, handover.BadPlan},
		"a missing k6":                  {[]string{"HASHMARK_K6=/nowhere/k6"}, 1, handover.K6Failed},
		"a k6 without output":           {[]string{"K6_SAYS="}, 1, handover.SummaryGarbled},
		"a deadline that has passed":    {[]string{"HASHMARK_DEADLINE=2020-01-01T00:00:00Z"}, 1, handover.DeadlineExceeded},
		"a deadline during the load":    {[]string{"K6_STAYS=yes", "HASHMARK_DEADLINE=" + time.Now().Add(3*time.Second).UTC().Format(time.RFC3339)}, 1, handover.DeadlineExceeded},
		"a user without a name":         {[]string{"HASHMARK_USER="}, 2, handover.BadPlan},
	} {
		t.Run(name, func(t *testing.T) {
			command, message := loadRunner(t, test.alter...)
			err := command.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != test.code {
				t.Errorf("want exit code %d, got %v", test.code, err)
			}
			var failure *measurement.Failure
			if err := decode(t, message); !errors.As(err, &failure) || failure.Reason != test.reason {
				t.Errorf("want %s, got %v", test.reason, err)
			}
		})
	}
}

// TestWhateverEndsItLeavesAMessage ends the load runner during the load, once with a signal
// that it can handle and once with one that it cannot.
func TestWhateverEndsItLeavesAMessage(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{
		"when its container is stopped": syscall.SIGTERM,
		"when it is killed":             syscall.SIGKILL,
	} {
		t.Run(name, func(t *testing.T) {
			command, message := loadRunner(t, "K6_STAYS=yes")
			stderr, err := command.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			k6 := pidOfK6(t, stderr)
			_ = command.Process.Signal(signal)
			_ = command.Wait()
			var failure *measurement.Failure
			if err := decode(t, message); !errors.As(err, &failure) || failure.Reason != handover.GeneratorKilled {
				t.Errorf("want %s, got %v", handover.GeneratorKilled, err)
			}
			if signal == syscall.SIGKILL {
				_ = syscall.Kill(k6, syscall.SIGKILL) // the end of the container would do this
			} else if syscall.Kill(k6, 0) == nil {
				t.Errorf("k6 (pid %d) outlived the load runner", k6)
			}
		})
	}
}

// pidOfK6 reads the pid that the stand-in prints first.
func pidOfK6(t *testing.T, stderr io.Reader) int {
	t.Helper()
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		var pid int
		if _, err := fmt.Sscanf(lines.Text(), "pid %d", &pid); err == nil {
			return pid
		}
	}
	t.Fatal("k6 never began")
	return 0
}

// stay waits to be killed. A bare select would be detected as a deadlock in a binary
// without C code.
func stay() {
	for {
		<-time.After(time.Hour)
	}
}

func TestInstallLeavesK6AndTheUsersScript(t *testing.T) {
	t.Setenv("HASHMARK_K6", os.Args[0])
	t.Setenv("HASHMARK_LOGIN", `{"script":"export function login() {}","wrong":{}}`)
	folder := filepath.Join(t.TempDir(), "script")
	for range 2 { // the container may be restarted
		if err := install(folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"login_once.js", "rehearse.js"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	if script, err := os.ReadFile(filepath.Join(folder, "flow.js")); string(script) != "export function login() {}" {
		t.Errorf("the script is %q, %v", script, err)
	}
	if program, err := os.Stat(filepath.Join(folder, "k6")); err != nil || program.Mode().Perm() != 0o755 {
		t.Errorf("k6 is %v, %v", program, err)
	}
	t.Setenv("HASHMARK_LOGIN", "{")
	if err := install(folder); err == nil || !strings.Contains(err.Error(), "read how to log in") {
		t.Errorf("without a script: %v", err)
	}
}
