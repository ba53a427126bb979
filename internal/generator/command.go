package generator

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/units"
	"github.com/hashmark-dev/hashmark/loadtests"
)

// Command is a run of k6.
type Command struct {
	// Binary is the program, a path or a name on PATH.
	Binary string
	// Plan is the load.
	Plan loadplan.Plan
	// Environment is added to the environment of this process, with entries such as
	// HASHMARK_TARGET=….
	Environment []string
	// Login is a k6 script that logs in at a user's own login service, if there is one.
	Login string
	// Private keeps k6's output out of errors: a script can print what the service answers.
	Private bool
	// RemoteWriteLabels are labels such as testid=…. With them, k6 sends its own series with
	// these labels to the receiver in K6_PROMETHEUS_RW_SERVER_URL. If empty, it sends none.
	RemoteWriteLabels []string
	// Started is called once, when the script announces its clock, with the reading of the
	// plan's clock. It must not block, because k6 would wait.
	Started func(clock time.Duration)
	// ShouldStop is called when the first login of a step is sent. All logins of earlier steps
	// have ended then. If it returns true, k6 is stopped. It must not block. Nil never
	// stops k6.
	ShouldStop func(step int, log *Log) bool
	// Output receives k6's own output without the records; nil discards it.
	Output io.Writer
}

// Result is how a run of k6 ended.
type Result struct {
	// ExitCode of k6, -1 if a signal ended it.
	ExitCode int
	// Signal that ended it, or 0.
	Signal syscall.Signal
	// Stopped reports whether ShouldStop stopped it. The exit code is 0 then.
	Stopped bool
	// Log of its stderr.
	Log *Log
}

// Run runs k6 until it ends, and kills it when the context ends. The result says how k6
// ended. An error means that k6 could not be run.
func (c Command) Run(ctx context.Context) (Result, error) {
	folder, err := os.MkdirTemp("", "hashmark-k6-")
	if err != nil {
		return Result{}, fmt.Errorf("make a folder for the k6 script: %w", err)
	}
	defer os.RemoveAll(folder)
	if err := errors.Join(loadtests.Write(folder, c.Login), c.writeDueTimes(folder)); err != nil {
		return Result{}, fmt.Errorf("write the k6 script: %w", err)
	}
	plan, err := json.Marshal(c.Plan)
	if err != nil {
		return Result{}, fmt.Errorf("write the plan: %w", err)
	}
	child := exec.CommandContext(ctx, c.Binary, c.arguments(filepath.Join(folder, loadtests.Main))...)
	child.Env = loadtests.Environ(os.Environ(), append(c.Environment, envvar.Plan+"="+string(plan))...)
	stderr, err := child.StderrPipe()
	if err != nil {
		return Result{}, fmt.Errorf("open a pipe from k6: %w", err)
	}
	if err := child.Start(); err != nil {
		return Result{}, fmt.Errorf("start k6: %w", err)
	}
	stopped := false
	log := c.gather(stderr, func() {
		stopped = true
		_ = child.Process.Signal(os.Interrupt) // fails if k6 has just ended
	})
	result, err := ending(child.Wait(), log)
	if result.Stopped = stopped; stopped && result.ExitCode == interrupted {
		result.ExitCode = 0
	}
	return result, err
}

// writeDueTimes writes when the logins of each open step are due, as login.js reads them.
func (c Command) writeDueTimes(folder string) error {
	for number, step := range c.Plan.Steps {
		if step.Kind != loadplan.Warmup && step.Kind != loadplan.Open {
			continue
		}
		text, zero := []byte("["), step.StartMilliseconds*time.Millisecond.Microseconds()
		for i, due := range step.Due() {
			if i > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendInt(text, zero+due.Microseconds(), 10)
		}
		name := filepath.Join(folder, fmt.Sprintf("due-%d.json", number))
		if err := os.WriteFile(name, append(text, ']'), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// interrupted is k6's exit code after SIGINT (ExternalAbort in its errext/exitcodes). It
// still runs handleSummary.
const interrupted = 105

func (c Command) arguments(script string) []string {
	var arguments []string
	if len(c.RemoteWriteLabels) > 0 {
		arguments = append(arguments, "--out", "experimental-prometheus-rw")
	}
	for _, label := range c.RemoteWriteLabels {
		arguments = append(arguments, "--tag", label)
	}
	return loadtests.Arguments(script, arguments...)
}

// gather reads until k6 closes its stderr. Lines can have any length: if reading stopped,
// k6 would wait for room in the pipe.
func (c Command) gather(stderr io.Reader, stop func()) *Log {
	log := &Log{private: c.Private}
	lines := bufio.NewReaderSize(stderr, 1<<16)
	announced, lastStep := false, 0
	for {
		line, err := lines.ReadString('\n')
		if isTalk(line) {
			line = units.Plain(line) // a user's script decides what k6 says
			if c.Output != nil {
				_, _ = io.WriteString(c.Output, line) // k6's output is in the tail as well
			}
		}
		log.Add(line)
		if clock, known := log.Clock(); known && !announced && c.Started != nil {
			announced = true
			c.Started(clock)
		}
		if step := log.Step(); c.ShouldStop != nil && step > lastStep {
			lastStep = step
			if c.ShouldStop(step, log) {
				c.ShouldStop = nil
				stop()
			}
		}
		if err != nil {
			return log
		}
	}
}

func isTalk(line string) bool {
	return line != "" && !strings.HasPrefix(line, prefix) && strings.TrimSpace(line) != noise
}

func ending(err error, log *Log) (Result, error) {
	result := Result{Log: log}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		result.ExitCode = exit.ExitCode()
		if status, known := exit.Sys().(syscall.WaitStatus); known && status.Signaled() {
			result.Signal = status.Signal()
		}
	case err != nil:
		return result, fmt.Errorf("wait for k6: %w", err)
	}
	return result, nil
}

var versionLine = regexp.MustCompile(`(?m)^k6\S* (v\S+) \((?:commit/\S+, )?(go\S+?),`)

// Version returns k6's version and the Go version that it was built with, such as v1.8.1
// and go1.26.8.
func (c Command) Version(ctx context.Context) (k6, golang string, err error) {
	child := exec.CommandContext(ctx, c.Binary, "version")
	child.Env = loadtests.Environ(os.Environ())
	output, err := child.Output()
	if err != nil {
		return "", "", fmt.Errorf("run k6 version: %w", err)
	}
	match := versionLine.FindSubmatch(output)
	if match == nil {
		return "", "", fmt.Errorf("run k6 version: unexpected output %.80q", output)
	}
	return string(match[1]), string(match[2]), nil
}
