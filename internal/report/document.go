package report

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// Document is everything that a report tells.
type Document struct {
	// The question, and the status that answers it.
	Experiment *v1alpha1.SizingExperiment
	// The experiment's trials, in the order they were planned.
	Trials []v1alpha1.SizingTrial
	// A row for each variant in the matrix's order, and then for each that was
	// predicted. Their trials are converted to the experiment's reference speeds.
	Rows []Row
	// How long a hash takes, cost by node pool.
	HashTimes HashTable
	// What the numbers were measured with, and how to measure them again.
	Method Method
}

// New makes a document of an experiment and its trials, which it leaves as they
// are.
func New(experiment *v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial) Document {
	planned := slices.Clone(trials)
	slices.SortStableFunc(planned, func(a, b v1alpha1.SizingTrial) int {
		return cmp.Or(cmp.Compare(a.Spec.Sequence, b.Spec.Sequence), cmp.Compare(a.Name, b.Name))
	})
	return Document{
		Experiment: experiment,
		Trials:     planned,
		Rows:       rows(experiment, speed.AtReference(matrix.Measurements(planned), experiment.Status.Speed)),
		HashTimes:  hashTable(experiment.Status.HashTimes),
		Method:     method(experiment, planned),
	}
}

// Name is namespace/name, as far as there is a namespace.
func (d Document) Name() string {
	if d.Experiment.Namespace == "" {
		return d.Experiment.Name
	}
	return d.Experiment.Namespace + "/" + d.Experiment.Name
}

// Currency is what prices are told in; empty without prices.
func (d Document) Currency() string {
	if d.Experiment.Spec.Prices == nil {
		return ""
	}
	return d.Experiment.Spec.Prices.Currency
}

// Demanded tells whether the experiment asks for a size.
func (d Document) Demanded() bool { return d.Experiment.Spec.Demand != nil }

// Row is the row of a variant, nil where there is none of the name.
func (d Document) Row(variant string) *Row {
	for i := range d.Rows {
		if d.Rows[i].Result.Variant == variant {
			return &d.Rows[i]
		}
	}
	return nil
}
