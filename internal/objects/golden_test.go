package objects_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestObjectsOfAnAttempt compares the objects of the simplest trial with complete manifests, and those of
// each other trial with what differs from an earlier one.
func TestObjectsOfAnAttempt(t *testing.T) {
	severalPods := load()
	severalPods.ClusterIP = "fd00::7"
	severalPods.PodIPs = []string{"198.18.16.4", "fd00::1:4", "198.18.16.6"}

	defaults := manifests(t, settings(), trial(), load())
	compareGolden(t, "defaults.yaml", documents(t, defaults))
	built := map[string][]map[string]any{"defaults": defaults}
	for _, tt := range []struct {
		name, than string
		settings   objects.Settings
		trial      *v1beta1.SizingTrial
		load       objects.Load
	}{
		{"everything", "defaults", fullSettings(), fullTrial(), severalPods},
		{"tls", "defaults", settings(), tlsTrial(), load()},
		{"hash", "defaults", settings(), hashTrial(), load()},
		{"own", "defaults", ownSettings(), ownTrial(), load()},
		{"own-script", "own", ownSettings(), scriptTrial(), load()},
		{"own-companions", "own", ownSettings(), companionTrial(), companionLoad()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			built[tt.name] = manifests(t, tt.settings, tt.trial, tt.load)
			compareGolden(t, tt.name+".differences", differences(built[tt.than], built[tt.name]))
		})
	}
	compareGolden(t, "companions.yaml", documents(t, built["own-companions"][len(defaults):]))
}

// manifests returns the objects of an attempt, without the empty status of typed objects.
func manifests(t *testing.T, settings objects.Settings, trial *v1beta1.SizingTrial, load objects.Load) []map[string]any {
	t.Helper()
	attempt := mustNew(t, settings, trial)
	job, err := attempt.Job(load)
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	built := []runtime.Object{
		objects.DenyPolicy(trial.Namespace), objects.ServiceAccount(experiment()),
		attempt.ServicePolicy(), attempt.GeneratorPolicy(), attempt.Deployment(load.Companions), attempt.Service(), job,
	}
	if policy := attempt.CompanionPolicy(); policy != nil {
		built = append(built, policy)
	}
	for _, companion := range attempt.Companions() {
		built = append(built, companion)
	}
	for _, object := range built {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			t.Fatal(err)
		}
		delete(fields, "status")
		all = append(all, fields)
	}
	return all
}

// documents returns objects as one YAML stream.
func documents(t *testing.T, all []map[string]any) []byte {
	t.Helper()
	var stream bytes.Buffer
	for _, object := range all {
		document, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		stream.WriteString("---\n")
		stream.Write(document)
	}
	return stream.Bytes()
}

// differences returns a line for each field that two lists of objects do not have in common.
func differences(before, after []map[string]any) []byte {
	was, is := map[string]string{}, map[string]string{}
	for i := range before {
		flatten(fmt.Sprint(before[i]["kind"], " ", i), before[i], was)
		flatten(fmt.Sprint(after[i]["kind"], " ", i), after[i], is)
	}
	union := maps.Clone(was)
	maps.Copy(union, is)
	var text bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(union)) {
		old, had := was[path]
		value, has := is[path]
		switch {
		case !had:
			fmt.Fprintf(&text, "+ %s: %s\n", path, value)
		case !has:
			fmt.Fprintf(&text, "- %s: %s\n", path, old)
		case old != value:
			fmt.Fprintf(&text, "  %s: %s -> %s\n", path, old, value)
		}
	}
	return text.Bytes()
}

// flatten adds the values below a path by their own paths. An element of a list is called by its name, if
// the names of the list are unique; their order is then a value too. Owners are not, because their names
// differ between trials.
func flatten(path string, value any, into map[string]string) {
	fields, isObject := value.(map[string]any)
	list, _ := value.([]any)
	names := namesOf(list)
	switch {
	case isObject && len(fields) > 0:
		for key, field := range fields {
			flatten(path+"."+key, field, into)
		}
	case names != nil && !strings.HasSuffix(path, ".ownerReferences"):
		into[path] = strings.Join(names, " ")
		for i, name := range names {
			for key, field := range list[i].(map[string]any) {
				if key != "name" {
					flatten(path+"["+name+"]."+key, field, into)
				}
			}
		}
	case slices.ContainsFunc(list, func(element any) bool { _, is := element.(map[string]any); return is }):
		for i, element := range list {
			flatten(fmt.Sprintf("%s[%d]", path, i), element, into)
		}
	default:
		into[path] = fmt.Sprint(value)
	}
}

// namesOf returns the names of a list's elements, or nil if these have no unique names.
func namesOf(list []any) []string {
	var names []string
	for _, element := range list {
		fields, _ := element.(map[string]any)
		name, is := fields["name"].(string)
		if !is || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	return names
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
