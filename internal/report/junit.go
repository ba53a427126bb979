package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// JUnit writes the report as the XML that shows test results in CI. A variant is a
// test case: it fails where it can't meet the objective, or can't carry the demand
// within its bounds; it is an error where nothing it says may be believed, and
// skipped where it was not measured. With a demand the first test case is the
// demand itself, which fails where no size is recommended.
func JUnit(w io.Writer, d Document) error {
	status := &d.Experiment.Status
	suite := junit.Testsuite{Name: clean(d.Name()), Time: seconds(status.StartTime, status.CompletionTime)}
	if status.StartTime != nil {
		// The schema has no room for a zone.
		suite.Timestamp = status.StartTime.UTC().Format("2006-01-02T15:04:05")
	}
	for _, fact := range d.Method.Facts {
		suite.AddProperty(clean(fact.Label), clean(fact.Value))
	}
	if d.Demanded() {
		suite.AddTestcase(d.demandCase(suite.Name))
	}
	for _, row := range d.Rows {
		suite.AddTestcase(d.variantCase(row, suite.Name))
	}
	suites := junit.Testsuites{Name: "hashmark", Time: suite.Time}
	suites.AddSuite(suite)
	suites.Skipped = 0 // the schema that Jenkins holds reports to knows it of a suite only
	if _, err := io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"); err != nil {
		return err
	}
	return suites.WriteXML(w)
}

// demandCase is the question itself as a test.
func (d Document) demandCase(suite string) junit.Testcase {
	test := junit.Testcase{Name: clean("demand of " + d.Demand()), Classname: suite, Time: "0"}
	status := &d.Experiment.Status
	switch {
	case !status.Phase.Finished():
		test.Skipped = outcome("NotFinished", d.Answer(), nil)
	case status.Phase == v1alpha1.ExperimentFailed:
		test.Error = outcome("Failed", d.Answer(), nil)
	case !d.Met():
		test.Failure = outcome("NotServed", d.Answer(), d.whySection().Items)
	default:
		test.SystemOut = output(d.Answer())
	}
	return test
}

// variantCase is whether a variant can do what is asked of it.
func (d Document) variantCase(row Row, suite string) junit.Testcase {
	test := junit.Testcase{Name: clean(row.Result.Variant), Classname: suite, Time: measuredSeconds(row)}
	switch {
	case row.Predicted:
		test.Skipped = outcome("Predicted", "The variant was predicted and not measured", nil)
	case row.Result.Verdict == v1alpha1.VerdictPending:
		test.Skipped = outcome("NotMeasured", "The variant was not measured", row.Why())
	case row.Result.Verdict == v1alpha1.VerdictInvalid:
		test.Error = outcome("Invalid", "The variant has no result that may be believed", row.Why())
	case row.Result.ObjectiveMet == nil:
		test.Error = outcome("Undecided", "The steps do not decide whether the variant meets the objective", row.Why())
	case !*row.Result.ObjectiveMet:
		test.Failure = outcome("Objective", fmt.Sprintf("The variant does not hold p95 within %s%s", d.promise(), d.anywhere()), row.Why())
	case row.Result.Sizing != nil && len(row.Result.Sizing.Breaks) > 0:
		test.Failure = outcome(string(row.Result.Sizing.Breaks[0]), d.breaks(row), row.Why())
	default:
		test.SystemOut = output(d.passes(row), row.Why()...)
	}
	return test
}

// breaks says what the size would be that keeps not within the demand's bounds.
func (d Document) breaks(row Row) string {
	return fmt.Sprintf("%s takes %s with %s CPU in all, which is %s",
		d.Demand(), row.Size(), row.Result.Sizing.TotalCPU, strings.TrimPrefix(row.Fits(), "no: "))
}

func (d Document) passes(row Row) string {
	text := "p95 within " + d.promise()
	if capacity := row.Capacity(); capacity != "" {
		text += " up to " + capacity
	}
	if p95 := row.P95(); p95 != "" {
		text += "; p95 " + p95 + " at " + row.Load()
	}
	return text
}

func outcome(kind, message string, details []string) *junit.Result {
	return &junit.Result{Type: kind, Message: clean(message), Data: output(message, details...).Data}
}

// output is text for a body: a character that XML can't hold would make all of
// the report unreadable.
func output(text string, more ...string) *junit.Output {
	lines := []string{clean(text)}
	for _, line := range more {
		lines = append(lines, clean(line))
	}
	return &junit.Output{Data: strings.Join(lines, "\n")}
}

// measuredSeconds is how long the variant's trials took, together.
func measuredSeconds(row Row) string {
	total := 0.0
	for _, trial := range row.Trials {
		if trial.Status.StartTime != nil && trial.Status.CompletionTime != nil {
			total += trial.Status.CompletionTime.Sub(trial.Status.StartTime.Time).Seconds()
		}
	}
	return strconv.FormatFloat(total, 'f', -1, 64)
}

// seconds between two moments, 0 while one is not known: the schema asks for a
// number.
func seconds(from, to *metav1.Time) string {
	if from == nil || to == nil {
		return "0"
	}
	return strconv.FormatFloat(to.Sub(from.Time).Seconds(), 'f', -1, 64)
}
