package loopback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"syscall"
	"time"
)

const (
	// User is whom the service knows by default.
	User = "hashmark"
	// Password is theirs.
	Password = "correct horse battery staple"

	readyTimeout  = 30 * time.Second
	readyInterval = 100 * time.Millisecond
)

// Service is a login service that runs as a child of this process.
type Service struct {
	// URL is where it is, without a path.
	URL     string
	command *exec.Cmd
}

// Start starts the binary on one CPU, and returns when it can log people in.
// Arguments are those of `loginservice serve`.
func Start(ctx context.Context, binary, cpu string, arguments ...string) (*Service, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	all := append([]string{"-c", cpu, binary, "serve", "--listen", address, "--cpu-limit", "1000"}, arguments...)
	service := &Service{URL: "http://" + address, command: exec.Command("taskset", all...)}
	// Should the bench die, the service dies with it.
	service.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := service.command.Start(); err != nil {
		return nil, fmt.Errorf("start the login service: %w", err)
	}
	if err := service.ready(ctx); err != nil {
		service.Stop()
		return nil, err
	}
	return service, nil
}

// Stop ends the service and waits until it is gone.
func (s *Service) Stop() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// ready waits until the service answers that it is.
func (s *Service) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(response.Status)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the login service was not ready within %s: %w", readyTimeout, err)
		case <-time.After(readyInterval):
		}
	}
}

// freeAddress is one that nobody listens on at this moment.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
