package process

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// beTheProgram is an environment variable that makes the binary of a test run as the program that it tests.
const beTheProgram = "HASHMARK_TEST_BE_THE_PROGRAM"

// Is reports whether the binary of a test was started by [Start].
func Is() bool { return os.Getenv(beTheProgram) != "" }

// Process is a program under test that runs as a process of its own.
type Process struct {
	// Command is the process.
	Command *exec.Cmd
	// Ended is closed when the process has ended.
	Ended       chan struct{}
	t           *testing.T
	out, errOut string
}

// Start runs the binary of the test as its program, until it or the test ends.
func Start(t *testing.T, kubeconfig, stdin string, arguments ...string) *Process {
	t.Helper()
	folder := t.TempDir()
	p := &Process{
		Command: exec.Command(os.Args[0], arguments...), Ended: make(chan struct{}),
		t: t, out: filepath.Join(folder, "out"), errOut: filepath.Join(folder, "err"),
	}
	p.Command.Env = append(os.Environ(), beTheProgram+"=yes", "KUBECONFIG="+kubeconfig)
	p.Command.Stdin = strings.NewReader(stdin)
	for name, stream := range map[string]*io.Writer{p.out: &p.Command.Stdout, p.errOut: &p.Command.Stderr} {
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		*stream = file
	}
	// If the test dies, its program dies too.
	p.Command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.Command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.Command.Wait()
		close(p.Ended)
	}()
	t.Cleanup(func() {
		p.Signal(syscall.SIGKILL)
		<-p.Ended
		if t.Failed() {
			t.Logf("%v printed to standard error:\n%s", arguments, p.Stderr())
		}
	})
	return p
}

// Signal sends a signal, if the process has not ended.
func (p *Process) Signal(signal syscall.Signal) { _ = p.Command.Process.Signal(signal) }

// Code waits until the process has ended, and returns its exit code.
func (p *Process) Code() int {
	p.t.Helper()
	select {
	case <-p.Ended:
		return p.Command.ProcessState.ExitCode()
	case <-time.After(time.Minute):
		p.t.Fatal("the process has not ended after a minute")
		return 0
	}
}

// End sends a signal, waits until the process has ended, and returns its exit code.
func (p *Process) End(signal syscall.Signal) int {
	p.t.Helper()
	p.Signal(signal)
	return p.Code()
}

// Stdout returns what the process has written to standard output.
func (p *Process) Stdout() string { return content(p.out) }

// Stderr returns what the process has written to standard error.
func (p *Process) Stderr() string { return content(p.errOut) }

func content(file string) string {
	text, _ := os.ReadFile(file)
	return string(text)
}

// Eventually waits until a condition is true, and returns how long that took.
func Eventually(t *testing.T, what string, within time.Duration, condition func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, within, true, func(context.Context) (bool, error) {
		return condition(), nil
	})
	if err != nil {
		t.Fatalf("%s: not within %s", what, within)
	}
	return time.Since(began)
}
