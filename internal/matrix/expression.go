package matrix

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

const (
	// mostInstructions is the largest size of a compiled regular expression, in instructions. One
	// that finds a token has a few dozen.
	mostInstructions = 1000
	// mostUnicodeClasses is how often an expression can name a class of Unicode. Each has hundreds of
	// ranges.
	mostUnicodeClasses = 2
)

// checkExpression returns what is wrong with a regular expression of an extraction. It does not
// compile the expression: 256 characters can have a quarter of a million instructions.
func checkExpression(expression string) error {
	if expression == "" {
		return nil
	}
	if err := checkClasses(expression); err != nil {
		return err
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return fmt.Errorf("the regular expression is invalid: %w", err)
	}
	if n := instructions(parsed); n > mostInstructions {
		return fmt.Errorf("the regular expression has %d instructions, and at most %d are allowed; repeat less, for example with * instead of {1000}", n, mostInstructions)
	}
	if groups := parsed.MaxCap(); groups != 1 {
		return fmt.Errorf("the regular expression must have one group, which is the value, and has %d", groups)
	}
	return nil
}

// ignoresCase finds the flag i, which makes the parser look up each character of a range.
var ignoresCase = regexp.MustCompile(`\(\?[a-zA-Z]*i`)

func checkClasses(expression string) error {
	if n := strings.Count(strings.ToLower(expression), `\p`); n > mostUnicodeClasses {
		return fmt.Errorf(`the regular expression has %d classes such as \p{L}, and at most %d are allowed; use fewer`, n, mostUnicodeClasses)
	}
	beyondASCII := func(r rune) bool { return r > unicode.MaxASCII }
	if ignoresCase.MatchString(expression) && (strings.Contains(expression, `\x{`) || strings.ContainsFunc(expression, beyondASCII)) {
		return fmt.Errorf("the regular expression has (?i) and characters beyond ASCII; remove (?i), and name both cases of a letter")
	}
	return nil
}

// instructions returns how many instructions a parsed expression has once it is compiled, or a few
// more. It follows Simplify and Compile of regexp/syntax.
func instructions(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpStar, syntax.OpCapture:
		n += 2
	case syntax.OpPlus, syntax.OpQuest:
		n++
	case syntax.OpAlternate:
		n += len(re.Sub)
	case syntax.OpRepeat:
		optional := max(0, re.Max-re.Min)
		n = n*max(1, re.Min, re.Max) + optional + 2
	}
	return max(1, n)
}
