package observe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

const (
	// grace is how long a child has to end after SIGTERM: a little less than the pod's grace
	// period of 5 s.
	grace = 4 * time.Second
	// signalled is added to the number of the signal that ended a child, as a shell does.
	signalled = 128
)

// passedOn are the signals that a container runtime or a person sends to a service.
var passedOn = []os.Signal{
	syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT,
}

// Run runs a program with the standard streams of this process until it ends, and returns its exit
// code; 128 plus the signal, if a signal ended it. Signals are passed on to it. If the context ends,
// it gets SIGTERM, and SIGKILL four seconds later. The error says that it could not be started.
//
// Run waits for every child of this process, so that other code that starts one can't learn its exit
// code.
func Run(ctx context.Context, command, environment []string) (int, error) {
	return run(ctx, command, environment, []*os.File{os.Stdin, os.Stdout, os.Stderr})
}

// run is Run with other standard streams.
func run(ctx context.Context, command, environment []string, streams []*os.File) (int, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, len(passedOn))
	signal.Notify(signals, passedOn...)
	defer signal.Stop(signals)
	process, err := os.StartProcess(path, command, &os.ProcAttr{
		Env: environment, Files: streams,
	})
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", path, err)
	}
	pid := process.Pid
	_ = process.Release() // reap waits for it
	ended := make(chan syscall.WaitStatus, 1)
	go reap(pid, ended)
	ending := ctx.Done()
	var overdue <-chan time.Time
	for {
		select {
		case status := <-ended:
			return exitCode(status), nil
		case s := <-signals:
			send(pid, s.(syscall.Signal))
		case <-ending:
			send(pid, syscall.SIGTERM)
			ending, overdue = nil, time.After(grace)
		case <-overdue:
			send(pid, syscall.SIGKILL)
		}
	}
}

// send fails only if the child has just ended.
func send(pid int, s syscall.Signal) { _ = syscall.Kill(pid, s) }

// reap waits for all children, also for those that this process inherits because their parent has
// ended, and reports how the one with the PID ended.
func reap(pid int, ended chan<- syscall.WaitStatus) {
	for {
		var status syscall.WaitStatus
		switch child, err := syscall.Wait4(-1, &status, 0, nil); {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // there are no children any more, which can't happen before the one ends
			return
		case child == pid:
			ended <- status
			return
		}
	}
}

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return signalled + int(status.Signal())
	}
	return status.ExitStatus()
}

// Copy copies a program to a file of a pod, which other containers of the pod can run.
func Copy(program, to string) error {
	const mode = 0o755
	source, err := os.Open(program)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
