package loginflow_test

import (
	"fmt"
	"testing"

	"github.com/hashmark-dev/hashmark/internal/loginflow"
)

func TestVariablesAreReplacedAsKubernetesDoes(t *testing.T) {
	known := map[string]string{"A": "a", "B_2": "$(A)"}
	for text, want := range map[string]string{
		"$(A)-$(B_2)": "a-$(A)", "$$(A)": "$(A)", "$(C)": "$(C)", "$A $ $(": "$A $ $(", "$$$(A)": "$a", "": "",
	} {
		if got := loginflow.Expand(text, known); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := fmt.Sprint(loginflow.References("$(A) $$(B) $(C)")); got != "[A C]" {
		t.Errorf("the references are %s", got)
	}
}

func TestAFlowThatCannotBeSentIsRefused(t *testing.T) {
	for _, text := range []string{
		`{"steps":[{"path":"/","timeout":3}]}`, `{"wrong":{"status":[401]}}`, `{"steps":[]}`, `{"steps":[{"path":"/"}],"script":"x"}`,
	} {
		if _, err := loginflow.Parse(text); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}
