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

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// lists returns empty lists of every kind of object that belongs to an experiment,
// owners before what they own.
func lists() []client.ObjectList {
	return []client.ObjectList{
		&v1beta1.SizingExperimentList{}, &v1beta1.SizingTrialList{}, &corev1.ServiceAccountList{},
		&appsv1.DeploymentList{}, &corev1.ServiceList{}, &networkingv1.NetworkPolicyList{}, &batchv1.JobList{}, &corev1.PodList{},
	}
}

// kinds returns the names of these kinds.
func kinds() (names []string) {
	for _, list := range lists() {
		names = append(names, itemKind(list))
	}
	return names
}

// itemKind returns the kind of a list's items.
func itemKind(list client.ObjectList) string {
	return strings.TrimSuffix(reflect.TypeOf(list).Elem().Name(), "List")
}

// everything returns all objects in the cluster's namespaces that the operator can see.
func (w *testCluster) everything() []client.Object {
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

// extract returns copies of a list's items in a fixed order. A cache returns them in any
// order, and the names of children contain a hash of UIDs.
func extract(list client.ObjectList) []client.Object {
	var items []client.Object
	// EachListItem fails only for what is not a list.
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		items = append(items, item.DeepCopyObject().(client.Object))
		return nil
	})
	slices.SortFunc(items, func(a, b client.Object) int {
		for _, label := range []string{v1beta1.LabelExperiment, v1beta1.LabelVariant, v1beta1.LabelAttempt} {
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

// kindOf returns the kind of an object. Objects that were read don't have it set.
func kindOf(object client.Object) string { return reflect.TypeOf(object).Elem().Name() }
