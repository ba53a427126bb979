package units

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"
)

// writer writes Plain text. It has the beginning of a character whose end has not been written yet.
type writer struct {
	out   io.Writer
	mutex sync.Mutex
	begun []byte
}

// PlainWriter returns a writer that writes to a terminal or a log what Plain returns. Several
// goroutines may use it.
func PlainWriter(out io.Writer) io.Writer { return &writer{out: out} }

// Write writes all characters that are complete.
func (w *writer) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	all := append(w.begun, text...)
	complete := len(all)
	for start := complete - 1; start >= max(0, complete-utf8.UTFMax); start-- {
		if utf8.RuneStart(all[start]) {
			if !utf8.FullRune(all[start:]) {
				complete = start
			}
			break
		}
	}
	w.begun = bytes.Clone(all[complete:])
	if _, err := io.WriteString(w.out, Plain(string(all[:complete]))); err != nil {
		return 0, err
	}
	return len(text), nil
}
