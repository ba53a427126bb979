package specs

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const definition = "../../config/crd/hashmark.dev_sizingexperiments.yaml"

func source(t *testing.T, seed uint64) *Source {
	t.Helper()
	crd, err := os.ReadFile(definition)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := os.ReadFile("../../config/samples/machine-types.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(seed, crd, sample)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASeedAndANumberGiveTheSameSpec(t *testing.T) {
	first, second, other := source(t, 1), source(t, 1), source(t, 2)
	differ := false
	for number := range 200 {
		a, b := first.Spec(number), second.Spec(number)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("spec %d (-first +second):\n%s", number, diff)
		}
		differ = differ || !cmp.Equal(a, other.Spec(number))
	}
	if !differ {
		t.Error("another seed gives the same specs")
	}
}

func TestEveryFieldIsChangedInTurn(t *testing.T) {
	s := source(t, 1)
	changed := map[string]bool{}
	for number := range len(s.fields) {
		spec := s.Spec(number)
		changed[spec.Changes[0].Path] = true
		if len(spec.Changes) > mostChanges {
			t.Errorf("spec %d has %d changes", number, len(spec.Changes))
		}
		if _, err := json.Marshal(spec.Object); err != nil {
			t.Errorf("spec %d can't be sent: %v", number, err)
		}
	}
	for _, path := range []string{"metadata.name", "spec", "spec.matrix.costs[]", "spec.matrix.nodePools[].nodeSelector[]", "spec.matrix.hashes[].argon2id.memoryKiB"} {
		if !changed[path] {
			t.Errorf("%s is never changed", path)
		}
	}
}

// A spec whose name is its only change has the rest of its base.
func TestASpecIsAChangeOfItsBase(t *testing.T) {
	s := source(t, 1)
	compared := 0
	for number := 0; number < 20*len(s.fields); number += len(s.fields) {
		if spec := s.Spec(number); len(spec.Changes) == 1 {
			compared++
			if diff := cmp.Diff(s.Base(number)["spec"], spec.Object["spec"]); diff != "" {
				t.Errorf("spec %d (-base +spec):\n%s", number, diff)
			}
		}
	}
	if compared == 0 {
		t.Error("no spec has only another name")
	}
}

func TestChangesDoNotReachTheNextSpec(t *testing.T) {
	s := source(t, 1)
	before, err := json.Marshal(s.bases)
	if err != nil {
		t.Fatal(err)
	}
	for number := range 1000 {
		s.Spec(number)
	}
	if after, err := json.Marshal(s.bases); err != nil || string(after) != string(before) {
		t.Errorf("the samples have changed, error %v", err)
	}
}
