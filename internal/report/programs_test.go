package report_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

// suites is what a reader of JUnit looks at.
type suites struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Cases    []struct {
		Name    string  `xml:"name,attr"`
		Failure *result `xml:"failure"`
		Error   *result `xml:"error"`
		Skipped *result `xml:"skipped"`
	} `xml:"testsuite>testcase"`
}

type result struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Body    string `xml:",chardata"`
}

// troubled is the quickstart with one variant for each kind of failure. The last one meets
// the objective if objectiveMet is true.
func troubled(t *testing.T, objectiveMet bool) report.Document {
	return changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
		rows := e.Status.Results
		rows[0].Verdict = v1beta1.VerdictInvalid
		rows[0].Reasons = []v1beta1.Reason{{Type: "NoisyNeighbour", Message: "steal of 9 %"}}
		rows[1].ObjectiveMet = ptr.To(false)
		rows[2].Verdict = v1beta1.VerdictPending
		rows[3].ObjectiveMet = nil
		rows[4].Sizing = &v1beta1.Sizing{Replicas: 9, TotalCPU: "4500m", Breaks: []v1beta1.Bound{v1beta1.BoundMaxTotalCPU}}
		rows[5].ObjectiveMet = ptr.To(objectiveMet)
		e.Status.Predictions = predictions()
		if !objectiveMet {
			asked(e)
			e.Status.Recommendation = &v1beta1.Recommendation{Reason: "nothing fits", BrokenBound: v1beta1.BoundMaxTotalCPU}
		}
	})
}

func TestJUnitFailsOnlyWithoutRecommendation(t *testing.T) {
	answered := []string{"passed", "skipped Invalid", "skipped Objective", "skipped NotMeasured", "skipped Undecided", "skipped MaxTotalCPU", "passed", "skipped Predicted"}
	without := []string{"failed NotServed", "error Invalid", "failed Objective", "skipped NotMeasured", "error Undecided", "failed MaxTotalCPU", "failed Objective", "skipped Predicted"}
	for _, test := range []struct {
		document report.Document
		want     []string
	}{{troubled(t, true), answered}, {troubled(t, false), without}} {
		text := written(t, report.JUnit, test.document)
		got := readSuites(t, text)
		if diff := cmp.Diff(test.want, got.outcomes()); diff != "" {
			t.Errorf("the outcomes differ (-want +got):\n%s", diff)
		}
		if want := count(test.want, "failed"); got.Failures != want || got.Tests != len(test.want) || got.Errors != count(test.want, "error") {
			t.Errorf("got %d tests, %d failures and %d errors, which is not what there is", got.Tests, got.Failures, got.Errors)
		}
		if !strings.Contains(text, "NoisyNeighbour: steal of 9 %") {
			t.Error("no body contains the reason")
		}
	}
}

func count(outcomes []string, kind string) int {
	found := 0
	for _, outcome := range outcomes {
		if strings.HasPrefix(outcome, kind) {
			found++
		}
	}
	return found
}

func TestJUnitFirstCaseIsDemandOrObjective(t *testing.T) {
	for name, test := range map[string]struct {
		change        func(*experiment)
		called, reads string
	}{
		"passes where a size is recommended": {func(*experiment) {}, "demand of 5 logins/s with 30 % headroom", "passed"},
		"fails where none is": {func(e *experiment) {
			e.Status.Recommendation = &v1beta1.Recommendation{Reason: "too little", BrokenBound: v1beta1.BoundMaxTotalCPU}
		}, "demand of 5 logins/s with 30 % headroom", "failed NotServed"},
		"asks for the objective without a demand": {func(e *experiment) { e.Spec.Demand = nil }, "p95 within 1s", "passed"},
		"is an error before the end": {func(e *experiment) { e.Status.Phase = v1beta1.ExperimentRunning },
			"demand of 5 logins/s with 30 % headroom", "error NotFinished"},
		"is an error of an experiment that failed": {func(e *experiment) { e.Status.Phase = v1beta1.ExperimentFailed },
			"demand of 5 logins/s with 30 % headroom", "error Failed"},
	} {
		t.Run(name, func(t *testing.T) {
			document := full(t)
			test.change(document.Experiment)
			got := readSuites(t, written(t, report.JUnit, document))
			if first := got.outcomes()[0]; got.Cases[0].Name != test.called || first != test.reads {
				t.Errorf("the first test is %q and %s, want %q and %s", got.Cases[0].Name, first, test.called, test.reads)
			}
		})
	}
}

func TestJUnitOfVerification(t *testing.T) {
	for name, test := range map[string]struct {
		outcome     v1beta1.VerificationOutcome
		recommended bool
		want        string
	}{
		"met":    {v1beta1.VerificationMet, true, "passed"},
		"failed": {v1beta1.VerificationFailed, false, "failed Failed"},
		"failed, but another size is recommended": {v1beta1.VerificationFailed, true, "skipped Failed"},
		"undecided": {v1beta1.VerificationUndecided, false, "skipped Undecided"},
		"not ended": {"", false, "skipped NotFinished"},
	} {
		t.Run(name, func(t *testing.T) {
			document := full(t)
			status := &document.Experiment.Status
			status.Verifications[0].Outcome = test.outcome
			if !test.recommended {
				status.Recommendation = &v1beta1.Recommendation{}
			}
			if got := readSuites(t, written(t, report.JUnit, document)).outcomes()[1]; got != test.want {
				t.Errorf("the test case of the verification is %s, want %s", got, test.want)
			}
		})
	}
}

func readSuites(t *testing.T, text string) suites {
	t.Helper()
	var got suites
	if err := xml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("the XML can't be read: %v", err)
	}
	return got
}

// outcomes of the test cases in a word, with their types.
func (s suites) outcomes() []string {
	var all []string
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			all = append(all, "failed "+c.Failure.Type)
		case c.Error != nil:
			all = append(all, "error "+c.Error.Type)
		case c.Skipped != nil:
			all = append(all, "skipped "+c.Skipped.Type)
		default:
			all = append(all, "passed")
		}
	}
	return all
}
