//go:build integration

package controllers_test

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// lists are empty lists of every kind of object that belongs to an experiment,
// owners before what they own.
func lists() []client.ObjectList {
	return []client.ObjectList{
		&v1alpha1.SizingExperimentList{}, &v1alpha1.SizingTrialList{}, &corev1.ServiceAccountList{},
		&appsv1.DeploymentList{}, &corev1.ServiceList{}, &networkingv1.NetworkPolicyList{}, &batchv1.JobList{}, &corev1.PodList{},
	}
}

// everything in the world's namespaces, whoever made it.
func (w *world) everything() []client.Object {
	w.t.Helper()
	var all []client.Object
	for _, namespace := range w.namespaces {
		for _, list := range lists() {
			w.list(list, namespace)
			for _, item := range extract(list) {
				all = append(all, item.(client.Object))
			}
		}
	}
	return all
}

// extract copies a list's items out of it.
func extract(list client.ObjectList) []runtime.Object {
	var items []runtime.Object
	// EachListItem fails only for what is no list.
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		items = append(items, item.DeepCopyObject())
		return nil
	})
	return items
}

// fill puts items into a list.
func fill(list client.ObjectList, items []runtime.Object) error {
	return meta.SetList(list, items)
}

// kindOf is the kind of an object. Objects that were read don't carry it.
func kindOf(object client.Object) string { return reflect.TypeOf(object).Elem().Name() }
