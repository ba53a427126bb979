package report

import (
	"strings"
	"unicode"
)

// clean makes untrusted text a single line: it replaces white space with spaces, and
// characters that control a terminal or change the direction of text with the replacement
// character.
func clean(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, string(unicode.ReplacementChar))), " ")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\uFFFE', r == '\uFFFF':
			return unicode.ReplacementChar
		default:
			return r
		}
	}, text)
}

// wrap breaks a text into lines of at most width runes, except for longer words.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
