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
	// quotedOutput is how much of the end of a program's output is quoted, in bytes.
	quotedOutput = 300
	// leftBehind is how long the output of processes that a program left behind is waited for.
	leftBehind = 200 * time.Millisecond
)

// output keeps the end of what a program prints.
type output struct {
	mutex sync.Mutex
	last  []byte
}

// Write keeps the end of a text. It never fails.
func (o *output) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.last = append(o.last, text[max(0, len(text)-quotedOutput):]...)
	o.last = append([]byte(nil), o.last[max(0, len(o.last)-quotedOutput):]...)
	return len(text), nil
}

// end returns the last lines on one line, or "" if nothing was printed.
func (o *output) end() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	text := string(o.last)
	if _, whole, cut := strings.Cut(text, "\n"); cut && len(text) == quotedOutput && strings.TrimSpace(whole) != "" {
		text = whole // the first line has lost its beginning
	}
	return units.Plain(strings.Join(strings.Fields(text), " "))
}

// run is Run, and keeps the end of both streams. They reach those of this process, too.
func (o *output) run(ctx context.Context, command, environment []string) (int, error) {
	streams, copied := []*os.File{os.Stdin}, make(chan struct{})
	var copying sync.WaitGroup
	for _, to := range []*os.File{os.Stdout, os.Stderr} {
		from, program, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		defer from.Close()
		streams = append(streams, program)
		copying.Go(func() { _, _ = io.Copy(io.MultiWriter(o, to), from) })
	}
	code, err := run(ctx, command, environment, streams)
	for _, program := range streams[1:] {
		program.Close()
	}
	go func() {
		copying.Wait()
		close(copied)
	}()
	select {
	case <-copied:
	case <-time.After(leftBehind):
	}
	return code, err
}
