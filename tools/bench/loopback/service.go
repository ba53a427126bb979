package loopback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"syscall"
	"time"
)

const (
	// User is the service's default user.
	User = "hashmark"
	// Password is the password of User.
	Password = "correct horse battery staple"

	readyTimeout  = 30 * time.Second
	readyInterval = 2 * time.Millisecond
)

// Service is a login service that runs as a child of this process.
type Service struct {
	// URL is the service's URL without a path.
	URL     string
	command *exec.Cmd
}

// Start starts the binary on one CPU, to listen on an address, and returns once it is ready. The arguments are those
// of `loginservice serve`.
func Start(ctx context.Context, address, binary, cpu string, arguments ...string) (*Service, error) {
	all := append([]string{"-c", cpu, binary, "serve", "--listen", address, "--cpu-limit", "1000"}, arguments...)
	service := &Service{URL: "http://" + address, command: exec.Command("taskset", all...)}
	// If the benchmark dies, the service dies too.
	service.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := service.command.Start(); err != nil {
		return nil, fmt.Errorf("starting the login service: %w", err)
	}
	if err := service.ready(ctx); err != nil {
		service.Stop()
		return nil, err
	}
	return service, nil
}

// Stop ends the service and waits until it has ended.
func (s *Service) Stop() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// ready waits until the service is ready.
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
