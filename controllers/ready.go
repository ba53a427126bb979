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

// WatchAll begins to watch every kind that a pass reads, whoever leads, and
// gives the check that all of it has been seen once.
//
// A replica that waits for the lease would otherwise watch nothing: it would
// call itself ready without having read a thing, and fill its cache only when
// it is needed. An API server that goes away later makes no replica unready:
// nothing would come of that but metrics that nobody can read any more.
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
