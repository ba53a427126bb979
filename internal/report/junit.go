package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// JUnit writes the report as the XML that shows test results in CI. The first test
// case is the question: the demand, or without one the objective. It passes where
// a size is recommended, or some variant meets the objective; it is an error of
// an experiment that has not ended, or failed. Then each variant is one: where
// the question is answered, those that can't carry it are skipped, with why, or
// else a matrix that looks for the limit would never pass; where it is not, they
// fail, and those that nothing may be believed of are errors. Variants that were
// not measured are always skipped. So the report is red exactly where the
// question has no answer.
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
	suite.AddTestcase(d.questionCase(suite.Name))
	for _, v := range d.Experiment.Status.Verifications {
		suite.AddTestcase(d.verificationCase(v, suite.Name))
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

// questionCase is what the experiment asks, as a test.
func (d Document) questionCase(suite string) junit.Testcase {
	test := junit.Testcase{Name: d.promise(), Classname: suite, Time: "0"}
	if d.Demanded() {
		test.Name = clean("demand of " + d.Demand())
	}
	switch {
	case !d.Experiment.Status.Phase.Finished():
		test.Error = outcome("NotFinished", d.Answer(), nil)
	case d.Experiment.Status.Phase == v1alpha1.ExperimentFailed:
		test.Error = outcome("Failed", d.Answer(), nil)
	case !d.Met():
		test.Failure = outcome("NotServed", d.Answer(), d.whySection().Items)
	default:
		test.SystemOut = output(d.Answer())
	}
	return test
}

// answered tells whether the question has the answer yes.
func (d Document) answered() bool {
	phase := d.Experiment.Status.Phase
	return phase.Finished() && phase != v1alpha1.ExperimentFailed && d.Met()
}

// variantCase is whether a variant can do what is asked.
func (d Document) variantCase(row Row, suite string) junit.Testcase {
	test := junit.Testcase{Name: clean(row.Result.Variant), Classname: suite, Time: measuredSeconds(row)}
	failed, mistaken := d.failure(row), mistake(row)
	switch {
	case row.Predicted:
		test.Skipped = outcome("Predicted", "The variant was predicted and not measured", nil)
	case row.Result.Verdict == v1alpha1.VerdictPending:
		test.Skipped = outcome("NotMeasured", "The variant was not measured", row.Why())
	case failed == nil && mistaken == nil:
		test.SystemOut = output(d.passes(row), row.Why()...)
	case d.answered():
		test.Skipped = cmp.Or(mistaken, failed)
	default:
		test.Error = mistaken
		if mistaken == nil {
			test.Failure = failed
		}
	}
	return test
}

// mistake is why nothing can be said of a variant; nil where something can.
func mistake(row Row) *junit.Result {
	switch {
	case row.Result.Verdict == v1alpha1.VerdictInvalid:
		return outcome("Invalid", "The variant has no result that may be believed", row.Why())
	case row.Result.ObjectiveMet == nil:
		return outcome("Undecided", "The steps do not decide whether the variant meets the objective", row.Why())
	default:
		return nil
	}
}

// failure is why a variant can't do what is asked; nil where it can.
func (d Document) failure(row Row) *junit.Result {
	switch {
	case row.Result.ObjectiveMet != nil && !*row.Result.ObjectiveMet:
		return outcome("Objective", fmt.Sprintf("The variant does not hold %s%s", d.promise(), d.anywhere()), row.Why())
	case row.Result.Sizing != nil && len(row.Result.Sizing.Breaks) > 0:
		return outcome(string(row.Result.Sizing.Breaks[0]), d.breaks(row), row.Why())
	default:
		return nil
	}
}

// breaks says what the size would be that keeps not within the demand's bounds.
func (d Document) breaks(row Row) string {
	return fmt.Sprintf("%s takes %s with %s CPU in all, which is %s",
		d.Demand(), row.Size(), row.Result.Sizing.TotalCPU, strings.TrimPrefix(row.Fits(), "no: "))
}

func (d Document) passes(row Row) string {
	text := d.promise()
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
