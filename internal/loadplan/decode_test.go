package loadplan

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func encode(t *testing.T, plan Plan) string {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAPlanThatNoGeneratorCanRunIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(*Plan, *Step)
		says   string
	}{
		"a step of an unknown kind":     {func(_ *Plan, s *Step) { s.Kind = "Ramp" }, `unknown kind "Ramp"`},
		"a step without callers":        {func(_ *Plan, s *Step) { s.Callers = 0 }, "needs at least one"},
		"a step without a counted part": {func(_ *Plan, s *Step) { s.CountedMilliseconds = 0 }, "must be longer than 0"},
		"a step that is too short for k6": {func(_ *Plan, s *Step) {
			*s = Step{Kind: Closed, StartMilliseconds: s.StartMilliseconds, CountedMilliseconds: 999, Callers: 1}
		}, "must last at least 1000 ms"},
		"a step of three days":            {func(_ *Plan, s *Step) { s.DrainMilliseconds = 72 * time.Hour.Milliseconds() }, "within 48 hours"},
		"arrivals of an unknown kind":     {func(_ *Plan, s *Step) { s.Arrivals = "Gamma" }, `unknown arrivals "Gamma"`},
		"a negative number of logins":     {func(_ *Plan, s *Step) { s.Requests = -1 }, "both must be at least 0"},
		"a negative rate":                 {func(_ *Plan, s *Step) { s.OfferedMilliPerSecond = -1 }, "must not be negative"},
		"too many logins for a generator": {func(_ *Plan, s *Step) { s.Requests = 5_000_000 }, "their sum at most"},
		"a step that overlaps the last":   {func(_ *Plan, s *Step) { s.StartMilliseconds-- }, "at the earliest"},
		"no step":                         {func(p *Plan, _ *Step) { p.Steps = nil }, "at least one step"},
		"no timeout":                      {func(p *Plan, _ *Step) { p.TimeoutMilliseconds = 0 }, "a timeout above 0"},
		"more steps than a status has":    {func(p *Plan, _ *Step) { p.NotRun = make([]NotRun, 24) }, "at most 24"},
		"a reason with a line feed":       {func(p *Plan, _ *Step) { p.NotRun = []NotRun{{Message: "a\nb"}} }, "control characters"},
		"a reason without an end":         {func(p *Plan, _ *Step) { p.NotRun = []NotRun{{Message: strings.Repeat("x", 1025)}} }, "more than 1024 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			plan := mustBuild(t, aTrial(withOwn), calibrated(), nil)
			test.damage(&plan, &plan.Steps[1])
			if _, err := Decode(encode(t, plan)); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("want an error that says %q, got %v", test.says, err)
			}
		})
	}
}

func TestATextThatIsNoPlanIsRefused(t *testing.T) {
	sent := encode(t, mustBuild(t, aTrial(), calibrated(), nil))
	for name, test := range map[string]struct{ text, says string }{
		"nothing":              {"", "not JSON"},
		"half of one":          {sent[:len(sent)/2], "not JSON"},
		"two":                  {sent + sent, "not JSON"},
		"an unknown field":     {strings.Replace(sent, "{", `{"pace":3,`, 1), `unknown field "pace"`},
		"more than a variable": {sent + strings.Repeat(" ", 128<<10), "at most 131072"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode(test.text); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("want an error that says %q, got %v", test.says, err)
			}
		})
	}
}

// Fields of another version may be unknown, or mean something else.
func TestAPlanOfAnotherVersionIsRefusedWhateverIsInIt(t *testing.T) {
	for text, version := range map[string]int{
		`{}`: 0, `{"version":1,"timeoutMs":1,"steps":[]}`: 1, fmt.Sprintf(`{"version":%d,"pace":"3"}`, Version+1): Version + 1,
	} {
		_, err := Decode(text)
		if other, is := errors.AsType[*OtherVersionError](err); !is || other.Version != version {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
}

// If this fails, increase Version: a load that runs during an upgrade would be judged by other due
// times than those that its generator drew. They are compared in milliseconds, because machines
// differ by a microsecond.
func TestTheDueTimesBelongToTheVersion(t *testing.T) {
	type drawn struct {
		Version          int
		Poisson, Uniform []int64
		Seeds            []uint32
	}
	milliseconds := func(due []time.Duration) (all []int64) {
		for _, at := range due {
			all = append(all, at.Milliseconds())
		}
		return all
	}
	want := drawn{5, []int64{30, 35, 484, 741}, []int64{125, 375, 625, 875}, []uint32{1508443776, 4175670872}}
	got := drawn{
		Version, milliseconds(Poisson(7, 4, time.Second)), milliseconds(Uniform(4, time.Second)), []uint32{StepSeed(7, 1, 0), StepSeed(7, 2, 3)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("drawn (-want +got):\n%s", diff)
	}
}
