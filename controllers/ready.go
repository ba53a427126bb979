package controllers

import (
	"context"
	"fmt"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// WatchAll starts watches for every kind that a pass reads, whether this replica leads or not.
// It returns a check that all of them have been listed once.
//
// Otherwise a replica that waits for the lease would watch nothing: it would be ready without
// having read anything, and would fill its cache only after it becomes the leader. If the API
// server becomes unreachable later, replicas stay ready, because unready ones would only lose
// their metrics.
func WatchAll(ctx context.Context, informers cache.Informers) (healthz.Checker, error) {
	seen := map[string]cache.Informer{}
	for _, kind := range []client.Object{
		&v1alpha1.SizingExperiment{}, &v1alpha1.SizingTrial{}, &appsv1.Deployment{}, &batchv1.Job{}, &corev1.Pod{},
		&corev1.Service{}, &networkingv1.NetworkPolicy{}, &corev1.ServiceAccount{},
	} {
		informer, err := informers.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("watching %T: %w", kind, err)
		}
		seen[fmt.Sprintf("%T", kind)] = informer
	}
	return func(*http.Request) error {
		for kind, informer := range seen {
			if !informer.HasSynced() {
				return fmt.Errorf("%s has not been listed yet", kind)
			}
		}
		return nil
	}, nil
}
