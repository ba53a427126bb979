package units_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/units"
)

func TestPlainAndLine(t *testing.T) {
	for name, tt := range map[string]struct{ text, plain, line string }{
		"nothing":                      {"", "", ""},
		"words of any language":        {"µ±‰ – 10⁶ 統計 🔥", "µ±‰ – 10⁶ 統計 🔥", "µ±‰ – 10⁶ 統計 🔥"},
		"lines and columns":            {" a\tb\n\nc ", " a\tb\n\nc ", "a b c"},
		"a colour":                     {"\x1b[31mred\x1b[0m", "\ufffd[31mred\ufffd[0m", "\ufffd[31mred\ufffd[0m"},
		"the title of a window":        {"\x1b]0;mine\a", "\ufffd]0;mine\ufffd", "\ufffd]0;mine\ufffd"},
		"the same in one character":    {"\u009b2J\u009d0;mine\u009c", "\ufffd2J\ufffd0;mine\ufffd", "\ufffd2J\ufffd0;mine\ufffd"},
		"a line that is written over":  {"bad\rgood\b\x7f", "bad\ufffdgood\ufffd\ufffd", "bad good\ufffd\ufffd"},
		"the other direction":          {"\u202egpj.exe\u202c\u2066a\u2069\u200f\u061c", "\ufffdgpj.exe\ufffd\ufffda\ufffd\ufffd\ufffd", "\ufffdgpj.exe\ufffd\ufffda\ufffd\ufffd\ufffd"},
		"lines of other kinds":         {"a\u2028b\u2029c\u0085d\ve\ff", "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf", "a b c d e f"},
		"bytes that are not text":      {"a\xff\xc3b", "a\ufffdb", "a\ufffdb"},
		"what XML does not allow":      {"\ufffe\uffff\x00", "\ufffd\ufffd\ufffd", "\ufffd\ufffd\ufffd"},
		"blanks that are not a space":  {"10\u00a0%", "10\u00a0%", "10 %"},
		"a character that was plain":   {"\ufffd", "\ufffd", "\ufffd"},
		"a line feed after a return":   {"a\r\nb", "a\ufffd\nb", "a b"},
		"a direction within a message": {"pod \u2067x\u2069 failed", "pod \ufffdx\ufffd failed", "pod \ufffdx\ufffd failed"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tt.plain, tt.line}, []string{units.Plain(tt.text), units.Line(tt.text)}); diff != "" {
				t.Errorf("plain, in one line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlainReplacesControlCharacters(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		bad := unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029
		if got := units.Plain(string(r)); bad && got != "\ufffd" {
			t.Errorf("%U becomes %q", r, got)
		}
	}
}

func TestPlainWriterJoinsParts(t *testing.T) {
	const text, want = "a統計\x1b🔥\xffb\u202e\n", "a統計\ufffd🔥\ufffdb\ufffd\n"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := units.PlainWriter(&out)
		for begin := 0; begin < len(text); begin += size {
			part := text[begin:min(begin+size, len(text))]
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("it writes %d of %d, %v", n, len(part), err)
			}
		}
		if out.String() != want {
			t.Errorf("in parts of %d bytes it writes %q", size, out.String())
		}
	}
}

// FuzzPlainTexts checks what all of them promise.
func FuzzPlainTexts(f *testing.F) {
	f.Add("a\x1b\u009b\n\t\u202e\u2028\xff\ufffe")
	f.Fuzz(func(t *testing.T, text string) {
		plain, line := units.Plain(text), units.Line(text)
		if units.Plain(plain) != plain || units.Line(line) != line || strings.ContainsAny(line, "\n\t") {
			t.Errorf("plain is %q, the line %q", plain, line)
		}
		if clipped := units.Clip(text, 5); len([]rune(clipped)) > 5 || units.Clip(clipped, 5) != clipped {
			t.Errorf("it is clipped to %q", clipped)
		}
		document, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		escaped := units.Escaped(string(document))
		var got, want string
		if err := json.Unmarshal([]byte(escaped), &got); err != nil || units.Plain(escaped) != escaped {
			t.Fatalf("%q is escaped as %q: %v", document, escaped, err)
		}
		if err := json.Unmarshal(document, &want); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", escaped, got, err)
		}
	})
}
