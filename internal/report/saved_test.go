package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

func TestSavedReportIsReadUnchanged(t *testing.T) {
	saved := written(t, report.JSON, full(t))
	again, err := report.Read(strings.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	for ending, format := range formats {
		if diff := cmp.Diff(written(t, format, full(t)), written(t, format, again)); diff != "" {
			t.Errorf("%s of the report that was read differs (-want +got):\n%s", ending, diff)
		}
	}
	if diff := cmp.Diff(saved, written(t, report.JSON, again)); diff != "" {
		t.Errorf("the report changes when it is saved again (-want +got):\n%s", diff)
	}
}

func TestSavedReportHasKindsAndNoManagedFields(t *testing.T) {
	document := changed(t, func(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		// A typed client leaves the kinds out.
		experiment.TypeMeta, trials[0].TypeMeta = metav1.TypeMeta{}, metav1.TypeMeta{}
		experiment.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
		trials[0].ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "operator"}}
	})
	saved := written(t, report.JSON, document)
	for text, times := range map[string]int{`"kind": "SizingReport"`: 1, "managedFields": 0} {
		if got := strings.Count(saved, text); got != times {
			t.Errorf("the saved report contains %s %d times, want %d", text, got, times)
		}
	}
	if document.Experiment.Kind != "" {
		t.Error("the caller's experiment was changed")
	}
}

func TestReadRefusesOtherFiles(t *testing.T) {
	for name, test := range map[string]struct{ text, message string }{
		"nothing":               {"", "not a report"},
		"text":                  {"once upon a time", "not a report"},
		"another kind":          {`{"apiVersion":"v1","kind":"Pod"}`, `"v1" "Pod", not a report`},
		"another version":       {`{"apiVersion":"hashmark.dev/v9","kind":"SizingReport"}`, `"hashmark.dev/v9"`},
		"a report without any":  {`{"apiVersion":"hashmark.dev/v1beta1","kind":"SizingReport"}`, "contains no experiment"},
		"a list without any":    {"kind: List\nitems: []", "contains no experiment"},
		"a list of two":         {"kind: List\nitems: [{kind: SizingExperiment}, {kind: SizingExperiment}]", "more than one"},
		"an invalid trial":      {"kind: List\nitems: [{kind: SizingTrial, spec: 7}]", "trial can't be read"},
		"an invalid experiment": {`{"apiVersion":"hashmark.dev/v1beta1","kind":"SizingReport","experiment":7}`, "can't be read"},
		"broken YAML":           {"a: [", "neither JSON nor YAML"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := report.Read(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got error %v, want one that says %q", err, test.message)
			}
		})
	}
}

func TestReadTakesOwnTrialsFromList(t *testing.T) {
	document, err := report.Read(strings.NewReader(`
kind: List
items:
- {kind: SizingTrial, metadata: {name: own, ownerReferences: [{uid: a}]}}
- {kind: SizingTrial, metadata: {name: another's, ownerReferences: [{uid: b}]}}
- {kind: SizingExperiment, metadata: {name: x, uid: a}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(document.Trials) != 1 || document.Trials[0].Name != "own" {
		t.Errorf("got trials %v, want only its own", document.Trials)
	}
}
