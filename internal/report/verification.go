package report

import (
	"fmt"
	"strconv"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// verificationSection returns the section about the sizes that were verified.
func (d Document) verificationSection() Section {
	s := Section{Title: "Verification", Columns: []string{"Size", "Replicas under load", "At", "Logins", "Too slow", "Failed", "Outcome"}}
	for _, v := range d.Experiment.Status.Verifications {
		line := []string{sizeOf(v), strconv.Itoa(int(v.DrivenReplicas)), units.Rate(&v.OfferedMilliPerSecond), "", "", "", string(v.Outcome)}
		if c := v.Counts; c != nil {
			line[3], line[4], line[5] = strconv.FormatInt(c.Logins, 10), strconv.FormatInt(c.Slower, 10), strconv.FormatInt(c.Failed, 10)
		}
		s.Lines = append(s.Lines, line)
		if v.Message != "" {
			s.Items = append(s.Items, sizeOf(v)+". "+sentence(v.Message))
		}
	}
	if len(s.Lines) > 0 {
		s.Paragraphs = []string{"The recommended size is deployed and put under load at the demanded rate, either one replica with its share or all replicas, until the logins decide whether the objective is met."}
	}
	return s
}

func sizeOf(v v1alpha1.Verification) string { return fmt.Sprintf("%d×%s", v.Replicas, v.Variant) }

// verificationCase returns a verification as a test case. A failed one is skipped if
// another size was verified.
func (d Document) verificationCase(v v1alpha1.Verification, suite string) junit.Testcase {
	test := junit.Testcase{Name: clean("verification of " + sizeOf(v)), Classname: suite, Time: "0"}
	for i := range d.Trials {
		if trial := &d.Trials[i]; trial.Name == v.Trial {
			test.Time = seconds(trial.Status.StartTime, trial.Status.CompletionTime)
		}
	}
	switch {
	case v.Outcome == v1alpha1.VerificationMet:
		test.SystemOut = output(v.Message)
	case v.Outcome == v1alpha1.VerificationFailed && !d.answered():
		test.Failure = outcome(string(v.Outcome), v.Message, nil)
	case v.Outcome == "":
		test.Skipped = outcome("NotFinished", "The verification has not finished", nil)
	default:
		test.Skipped = outcome(string(v.Outcome), v.Message, nil)
	}
	return test
}
