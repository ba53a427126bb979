// Package v1alpha1 is the API that users of Hashmark write and read: the
// SizingExperiment, which asks a question, and the SizingTrial, which holds
// one measurement of one variant of it.
//
// It holds types, their documentation, the names of conditions, reasons and
// labels, and nothing that acts. Numbers are integers with their unit in the
// name; a number that was not measured is absent, never zero. Quantities are
// strings, because a typed Quantity is rewritten on a round trip ("0.5"
// becomes "500m") and would then look like an edit of an immutable field.
//
// +kubebuilder:object:generate=true
// +groupName=hashmark.dev
package v1alpha1
