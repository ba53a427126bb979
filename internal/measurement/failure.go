package measurement

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashmark-dev/hashmark/internal/units"
)

// EncodeFailure encodes why a load has no numbers: a reason of package handover, a detail such as the end of
// k6's stderr, and k6's exit code. If the detail does not fit, its end is kept.
func EncodeFailure(reason, detail string, exitCode int) string {
	head := fmt.Sprintf("%s failure=%s exit=%d\n", version, word(reason, 32), exitCode)
	room := MaxBytes - endLength - len(head)
	var body string
	lines := strings.Split(strings.TrimSpace(units.Plain(detail)), "\n")
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

// reasonForm is the pattern of a condition's reason. With another one, the API server would
// refuse the whole status.
var reasonForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)

func decodeFailure(header map[string]string, lines []string) error {
	exitCode, err := intField(header, "exit")
	if err != nil {
		return err
	}
	if !reasonForm.MatchString(header["failure"]) {
		return garbled("the reason of its failure is missing or invalid")
	}
	details := make([]string, len(lines))
	for i, line := range lines {
		detail, found := strings.CutPrefix(line, "|")
		if !found {
			return garbled("a line of its failure does not begin with a bar")
		}
		details[i] = strings.TrimPrefix(detail, " ")
	}
	return &Failure{Reason: header["failure"], Detail: strings.TrimSpace(strings.Join(details, "\n")), ExitCode: exitCode}
}
