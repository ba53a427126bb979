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
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/tools/lab"
)

// cluster is the client that all tests share.
var cluster client.Client

// installed is the operator that `make demo` installed.
var installed = client.ObjectKey{Namespace: "hashmark-system", Name: "hashmark-operator"}

// leaseName is the name of the lease that the active operator holds, in each namespace with an
// operator.
const leaseName = "operator.hashmark.dev"

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
		return 1, fmt.Errorf("scaling down the installed operator; run make deploy: %w", err)
	}
	defer func() { err = errors.Join(err, scaleInstalled(1)) }()
	if err := forgetLeader(); err != nil {
		return 1, fmt.Errorf("deleting the lease: %w", err)
	}
	return m.Run(), nil
}

// forgetLeader deletes the lease, as in a cluster without an earlier operator.
func forgetLeader() error {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: installed.Namespace, Name: leaseName}}
	return client.IgnoreNotFound(cluster.Delete(context.Background(), lease))
}

// scaleInstalled scales the operator in the cluster to 0 or 1 replicas, and waits until that
// is done.
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
		// The status no longer counts a terminating pod, which may still be active.
		pods := &corev1.PodList{}
		err := cluster.List(ctx, pods, client.InNamespace(installed.Namespace), client.MatchingLabels(deployment.Spec.Selector.MatchLabels))
		return len(pods.Items) == int(replicas), err
	})
}
