package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// JUnit writes the report as JUnit XML, for CI. The first test case is the demand, or the objective if there
// is no demand. It is an error if the experiment has not finished or has failed. The report fails exactly if
// this case does: if it passes, variants that fail are skipped, with the reason, since a matrix that looks for
// the limit has some. If not, they fail, and those without a usable result are errors. Variants that were not
// measured are always skipped.
func JUnit(w io.Writer, d Document) error {
	status := &d.Experiment.Status
	suite := junit.Testsuite{Name: units.Line(d.Name()), Time: seconds(status.StartTime, status.CompletionTime)}
	if status.StartTime != nil {
		// The schema allows no time zone.
		suite.Timestamp = status.StartTime.UTC().Format("2006-01-02T15:04:05")
	}
	for _, fact := range d.Method.Facts {
		suite.AddProperty(units.Line(fact.Label), units.Line(fact.Value))
	}
	suite.AddTestcase(d.firstCase(suite.Name))
	for _, v := range d.Experiment.Status.Verifications {
		suite.AddTestcase(d.verificationCase(v, suite.Name))
	}
	for _, row := range d.Rows {
		suite.AddTestcase(d.variantCase(row, suite.Name))
	}
	suites := junit.Testsuites{Name: "hashmark", Time: suite.Time}
	suites.AddSuite(suite)
	suites.Skipped = 0 // the schema that Jenkins uses has it for suites only
	if _, err := io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"); err != nil {
		return err
	}
	return suites.WriteXML(w)
}

func (d Document) firstCase(suite string) junit.Testcase {
	test := junit.Testcase{Name: d.objective(), Classname: suite, Time: "0"}
	if d.HasDemand() {
		test.Name = units.Line("demand of " + d.Demand())
	}
	switch {
	case !d.Experiment.Status.Phase.Finished():
		test.Error = outcome("NotFinished", d.Answer(), nil)
	case d.Experiment.Status.Phase == v1beta1.ExperimentFailed:
		test.Error = outcome("Failed", d.Answer(), nil)
	case !d.Met():
		test.Failure = outcome("NotServed", d.Answer(), d.whySection().Items)
	default:
		test.SystemOut = output(d.Answer())
	}
	return test
}

func (d Document) answered() bool {
	phase := d.Experiment.Status.Phase
	return phase.Finished() && phase != v1beta1.ExperimentFailed && d.Met()
}

func (d Document) variantCase(row Row, suite string) junit.Testcase {
	test := junit.Testcase{Name: units.Line(row.Result.Variant), Classname: suite, Time: measuredSeconds(row)}
	failed, invalid := d.failure(row), unusable(row)
	switch {
	case row.Predicted:
		test.Skipped = outcome("Predicted", "The variant was predicted and not measured", nil)
	case row.Result.Verdict == v1beta1.VerdictPending:
		test.Skipped = outcome("NotMeasured", "The variant was not measured", row.ReasonLines())
	case failed == nil && invalid == nil:
		test.SystemOut = output(d.passes(row), row.ReasonLines()...)
	case d.answered():
		test.Skipped = cmp.Or(invalid, failed)
	default:
		test.Error = invalid
		if invalid == nil {
			test.Failure = failed
		}
	}
	return test
}

// unusable returns why a variant has no usable result, or nil if it has one.
func unusable(row Row) *junit.Result {
	switch {
	case row.Result.Verdict == v1beta1.VerdictInvalid:
		return outcome("Invalid", "The variant has no usable result", row.ReasonLines())
	case row.Result.ObjectiveMet == nil:
		return outcome("Undecided", "The steps do not decide whether the variant meets the objective", row.ReasonLines())
	default:
		return nil
	}
}

// failure returns why a variant can't meet the objective or the demand, or nil if it can.
func (d Document) failure(row Row) *junit.Result {
	switch {
	case row.Result.ObjectiveMet != nil && !*row.Result.ObjectiveMet:
		return outcome("Objective", fmt.Sprintf("The variant does not meet the objective (%s)%s", d.objective(), d.anywhere()), row.ReasonLines())
	case row.Result.Sizing != nil && len(row.Result.Sizing.Breaks) > 0:
		return outcome(string(row.Result.Sizing.Breaks[0]), d.breaks(row), row.ReasonLines())
	default:
		return nil
	}
}

func (d Document) breaks(row Row) string {
	return fmt.Sprintf("%s requires %s with %s CPU in total, which is %s",
		d.Demand(), row.Size(), row.Result.Sizing.TotalCPU, strings.TrimPrefix(row.Fits(), "no: "))
}

func (d Document) passes(row Row) string {
	text := d.objective()
	if capacity := row.Capacity(); capacity != "" {
		text += " up to " + capacity
	}
	if p95 := row.P95(); p95 != "" {
		text += "; p95 " + p95 + " at " + row.Load()
	}
	return text
}

func outcome(kind, message string, details []string) *junit.Result {
	return &junit.Result{Type: units.Line(kind), Message: units.Line(message), Data: output(message, details...).Data}
}

// output returns text for a body. A character that XML does not allow would make the whole report
// unreadable.
func output(text string, more ...string) *junit.Output {
	lines := []string{units.Line(text)}
	for _, line := range more {
		lines = append(lines, units.Line(line))
	}
	return &junit.Output{Data: strings.Join(lines, "\n")}
}

func measuredSeconds(row Row) string {
	total := 0.0
	for _, trial := range row.Trials {
		if trial.Status.StartTime != nil && trial.Status.CompletionTime != nil {
			total += trial.Status.CompletionTime.Sub(trial.Status.StartTime.Time).Seconds()
		}
	}
	return strconv.FormatFloat(total, 'f', -1, 64)
}

// seconds returns the seconds between two times. It is 0 if one is unknown, since the
// schema requires a number.
func seconds(from, to *metav1.Time) string {
	if from == nil || to == nil {
		return "0"
	}
	return strconv.FormatFloat(to.Sub(from.Time).Seconds(), 'f', -1, 64)
}
