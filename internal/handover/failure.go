package handover

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// EncodeFailure writes why a load gave no numbers: a reason of this package, the
// end of k6's stderr or whatever else is known, of which as much is kept as
// fits, the end rather than the beginning, and k6's exit code.
func EncodeFailure(reason, detail string, exitCode int) string {
	head := fmt.Sprintf("%s failure=%s exit=%d\n", version, word(reason, 32), exitCode)
	room := MaxBytes - endLength - len(head)
	var body string
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(detail, "?")), "\n")
	for i := len(lines) - 1; i >= 0 && room > 0; i-- {
		line := "| " + strings.TrimRight(lines[i], " \r") + "\n"
		if len(line) > room {
			break
		}
		body, room = line+body, room-len(line)
	}
	if body == "" && strings.TrimSpace(detail) != "" {
		last := lines[len(lines)-1]
		for len(last) > room-len("| \n") {
			_, size := utf8.DecodeRuneInString(last)
			last = last[size:]
		}
		body = "| " + last + "\n"
	}
	return seal(head + body)
}

// reasonForm is what a condition's reason may look like. Another one would have
// the whole status refused.
var reasonForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)

// decodeFailure reads a *Failure back, or says that it is garbled.
func decodeFailure(header map[string]string, lines []string) error {
	exitCode, err := intField(header, "exit")
	if err != nil {
		return err
	}
	if !reasonForm.MatchString(header["failure"]) {
		return garbled("it tells of a failure without a reason that can be one")
	}
	details := make([]string, len(lines))
	for i, line := range lines {
		detail, found := strings.CutPrefix(line, "|")
		if !found {
			return garbled("it holds a line that is no detail of a failure")
		}
		details[i] = strings.TrimPrefix(detail, " ")
	}
	return &Failure{Reason: header["failure"], Detail: strings.TrimSpace(strings.Join(details, "\n")), ExitCode: exitCode}
}
