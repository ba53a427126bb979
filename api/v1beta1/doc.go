// Package v1beta1 is the API that users of Hashmark write and read: the SizingExperiment,
// which says what to measure, and the SizingTrial, which holds one measurement of one
// variant of it.
//
// The package holds types, their documentation, and the names of conditions, reasons and
// labels. It has no logic. Numbers of a status are integers with their unit in the name; a
// number that was not measured is absent, never zero. Quantities, rates and prices of a spec
// are whole numbers or strings, because a typed Quantity is rewritten on a round trip ("0.5"
// becomes "500m") and would then look like an edit.
//
// +kubebuilder:object:generate=true
// +groupName=hashmark.dev
package v1beta1
