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
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/test/lab"
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
	if cluster, err = lab.Connect(); err != nil {
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
