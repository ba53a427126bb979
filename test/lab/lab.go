// Package lab is the way of the suites that need a cluster to the one that
// KUBECONFIG leads to: a client, an experiment's trials in their order, and
// waiting for an experiment's end by watching it.
//
// It makes and judges nothing.
package lab

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Connect gives a client that knows Kubernetes' own types and Hashmark's.
func Connect() (client.WithWatch, error) {
	ctrl.SetLogger(zap.New()) // without one the library prints a stack
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster to test on; run make demo, and the suite by make: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	return client.NewWithWatch(config, client.Options{Scheme: scheme})
}

// Trials lists an experiment's trials in their order. It is an error where one
// has a place beyond their number.
func Trials(ctx context.Context, reader client.Reader, e *v1alpha1.SizingExperiment) ([]v1alpha1.SizingTrial, error) {
	list := &v1alpha1.SizingTrialList{}
	err := reader.List(ctx, list, client.InNamespace(e.Namespace), client.MatchingLabels{v1alpha1.LabelExperimentUID: string(e.UID)})
	if err != nil {
		return nil, err
	}
	ordered := make([]v1alpha1.SizingTrial, len(list.Items))
	for _, trial := range list.Items {
		if trial.Spec.Sequence > int32(len(ordered)) {
			return nil, fmt.Errorf("trial %s has place %d of %d", trial.Name, trial.Spec.Sequence, len(ordered))
		}
		ordered[trial.Spec.Sequence-1] = trial
	}
	return ordered, nil
}

// Finished waits for an experiment's end, tells of each change meanwhile, and
// leaves the experiment as it ended.
func Finished(ctx context.Context, c client.WithWatch, e *v1alpha1.SizingExperiment, changed func(*v1alpha1.SizingExperiment)) error {
	for {
		// A watch begins with the objects as they are, and ends now and then.
		events, err := c.Watch(ctx, &v1alpha1.SizingExperimentList{}, client.InNamespace(e.Namespace),
			client.MatchingFields{"metadata.name": e.Name})
		if err != nil {
			return fmt.Errorf("watch experiment %s: %w", e.Name, err)
		}
		finished, err := follow(ctx, events, e, changed)
		events.Stop()
		if finished || err != nil {
			return err
		}
	}
}

func follow(ctx context.Context, events watch.Interface, e *v1alpha1.SizingExperiment, changed func(*v1alpha1.SizingExperiment)) (bool, error) {
	for {
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("experiment %s is still %s: %w", e.Name, e.Status.Phase, context.Cause(ctx))
		case event, open := <-events.ResultChan():
			if !open {
				return false, nil
			}
			now, isExperiment := event.Object.(*v1alpha1.SizingExperiment)
			if !isExperiment {
				return false, nil
			}
			if event.Type == watch.Deleted {
				return false, fmt.Errorf("experiment %s was deleted", e.Name)
			}
			now.DeepCopyInto(e)
			changed(e)
			if meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionFinished) {
				return true, nil
			}
		}
	}
}
