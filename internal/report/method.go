package report

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Method is how the numbers were measured, enough to measure them again.
type Method struct {
	// What is known of the software and the machines, in the order it is read.
	Facts []Fact
	// The experiment as YAML, with the seed that was drawn filled in: applied to the
	// same machines, it offers the same logins in the same order.
	Manifest string
}

// Fact is something known of the measurement, such as k6: v1.8.1.
type Fact struct {
	Label string
	Value string
}

func method(_ *v1alpha1.SizingExperiment, _ []v1alpha1.SizingTrial) Method { return Method{} }
