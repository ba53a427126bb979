package handover

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

const (
	// MaxBytes is what kubelet keeps of a termination message.
	MaxBytes = 4096
	version  = "hashmark/4"
	// endLength is that of the last line: "end ", eight hex digits, a line feed.
	endLength = 13
)

// seal adds the last line.
func seal(body string) string {
	return body + endLine(body)
}

func endLine(body string) string {
	return fmt.Sprintf("end %08x\n", crc32.ChecksumIEEE([]byte(body)))
}

// unseal checks version and checksum and returns the first line's fields, and
// the lines between it and the last.
func unseal(message string) (header map[string]string, lines []string, err error) {
	if strings.TrimSpace(message) == "" {
		return nil, nil, ErrAbsent
	}
	// The kubelet of some runtimes trims white space at the end.
	message = strings.TrimRight(message, " \r\n") + "\n"
	if len(message) > MaxBytes {
		return nil, nil, garbled("it is longer than %d bytes", MaxBytes)
	}
	first, _, _ := strings.Cut(message, "\n")
	if name, _, _ := strings.Cut(first, " "); name != version {
		return nil, nil, garbled("it does not begin with %q, so its head is cut off or it is of another version", version)
	}
	if len(message) < len(first)+1+endLength {
		return nil, nil, garbled("it is cut short")
	}
	body, end := message[:len(message)-endLength], message[len(message)-endLength:]
	if end != endLine(body) {
		return nil, nil, garbled("its last line should be %q", strings.TrimSpace(endLine(body)))
	}
	lines = strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	return fieldsOf(lines[0]), lines[1:], nil
}

// fieldsOf reads key=value pairs; a word without a value has an empty one.
func fieldsOf(line string) map[string]string {
	fields := map[string]string{}
	for _, word := range strings.Fields(line)[1:] {
		key, value, _ := strings.Cut(word, "=")
		fields[key] = value
	}
	return fields
}

func intField(fields map[string]string, key string) (int, error) {
	value, err := strconv.Atoi(fields[key])
	if err != nil {
		return 0, garbled("%s=%q is no number", key, fields[key])
	}
	return value, nil
}

// word makes a value safe to stand between spaces: what a container says of
// itself must not be able to forge a line.
func word(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == '=' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), limit)]
}
