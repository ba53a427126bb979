package controllers

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// TestAConclusionThatOutlastsThePassIsWritten ends the time of the pass once the trials have been
// read, as a simulation of more than a minute does.
func TestAConclusionThatOutlastsThePassIsWritten(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	experiment, trial := endedExperiment(t, now)
	ctx, timeIsUp := context.WithCancel(t.Context())
	c := serving(experiment, trial).
		WithInterceptorFuncs(interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				defer timeIsUp()
				return c.List(ctx, list, opts...)
			},
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return c.Get(ctx, key, o, opts...)
			},
			SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return c.SubResource(sub).Patch(ctx, o, patch, opts...)
			},
		}).Build()
	recorder := events.NewFakeRecorder(9)
	r := &ExperimentReconciler{Client: c, Live: c, Queue: &Queue{}, Events: recorder, Clock: &countingClock{PassiveClock: clocktesting.NewFakePassiveClock(now)}}
	if _, err := r.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(experiment)}); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(experiment), experiment); err != nil {
		t.Fatal(err)
	}
	if !experiment.Status.Phase.Finished() {
		t.Errorf("the experiment is %q, with the conditions %+v", experiment.Status.Phase, experiment.Status.Conditions)
	}
	close(recorder.Events)
	var sent []string
	for event := range recorder.Events {
		sent = append(sent, event)
	}
	if !slices.ContainsFunc(sent, func(e string) bool {
		return strings.Contains(e, "SlowConclusion Computing the recommendation took 20s")
	}) {
		t.Errorf("no event says that the conclusion took 20 s: %q", sent)
	}
}
