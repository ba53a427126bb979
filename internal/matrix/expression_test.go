package matrix_test

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// costly are expressions of at most 256 characters that take longest to parse or to compile.
var costly = []string{
	"(" + strings.Repeat("a", 246) + "){1000}",
	"(" + strings.Repeat(".", 246) + "){1000}",
	"(" + strings.Repeat("a*", 120) + "){1000}",
	"(" + strings.Repeat("(?:a|)", 40) + "){1000}",
	"((((((((((a{2}){2}){2}){2}){2}){2}){2}){2}){2}))",
}

// onlyInGo are expressions that Go knows and JavaScript does not, or reads differently. The long ones take long to
// parse.
var onlyInGo = []string{
	`(?i)token: (\w+)`, `token: (?i:(\w+))`, `(?s)x(y)`, `(?P<token>\w+)`, `<title>(\p{L}+)</title>`, `(\PL)`, `(\x{1E942})`, `\A(x)`, `(x)\z`,
	`\Q[\E(x)`, `([[:alpha:]]+)`, `\\(\pL)`,
	"(?i)(" + strings.Repeat("k", 240) + "){1000}",
	"(?i)(" + strings.Repeat(`\pL`, 80) + "){1000}",
	"(" + strings.Repeat(`\PL|`, 62) + ")",
	"(?si)([" + strings.Repeat("B-𞥂", 80) + "])",
}

// withExpression returns a service whose login has so many extractions with an expression.
func withExpression(expression string, n int) *v1beta1.OwnService {
	own := ownSpec().Service.Own
	steps := make([]handover.Request, n/8+1)
	for i := range n {
		step := &steps[i/8]
		step.Path = "/"
		step.Extract = append(step.Extract, handover.Extraction{Name: fmt.Sprint("v", i), Regexp: expression})
	}
	own.Login.Setup, own.Login.Steps = nil, steps
	return own
}

func TestExpressionsThatAreCostlyAreRefused(t *testing.T) {
	for want, expressions := range map[string][]string{"at most 1000": costly, "which JavaScript does not know": onlyInGo} {
		for _, expression := range expressions {
			if err := matrix.CheckOwn(withExpression(expression, 1)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.40s…: %v", expression, err)
			}
		}
	}
	for _, expression := range []string{
		`name="csrf" value="([^"]{1,200})"`, `[Tt]oken: ([a-z0-9]{32})`, `令牌：(\w+)`, `(?:x|y)(z)`, `(?<token>\w+)`, `\\p(x)`, `\(\?(i)`,
		"(" + strings.Repeat("a", 240) + ")",
	} {
		if err := matrix.CheckOwn(withExpression(expression, 1)); err != nil {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// TestTheExpressionsOfAnExperimentTakeLittleMemory checks each costly expression 128 times. Compiled,
// one of them took 54 MiB. Its allocations stand for its time, which depends on the machine.
func TestTheExpressionsOfAnExperimentTakeLittleMemory(t *testing.T) {
	accepted := "(" + strings.Repeat("a?", 120) + ")"
	for _, expression := range slices.Concat([]string{accepted}, costly, onlyInGo) {
		own := withExpression(expression, 128)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = matrix.CheckOwn(own)
		runtime.ReadMemStats(&after)
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 32 {
			t.Errorf("%.40s…: %d MiB were allocated", expression, mib)
		}
	}
}

func FuzzAnAcceptedExpressionIsSmall(f *testing.F) {
	for _, expression := range slices.Concat(costly, onlyInGo) {
		f.Add(expression)
	}
	for _, expression := range []string{`(a|b|cd)`, `(a*)*`, `((?:){1000})`, `(a{0}){3,}`, `(?:(a{3,7})?|x{2,})+`, `^$\b(.)\B`, `([^\x00-\x{10FFFF}])`} {
		f.Add(expression)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		if expression == "" || matrix.CheckOwn(withExpression(expression, 1)) != nil {
			return
		}
		if groups := regexp.MustCompile(expression).NumSubexp(); groups != 1 {
			t.Errorf("%q has %d groups", expression, groups)
		}
		parsed, err := syntax.Parse(expression, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		program, err := syntax.Compile(parsed.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(program.Inst); n > 1002 { // with the instructions that fail and match
			t.Errorf("%q has %d instructions", expression, n)
		}
	})
}
