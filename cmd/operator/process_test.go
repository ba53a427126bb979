//go:build integration

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// process is an operator, or its smoke test, that runs as a process of its own.
type process struct {
	t       *testing.T
	command *exec.Cmd
	log     string
	probes  string
	ended   chan struct{}
}

// operator starts an operator without metrics and with its own probe address.
func operator(t *testing.T, kubeconfig string, flags ...string) *process {
	t.Helper()
	probes := freeAddress(t)
	common := []string{"--metrics-bind-address=0", "--health-probe-bind-address=" + probes}
	p := start(t, kubeconfig, append(append(common, images...), flags...)...)
	p.probes = probes
	return p
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// start runs the binary until it or the test ends.
func start(t *testing.T, kubeconfig string, arguments ...string) *process {
	t.Helper()
	p := &process{t: t, log: filepath.Join(t.TempDir(), "log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	p.command = exec.Command(os.Args[0], arguments...)
	p.command.Env = append(os.Environ(), beTheOperator+"=yes", "KUBECONFIG="+kubeconfig)
	p.command.Stdout, p.command.Stderr = log, log
	// If the test dies, its operator dies too.
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait()
		_ = log.Close()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("%v said:\n%s", arguments, p.said())
		}
	})
	return p
}

func (p *process) said() string {
	content, _ := os.ReadFile(p.log)
	return string(content)
}

// signal sends a signal, waits until the process has ended, and returns its exit code.
func (p *process) signal(signal syscall.Signal) (code int) {
	p.t.Helper()
	_ = p.command.Process.Signal(signal) // fails if the process has ended
	return p.end()
}

// end waits until the process has ended by itself.
func (p *process) end() (code int) {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	case <-time.After(time.Minute):
		p.t.Fatalf("the process has not ended after a minute")
		return 0
	}
}

// answers reports whether a probe returns this status code.
func (p *process) answers(path string, code int) bool {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, fmt.Sprintf("http://%s%s", p.probes, path), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false // it does not listen yet
	}
	defer response.Body.Close()
	return response.StatusCode == code
}

func (p *process) ready() bool { return p.answers("/readyz", http.StatusOK) }

// eventually waits until a condition is true, and returns how long that took.
func eventually(t *testing.T, what string, within time.Duration, condition func() bool) time.Duration {
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
