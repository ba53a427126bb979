// Package lab is what the end-to-end tests and the benchmarks share: a client for the cluster of KUBECONFIG, an
// experiment's trials in their order, and a wait for an experiment's end.
package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Connect returns a client for Kubernetes' types and Hashmark's.
func Connect() (client.Client, error) {
	ctrl.SetLogger(zap.New()) // otherwise the library prints a stack trace
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("can't load the cluster configuration; run make demo, and then the suite with make: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: scheme})
}

// Trials returns an experiment's trials in their order. It fails if a trial's sequence number
// is above the number of trials.
func Trials(ctx context.Context, reader client.Reader, e *v1beta1.SizingExperiment) ([]v1beta1.SizingTrial, error) {
	list := &v1beta1.SizingTrialList{}
	err := reader.List(ctx, list, client.InNamespace(e.Namespace), client.MatchingLabels{v1beta1.LabelExperimentUID: string(e.UID)})
	if err != nil {
		return nil, err
	}
	ordered := make([]v1beta1.SizingTrial, len(list.Items))
	for _, trial := range list.Items {
		if trial.Spec.Sequence > int32(len(ordered)) {
			return nil, fmt.Errorf("trial %s has sequence number %d of %d", trial.Name, trial.Spec.Sequence, len(ordered))
		}
		ordered[trial.Spec.Sequence-1] = trial
	}
	return ordered, nil
}

// Finished reads an experiment every second until its end, and calls seen with it each time. It fails if
// the experiment can't be read, also because it was deleted.
func Finished(ctx context.Context, reader client.Reader, e *v1beta1.SizingExperiment, seen func(*v1beta1.SizingExperiment)) error {
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		if err := reader.Get(ctx, client.ObjectKeyFromObject(e), e); err != nil {
			return false, err
		}
		seen(e)
		return meta.IsStatusConditionTrue(e.Status.Conditions, v1beta1.ConditionFinished), nil
	})
	if err != nil {
		return fmt.Errorf("experiment %s, which was last %s: %w", e.Name, e.Status.Phase, err)
	}
	return nil
}
