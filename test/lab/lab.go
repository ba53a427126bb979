// Package lab connects test suites to the cluster of KUBECONFIG: it has a client, an
// experiment's trials in their order, and a wait for an experiment's end.
//
// It creates and judges nothing.
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

// Connect returns a client for Kubernetes' types and Hashmark's.
func Connect() (client.WithWatch, error) {
	ctrl.SetLogger(zap.New()) // otherwise the library prints a stack trace
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("can't load the cluster configuration; run make demo, and then the suite with make: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	return client.NewWithWatch(config, client.Options{Scheme: scheme})
}

// Trials returns an experiment's trials in their order. It fails if a trial's sequence number
// is above the number of trials.
func Trials(ctx context.Context, reader client.Reader, e *v1alpha1.SizingExperiment) ([]v1alpha1.SizingTrial, error) {
	list := &v1alpha1.SizingTrialList{}
	err := reader.List(ctx, list, client.InNamespace(e.Namespace), client.MatchingLabels{v1alpha1.LabelExperimentUID: string(e.UID)})
	if err != nil {
		return nil, err
	}
	ordered := make([]v1alpha1.SizingTrial, len(list.Items))
	for _, trial := range list.Items {
		if trial.Spec.Sequence > int32(len(ordered)) {
			return nil, fmt.Errorf("trial %s has sequence number %d of %d", trial.Name, trial.Spec.Sequence, len(ordered))
		}
		ordered[trial.Spec.Sequence-1] = trial
	}
	return ordered, nil
}

// Finished waits for an experiment's end, calls changed at each change, and updates e.
func Finished(ctx context.Context, c client.WithWatch, e *v1alpha1.SizingExperiment, changed func(*v1alpha1.SizingExperiment)) error {
	for {
		// A watch starts with the current objects, and may end at any time.
		events, err := c.Watch(ctx, &v1alpha1.SizingExperimentList{}, client.InNamespace(e.Namespace),
			client.MatchingFields{"metadata.name": e.Name})
		if err != nil {
			return fmt.Errorf("watching experiment %s: %w", e.Name, err)
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
