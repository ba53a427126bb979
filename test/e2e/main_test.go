//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// cluster is the way to the cluster that all tests share.
var cluster client.Client

// The operator that `make demo` installed.
var installed = client.ObjectKey{Namespace: "hashmark-system", Name: "hashmark-operator"}

func TestMain(m *testing.M) {
	code, err := suite(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func suite(m *testing.M) (code int, err error) {
	ctrl.SetLogger(zap.New()) // without one the library prints a stack
	config, err := ctrl.GetConfig()
	if err != nil {
		return 1, fmt.Errorf("no cluster to test on; run make test-e2e: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return 1, err
	}
	if cluster, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return 1, err
	}
	if err := scaleInstalled(0); err != nil {
		return 1, fmt.Errorf("taking the installed operator out of service; run make install: %w", err)
	}
	defer func() { err = errors.Join(err, scaleInstalled(1)) }()
	return m.Run(), nil
}

// scaleInstalled takes the operator in the cluster out of service, or puts it
// back, and waits until that is so.
func scaleInstalled(replicas int32) error {
	ctx := context.Background()
	deployment := &appsv1.Deployment{}
	if err := cluster.Get(ctx, installed, deployment); err != nil {
		return err
	}
	before := deployment.DeepCopy()
	deployment.Spec.Replicas = &replicas
	if err := cluster.Patch(ctx, deployment, client.MergeFrom(before)); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, time.Second, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := cluster.Get(ctx, installed, deployment); err != nil {
			return false, err
		}
		if deployment.Status.ObservedGeneration < deployment.Generation || deployment.Status.ReadyReplicas != replicas {
			return false, nil
		}
		// The status no longer counts a pod that is ending, and may still work.
		pods := &corev1.PodList{}
		err := cluster.List(ctx, pods, client.InNamespace(installed.Namespace), client.MatchingLabels(deployment.Spec.Selector.MatchLabels))
		return len(pods.Items) == int(replicas), err
	})
}
