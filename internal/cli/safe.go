package cli

import (
	"io"
	"strings"
	"unicode"
)

// safeWriter writes messages to a terminal. They may contain text from the cluster, and with it
// anything that somebody wrote into the status of a pod or into a webhook's answer.
type safeWriter struct{ out io.Writer }

// Write writes the text as safe returns it.
func (w safeWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.out, safe(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// safe replaces the characters that move the cursor, change colours, set the title of a window or
// the direction of the text. Tabs and line feeds stay.
func safe(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}
