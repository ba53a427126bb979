package matrix

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// mostInstructions is the largest size of a compiled regular expression, in instructions. One
// that finds a token has a few dozen.
const mostInstructions = 1000

// checkExpression returns what is wrong with a regular expression of an extraction. It does not
// compile the expression: 256 characters can have a quarter of a million instructions.
func checkExpression(expression string) error {
	if expression == "" {
		return nil
	}
	if part := onlyInGo(expression); part != "" {
		return fmt.Errorf("the regular expression has %s, which JavaScript does not know; write, for example, [Aa] for both cases of a letter", part)
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

// onlyInGo returns a part of an expression that the parser here accepts, and k6, whose expressions are those of
// JavaScript, does not or reads differently. It returns "" without one.
func onlyInGo(expression string) string {
	for i := 0; i < len(expression); i++ {
		rest := expression[i:]
		switch {
		case strings.HasPrefix(rest, `\x{`), strings.HasPrefix(rest, "[[:"):
			return rest[:3]
		case rest[0] == '\\' && len(rest) > 1:
			if strings.ContainsRune("pPAzQEC", rune(rest[1])) {
				return rest[:2]
			}
			i++
		case strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?:") && !strings.HasPrefix(rest, "(?<"): // a flag, or (?P<name>
			return "(?"
		}
	}
	return ""
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
