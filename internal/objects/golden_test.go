package objects_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestObjectsOfAnAttempt(t *testing.T) {
	severalPods := load()
	severalPods.ClusterIP = "fd00::7"
	severalPods.PodIPs = []string{"198.18.16.4", "fd00::1:4", "198.18.16.6"}

	for _, tt := range []struct {
		name     string
		golden   string
		settings objects.Settings
		trial    *v1alpha1.SizingTrial
		load     objects.Load
	}{
		{"a trial that leaves everything to defaults", "defaults.yaml", settings(), trial(), load()},
		{"a trial and an operator that set everything", "everything.yaml", fullSettings(), fullTrial(), severalPods},
		{"a trial of a user's own login service", "own.yaml", ownSettings(), ownTrial(), load()},
		{"a trial of a user's own login service with a script", "own-script.yaml", ownSettings(), scriptTrial(), load()},
		{"a trial with TLS", "tls.yaml", settings(), tlsTrial(), load()},
		{"a trial of a control with sessions", "control.yaml", settings(), controlTrial(), load()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			attempt := mustNew(t, tt.settings, tt.trial)
			job, err := attempt.Job(tt.load)
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, tt.golden, documents(t,
				objects.DenyPolicy(tt.trial.Namespace),
				objects.ServiceAccount(experiment()),
				attempt.ServicePolicy(),
				attempt.GeneratorPolicy(),
				attempt.Deployment(),
				attempt.Service(),
				job,
			))
		})
	}
}

// documents returns objects as one YAML stream, without the empty status of typed objects.
func documents(t *testing.T, all ...runtime.Object) []byte {
	t.Helper()
	var stream bytes.Buffer
	for _, object := range all {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			t.Fatal(err)
		}
		delete(fields, "status")
		document, err := yaml.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		stream.WriteString("---\n")
		stream.Write(document)
	}
	return stream.Bytes()
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the objects differ from %s; if they should change, run the test with -update (-want +got):\n%s", path, diff)
	}
}
