package main

import (
	"os"
)

// defaultMessageFile is what kubelet mounts into every container.
const defaultMessageFile = "/dev/termination-log"

// messageFile is where the last word goes.
type messageFile struct{ path string }

// openMessage falls back to standard output where there is no such file to
// write to, as on a developer's machine.
func openMessage(path string) messageFile {
	if path == "" {
		path = defaultMessageFile
		if _, err := os.Stat(path); err != nil {
			path = "-"
		}
	}
	return messageFile{path: path}
}

// write replaces the file's content. Where it goes to standard output, only the
// last word is worth saying, so this says nothing.
func (m messageFile) write(text string) {
	if m.path == "-" {
		return
	}
	if err := os.WriteFile(m.path, []byte(text), 0o644); err != nil {
		os.Stderr.WriteString("The result can't be written: " + err.Error() + "\n" + text)
	}
}

// conclude writes the last word.
func (m messageFile) conclude(text string) {
	if m.path == "-" {
		os.Stdout.WriteString(text)
		return
	}
	m.write(text)
}
