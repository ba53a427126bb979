package observe

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// quotedOutput is how much of the end of a stream is quoted, in bytes.
	quotedOutput = 300
	// leftBehind is how long the output of processes that a program left behind is waited for.
	leftBehind = 200 * time.Millisecond
)

// runQuoted is Run, and calls a function as soon as the program has ended. The quote is the end of what the program wrote to
// stderr, or to stdout if stderr is empty, on one line.
func runQuoted(ctx context.Context, command, environment []string, ended func()) (code int, quote string, err error) {
	var ends [2]ending
	var programs []*os.File
	var copying sync.WaitGroup
	for i, to := range []*os.File{os.Stdout, os.Stderr} {
		from, program, failed := os.Pipe()
		if failed != nil {
			err = failed
			break
		}
		defer from.Close()
		programs = append(programs, program)
		copying.Go(func() {
			_, _ = io.Copy(io.MultiWriter(&ends[i], to), from)
			_, _ = io.Copy(&ends[i], from) // a program whose output nobody reads would stand still
		})
	}
	if err == nil {
		code, err = run(ctx, command, environment, append([]*os.File{os.Stdin}, programs...))
	}
	ended()
	for _, program := range programs {
		program.Close()
	}
	copied := make(chan struct{})
	go func() {
		copying.Wait()
		close(copied)
	}()
	select {
	case <-copied:
	case <-time.After(leftBehind):
	}
	if quote = ends[1].lines(); quote == "" {
		quote = ends[0].lines()
	}
	return code, quote, err
}

// ending keeps the end of a stream.
type ending struct {
	mutex sync.Mutex
	last  []byte
}

// Write never fails.
func (e *ending) Write(text []byte) (int, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	all := append(e.last, text[max(0, len(text)-quotedOutput):]...)
	e.last = append([]byte(nil), all[max(0, len(all)-quotedOutput):]...)
	return len(text), nil
}

// lines returns the last lines on one line.
func (e *ending) lines() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	text := string(e.last)
	if _, whole, cut := strings.Cut(text, "\n"); cut && len(text) == quotedOutput && strings.TrimSpace(whole) != "" {
		text = whole // the first line has lost its beginning
	}
	return units.Plain(strings.Join(strings.Fields(text), " "))
}
