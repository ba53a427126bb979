package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// holding returns a cluster with the quickstart and its trials, and the trials of an
// earlier experiment with the same name.
func holding(t *testing.T) client.WithWatch {
	t.Helper()
	d := measured()
	d.Experiment.Namespace = "ns"
	objects := []client.Object{d.Experiment}
	for i := range d.Trials {
		trial := &d.Trials[i]
		trial.Namespace = "ns"
		earlier := trial.DeepCopy()
		earlier.Name, earlier.Labels = "earlier-"+earlier.Name, map[string]string{v1beta1.LabelExperimentUID: "of-an-earlier-one"}
		objects = append(objects, trial, earlier)
	}
	return world{objects: objects}.client(t)
}

func TestReportOfClusterAndFileAreEqual(t *testing.T) {
	cluster, file := holding(t), filepath.Join(t.TempDir(), "saved.json")
	if got := carryOut(t, cluster, "", "report", "quickstart", "-o", "json", "--output-file", file); got.code != 0 || got.out != "" {
		t.Fatalf("it ended with %d, printed %q, and said %q", got.code, got.out, got.err)
	}
	for format, write := range layouts {
		t.Run(format, func(t *testing.T) {
			live := carryOut(t, cluster, "", "report", "ns/quickstart", "-o", format)
			later := carryOut(t, nil, "", "report", file, "-o", format)
			if live.code != 0 || live.out == "" || live.out != later.out {
				t.Errorf("it ended with %d, %s; of the cluster it has %d bytes, of the file %d", live.code, live.err, len(live.out), len(later.out))
			}
			var want bytes.Buffer
			d := measured()
			d.Experiment.Namespace = "ns"
			if err := write(&want, report.New(d.Experiment, d.Trials)); err != nil {
				t.Fatal(err)
			}
			if format != "json" && want.String() != live.out { // the fake cluster numbers its objects
				t.Errorf("the report differs from that of these trials")
			}
		})
	}
}

func TestReportReadsStandardInput(t *testing.T) {
	got := carryOut(t, nil, string(fixture.QuickstartYAML), "report", "-f", "-", "-o", "csv")
	if got.code != 0 || !strings.Contains(got.out, "c10-500m") {
		t.Errorf("it ended with %d and printed %q: %s", got.code, got.out, got.err)
	}
}

func TestReportNamesAFileThatItCannotWrite(t *testing.T) {
	got := carryOut(t, holding(t), "", "report", "quickstart", "--output-file", filepath.Join(t.TempDir(), "none", "report.html"))
	if got.code != 2 || !strings.Contains(got.err, "no such file or directory") {
		t.Errorf("it ended with %d and said %q", got.code, got.err)
	}
}

func TestCompare(t *testing.T) {
	cluster, file := holding(t), filepath.Join("..", "..", "test", "fixture", "testdata", "quickstart.yaml")
	for format := range comparisons {
		got := carryOut(t, cluster, "", "compare", "quickstart", file, "-o", format)
		if got.code != 0 || !strings.Contains(got.out, "c10-500m") {
			t.Errorf("%s: it ended with %d and printed %q: %s", format, got.code, got.out, got.err)
		}
	}
	if got := carryOut(t, cluster, "", "compare", "quickstart"); got.code != 2 || !strings.Contains(got.err, "name two experiments") {
		t.Errorf("with one it ended with %d and said %q", got.code, got.err)
	}
	if got := carryOut(t, cluster, "", "compare", "quickstart", "nowhere"); got.code != 2 || !strings.Contains(got.err, "experiment nowhere was not found") {
		t.Errorf("with one that is not there it ended with %d and said %q", got.code, got.err)
	}
}

func TestVersion(t *testing.T) {
	if got := carryOut(t, nil, "", "version"); !strings.HasPrefix(got.out, "kubectl-hashmark v1.2.3\nhashmark.dev/v1beta1, ") {
		t.Errorf("it says %q", got.out)
	}
}
