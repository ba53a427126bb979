package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

func (d Document) predictionsSection() Section {
	s := Section{
		Title:   "Predicted, not measured",
		Columns: []string{"Variant", "Hash", "Capacity", "p95", "At", "Objective", "In the matrix"},
	}
	for _, row := range d.Rows {
		if !row.Predicted {
			continue
		}
		inMatrix := ""
		if row.InMatrix {
			inMatrix = "yes"
		}
		s.Lines = append(s.Lines, []string{
			row.Result.Variant, row.HashTime(), row.Capacity(), row.P95(), row.Load(), row.Objective(), inMatrix,
		})
	}
	if decided := d.Experiment.Status.Decision; decided != nil {
		for _, excluded := range decided.Excluded {
			s.Items = append(s.Items, excluded.Variant+". "+sentence(excluded.Message))
		}
	}
	if check := d.Experiment.Status.ModelCheck; check != nil {
		s.Items = append(s.Items, sentence(check.Message))
		for _, held := range check.HeldOut {
			s.Items = append(s.Items, heldOutWords(held))
		}
	}
	if len(s.Lines) == 0 {
		s.Title = "Model compared with measurement"
	}
	return s
}

func heldOutWords(held v1beta1.HeldOut) string {
	var texts []string
	if held.CapacityPerMille != nil {
		texts = append(texts, "capacity "+units.Difference(held.CapacityPerMille))
	}
	if held.P95PerMille != nil {
		texts = append(texts, "p95 "+units.Difference(held.P95PerMille))
	}
	if len(texts) == 0 {
		texts = []string{"nothing to compare"}
	}
	return fmt.Sprintf("%s, prediction relative to measurement: %s.", held.Variant, strings.Join(texts, ", "))
}

func (d Document) differencesSection() Section {
	s := Section{
		Title:   "Difference from the baseline",
		Columns: []string{"Variant", "p95", "Capacity", "Maximum", "Price of logins"},
	}
	for _, row := range d.Rows {
		if c := row.Result.Comparison; c != nil {
			s.Lines = append(s.Lines, []string{
				row.Result.Variant, difference(c.P95), difference(c.Capacity), difference(c.MaxThroughput), difference(c.PricePerMillionLogins),
			})
		}
	}
	if len(s.Lines) == 0 {
		return s
	}
	s.Paragraphs = []string{"The baseline is " + d.Experiment.Spec.Baseline + "."}
	if ptr.Deref(d.Experiment.Spec.Repetitions, 1) > 1 {
		s.Paragraphs[0] += " Chance is the probability of a difference at least as large without a real difference."
	}
	return s
}

func (d Document) verificationSection() Section {
	s := Section{Title: "Verification", Columns: []string{"Size", "Replicas under load", "At", "Logins", "Too slow", "Failed", "Outcome"}}
	for _, v := range d.Experiment.Status.Verifications {
		line := []string{units.Size(v.Replicas, v.Variant), strconv.Itoa(int(v.DrivenReplicas)), units.Rate(&v.OfferedMilliPerSecond), "", "", "", string(v.Outcome)}
		if c := v.Counts; c != nil {
			line[3], line[4], line[5] = strconv.FormatInt(c.Logins, 10), strconv.FormatInt(c.Slower, 10), strconv.FormatInt(c.Failed, 10)
		}
		s.Lines = append(s.Lines, line)
		if v.Message != "" {
			s.Items = append(s.Items, units.Size(v.Replicas, v.Variant)+". "+sentence(v.Message))
		}
	}
	if len(s.Lines) > 0 {
		s.Paragraphs = []string{"The recommended size is deployed and put under load at the demanded rate, either one replica with its share or all replicas, until the logins decide whether the objective is met."}
	}
	return s
}

// verificationCase returns a verification as a test case. A failed one is skipped if
// another size was verified.
func (d Document) verificationCase(v v1beta1.Verification, suite string) junit.Testcase {
	test := junit.Testcase{Name: units.Line("verification of " + units.Size(v.Replicas, v.Variant)), Classname: suite, Time: "0"}
	for i := range d.Trials {
		if trial := &d.Trials[i]; trial.Name == v.TrialName {
			test.Time = seconds(trial.Status.StartTime, trial.Status.CompletionTime)
		}
	}
	switch {
	case v.Outcome == v1beta1.VerificationMet:
		test.SystemOut = output(v.Message)
	case v.Outcome == v1beta1.VerificationFailed && !d.answered():
		test.Failure = outcome(string(v.Outcome), v.Message, nil)
	case v.Outcome == "":
		test.Skipped = outcome("NotFinished", "The verification has not finished", nil)
	default:
		test.Skipped = outcome(string(v.Outcome), v.Message, nil)
	}
	return test
}
