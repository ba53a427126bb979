//go:build integration

package controllers_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// newExperiment returns an experiment as a user writes it: two costs on half a CPU. Its seed
// keeps two to four variants in the order in which they are written.
func newExperiment(name string, changes ...func(*v1beta1.SizingExperimentSpec)) *v1beta1.SizingExperiment {
	e := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix:    v1beta1.Matrix{Costs: []int32{8, 10}, CPULimits: fixture.Limits("500m")},
			Objective: v1beta1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: ptr.To[int32](1)},
			Seed:      ptr.To[int64](84),
		},
	}
	for _, change := range changes {
		change(&e.Spec)
	}
	return e
}

// quick shortens an experiment to a few seconds of load.
func quick(spec *v1beta1.SizingExperimentSpec) {
	spec.Matrix.Costs = []int32{6, 7}
	spec.Load = v1beta1.Load{StepSeconds: 2, WarmupSeconds: ptr.To[int32](0)}
}

// oneVariant reduces an experiment to a single variant.
func oneVariant(spec *v1beta1.SizingExperimentSpec) { spec.Matrix.Costs = []int32{8} }

// create creates an experiment in one of the cluster's namespaces.
func (w *testCluster) create(e *v1beta1.SizingExperiment, namespace int) *v1beta1.SizingExperiment {
	w.t.Helper()
	e.Namespace = w.namespaces[namespace]
	w.must("creating an experiment", w.client.Create(w.ctx, e))
	w.log("user", fmt.Sprintf("creates SizingExperiment %s in %s", e.Name, e.Namespace))
	return e
}

// edit changes an experiment's spec as a user does.
func (w *testCluster) edit(e *v1beta1.SizingExperiment, what string, change func(*v1beta1.SizingExperimentSpec)) {
	w.t.Helper()
	w.reread(e)
	before := e.DeepCopy()
	change(&e.Spec)
	w.must("editing an experiment", w.client.Patch(w.ctx, e, client.MergeFrom(before)))
	w.log("user", what)
}

// reread reads an object again, which must still exist.
func (w *testCluster) reread(object client.Object) {
	w.t.Helper()
	if !w.get(object) {
		w.t.Fatalf("%s is gone", object.GetName())
	}
}

// toEnd advances the clock until an experiment has ended.
func (w *testCluster) toEnd(e *v1beta1.SizingExperiment) {
	w.t.Helper()
	w.run(e.Name+" ends", func() bool {
		w.reread(e)
		return e.Status.Phase.Finished()
	})
}

// trialsOf returns an experiment's own trials, in their order.
func (w *testCluster) trialsOf(e *v1beta1.SizingExperiment) []v1beta1.SizingTrial {
	w.t.Helper()
	var own []v1beta1.SizingTrial
	for _, trial := range w.trials() {
		if metav1.IsControlledBy(&trial, e) {
			own = append(own, trial)
		}
	}
	return own
}

// underLoad reports whether a variant's generator is running.
func (w *testCluster) underLoad(variant string) bool {
	return w.anyPod(v1beta1.ComponentGenerator, func(pod *corev1.Pod) bool {
		return pod.Labels[v1beta1.LabelVariant] == variant && pod.Status.Phase == corev1.PodRunning
	})
}
