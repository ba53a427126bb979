//go:build integration

package controllers_test

import (
	"reflect"
	"slices"
	"strings"

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

// everything in the world's namespaces that the operator can see.
func (w *world) everything() []client.Object {
	w.t.Helper()
	var all []client.Object
	for _, namespace := range w.namespaces {
		for _, list := range lists() {
			w.list(list, namespace)
			all = append(all, extract(list)...)
		}
	}
	return all
}

// extract copies a list's items out of it, in an order that is the same each
// time: a cache gives them in any, and names of children hold a digest of UIDs.
func extract(list client.ObjectList) []client.Object {
	var items []client.Object
	// EachListItem fails only for what is no list.
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		items = append(items, item.DeepCopyObject().(client.Object))
		return nil
	})
	slices.SortFunc(items, func(a, b client.Object) int {
		for _, label := range []string{v1alpha1.LabelExperiment, v1alpha1.LabelVariant, v1alpha1.LabelAttempt} {
			if order := strings.Compare(a.GetLabels()[label], b.GetLabels()[label]); order != 0 {
				return order
			}
		}
		return strings.Compare(a.GetName(), b.GetName())
	})
	return items
}

// fill puts items into a list.
func fill(list client.ObjectList, items []client.Object) error {
	objects := make([]runtime.Object, len(items))
	for i, item := range items {
		objects[i] = item
	}
	return meta.SetList(list, objects)
}

// kindOf is the kind of an object. Objects that were read don't carry it.
func kindOf(object client.Object) string { return reflect.TypeOf(object).Elem().Name() }
