package measurement

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

const (
	// MaxBytes is the size of a termination message that kubelet keeps.
	MaxBytes = 4096
	version  = "hashmark/4"
	// endLength is the length of the last line: "end ", eight hex digits, a line feed.
	endLength = 13
)

// seal adds the last line.
func seal(body string) string {
	return body + endLine(body)
}

func endLine(body string) string {
	return fmt.Sprintf("end %08x\n", crc32.ChecksumIEEE([]byte(body)))
}

// unseal checks version and checksum. It returns the fields of the first line, and the
// lines between the first and the last.
func unseal(message string) (header map[string]string, lines []string, err error) {
	if strings.TrimSpace(message) == "" {
		return nil, nil, ErrAbsent
	}
	// With some runtimes, white space at the end is trimmed.
	message = strings.TrimRight(message, " \r\n") + "\n"
	if len(message) > MaxBytes {
		return nil, nil, garbled("it is longer than %d bytes", MaxBytes)
	}
	first, _, _ := strings.Cut(message, "\n")
	if name, _, _ := strings.Cut(first, " "); name != version {
		return nil, nil, garbled("it does not begin with %q: its start is missing, or it is of another version", version)
	}
	if len(message) < len(first)+1+endLength {
		return nil, nil, garbled("it is truncated")
	}
	body, end := message[:len(message)-endLength], message[len(message)-endLength:]
	if end != endLine(body) {
		return nil, nil, garbled("its last line should be %q", strings.TrimSpace(endLine(body)))
	}
	lines = strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	return fieldsOf(lines[0]), lines[1:], nil
}

// fieldsOf reads key=value pairs. The value of a word without "=" is empty.
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
		return 0, garbled("%s=%q is not a number", key, fields[key])
	}
	return value, nil
}

// word removes the characters that have a meaning in a message, so that a value from a
// container cannot forge a line, and shortens the value.
func word(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == '=' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), limit)]
}
