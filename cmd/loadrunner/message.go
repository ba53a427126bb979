package main

import (
	"os"
)

// defaultMessageFile is the file that kubelet mounts into every container.
const defaultMessageFile = "/dev/termination-log"

// messageFile is the file of the termination message.
type messageFile struct{ path string }

// openMessage falls back to standard output if the default file does not exist, as on a
// developer's machine.
func openMessage(path string) messageFile {
	if path == "" {
		path = defaultMessageFile
		if _, err := os.Stat(path); err != nil {
			path = "-"
		}
	}
	return messageFile{path: path}
}

// write replaces the content of the file. It writes nothing to standard output, which gets
// only the final message.
func (m messageFile) write(text string) {
	if m.path == "-" {
		return
	}
	if err := os.WriteFile(m.path, []byte(text), 0o644); err != nil {
		os.Stderr.WriteString("Could not write the result: " + err.Error() + "\n" + text)
	}
}

// conclude writes the final message.
func (m messageFile) conclude(text string) {
	if m.path == "-" {
		os.Stdout.WriteString(text)
		return
	}
	m.write(text)
}
