package units

import (
	"strconv"
	"strings"
	"unicode"
)

// Plain replaces what does something else in a text than be read: invalid UTF-8, and the characters
// that move the cursor, change colours, set the title of a window, or change the direction or the
// lines of the text. Line feeds and tabs stay. Every text that a pod, a user or an API server wrote
// goes through Plain, Line or Escaped before it is stored or printed.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && controls(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// controls reports whether a character is one that Plain replaces, or a line feed or a tab. XML does
// not allow the last two.
func controls(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || r == '\uFFFE' || r == '\uFFFF'
}

// Line is Plain in one line: any white space becomes one space, and none is left at either end.
func Line(text string) string {
	return Plain(strings.Join(strings.Fields(text), " "))
}

// Clip returns Line, shortened to a number of characters, with an ellipsis in place of the rest.
func Clip(text string, most int) string {
	text = Line(text)
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

// Escaped escapes in JSON what Plain would replace, so that nothing of it is lost.
func Escaped(document string) string {
	const digits = "0123456789abcdef"
	var text strings.Builder
	for _, r := range document {
		if r == '\n' || r == '\t' || !controls(r) {
			text.WriteRune(r)
			continue
		}
		text.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 { // none of them is above \uffff
			text.WriteByte(digits[r>>shift&0xf])
		}
	}
	return text.String()
}

// Size returns a size as everything that people read names it: 2×c10-1 is two replicas of the variant c10-1.
func Size(replicas int32, variant string) string { return strconv.Itoa(int(replicas)) + "×" + variant }
