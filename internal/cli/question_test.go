package cli

import (
	"strings"
	"testing"
)

func TestReadExperimentKeepsAbsentFieldsAbsent(t *testing.T) {
	for name, file := range map[string]string{
		"with comments before and behind": "# why\n---\n" + login + "---\n# the end\n",
		"as JSON":                         `{"apiVersion": "hashmark.dev/v1beta1", "kind": "SizingExperiment", "metadata": {"name": "login"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := readExperiment("-", strings.NewReader(file))
			if err != nil || e.GetName() != "login" {
				t.Fatalf("it reads %v, %v", e, err)
			}
			for _, absent := range []string{"status", "metadata.creationTimestamp"} {
				if _, there := e.Object[absent]; there {
					t.Errorf("it has %s, which the file has not", absent)
				}
			}
		})
	}
}

func FuzzReadExperiment(f *testing.F) {
	f.Add(login)
	f.Add(login + "---\n" + login)
	f.Add("---\n---\n")
	f.Add("- a list")
	f.Add("kind: 3\napiVersion: {}\nmetadata: 7")
	f.Fuzz(func(t *testing.T, file string) {
		e, err := readExperiment("-", strings.NewReader(file))
		if (e == nil) == (err == nil) {
			t.Errorf("it reads %v and refuses it by %v", e, err)
		}
		if err == nil {
			_, _ = e.GetName(), e.GetNamespace()
		}
	})
}
