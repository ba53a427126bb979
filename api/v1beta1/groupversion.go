package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of every type in this package.
var GroupVersion = schema.GroupVersion{Group: "hashmark.dev", Version: "v1beta1"}

// AddToScheme adds the types of this package to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	builder := runtime.NewSchemeBuilder(addKnownTypes)
	return builder.AddToScheme(scheme)
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&SizingExperiment{}, &SizingExperimentList{},
		&SizingTrial{}, &SizingTrialList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
