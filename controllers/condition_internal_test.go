package controllers

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// The API server refuses a status with a longer message.
func TestAConditionIsShortened(t *testing.T) {
	p := &experimentPass{experiment: &v1beta1.SizingExperiment{}}
	p.refuse(v1beta1.ReasonNotAccepted, strings.Repeat("é variant ", 4_000))
	if len(p.experiment.Status.Conditions) == 0 {
		t.Fatal("the experiment has no conditions")
	}
	for _, c := range p.experiment.Status.Conditions {
		if letters := utf8.RuneCountInString(c.Message); letters > 1024 || len(c.Type) > 64 || len(c.Reason) > 64 {
			t.Errorf("condition %s has %d characters", c.Type, letters)
		}
	}
}
