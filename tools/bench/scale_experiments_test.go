//go:build bench

package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// scale is an API server with many experiments, and with Kubernetes' own controllers.
type scale struct {
	t      *testing.T
	client client.WithWatch
	// kubelet is stopped at first.
	kubelet *kubelet
	// kubeconfig is the path of the operator's.
	kubeconfig string
	// waiting and finished are how many experiments exist.
	waiting, finished int
}

func newScale(t *testing.T) *scale {
	t.Helper()
	controllers := program(t, "HASHMARK_CONTROLLER_MANAGER")
	environment, config, err := apiserver.Start(filepath.Join("..", "..", "config", "crd"), func(*envtest.APIServer) {})
	must(t, err)
	t.Cleanup(func() { must(t, environment.Stop()) })
	stop, err := apiserver.StartControllers(controllers, environment.KubeConfig)
	must(t, err)
	t.Cleanup(stop)
	config.QPS, config.Burst = -1, -1
	scheme := runtime.NewScheme()
	must(t, errors.Join(corev1.AddToScheme(scheme), v1beta1.AddToScheme(scheme)))
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	must(t, err)
	s := &scale{t: t, client: c, kubelet: newKubelet(c), kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	must(t, os.WriteFile(s.kubeconfig, environment.KubeConfig, 0o600))
	for i := range scaleNamespaces {
		must(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace(i)}}))
	}
	return s
}

func (s *scale) operator() *operatorProcess { return startOperator(s.t, s.kubeconfig, s.namespace(0)) }

func (s *scale) namespace(i int) string { return fmt.Sprintf("team-%d", i%scaleNamespaces) }

func (s *scale) experiment(name string, i int) *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace(i), Name: fmt.Sprintf("%s-%d", name, i)},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix:    v1beta1.Matrix{Costs: []int32{8, 10}, CPULimits: fixture.Limits("500m", "1")},
			Objective: v1beta1.Objective{P95Milliseconds: 1000},
		},
	}
}

// create creates experiments with several writers at once.
func (s *scale) create(name string, n int, after func(context.Context, *v1beta1.SizingExperiment) error) {
	s.t.Helper()
	next, failed := make(chan int), make(chan error, scaleWriters)
	var all sync.WaitGroup
	for range scaleWriters {
		all.Go(func() {
			for i := range next {
				e := s.experiment(name, i)
				if err := errors.Join(s.client.Create(s.t.Context(), e), after(s.t.Context(), e)); err != nil {
					select {
					case failed <- err:
					default: // the first errors are enough
					}
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	close(failed)
	for err := range failed {
		must(s.t, err)
	}
}

// wait creates experiments that wait for their turns.
func (s *scale) wait(name string, n int) {
	s.t.Helper()
	s.create(name, n, func(context.Context, *v1beta1.SizingExperiment) error { return nil })
}

// finish creates experiments that have ended, each with a row for each variant.
func (s *scale) finish(n int) {
	s.t.Helper()
	s.finished = n
	s.create("finished", n, func(ctx context.Context, e *v1beta1.SizingExperiment) error {
		e.Status = v1beta1.SizingExperimentStatus{
			ObservedGeneration: e.Generation, Phase: v1beta1.ExperimentSucceeded, CompletionTime: &metav1.Time{Time: time.Now()},
		}
		for _, variant := range []string{"c8-500m", "c8-1", "c10-500m", "c10-1"} {
			e.Status.Results = append(e.Status.Results, v1beta1.VariantResult{
				Variant: variant, CPULimit: "500m", Hash: v1beta1.BcryptHash(10), Verdict: v1beta1.VerdictValid, Trials: 1,
			})
		}
		for _, kind := range []string{v1beta1.ConditionAccepted, v1beta1.ConditionReady, v1beta1.ConditionFinished} {
			meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{
				Type: kind, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonAllMeasured, ObservedGeneration: e.Generation,
			})
		}
		return s.client.Status().Update(ctx, e)
	})
}

// phases returns how many experiments are in each phase.
func (s *scale) phases() map[v1beta1.ExperimentPhase]int {
	s.t.Helper()
	list := &v1beta1.SizingExperimentList{}
	must(s.t, s.client.List(s.t.Context(), list))
	phases := map[v1beta1.ExperimentPhase]int{}
	for i := range list.Items {
		phases[list.Items[i].Status.Phase]++
	}
	return phases
}

// whenPlanned returns the time at which n experiments were seen to be accepted and to wait or
// to run.
func (s *scale) whenPlanned(n int) time.Time {
	s.t.Helper()
	s.until("all experiments are accepted", func() bool {
		phases := s.phases()
		return phases[v1beta1.ExperimentQueued]+phases[v1beta1.ExperimentRunning] == n
	})
	return time.Now()
}

// running returns the experiment whose trial has the turn.
func (s *scale) running() *v1beta1.SizingExperiment {
	s.t.Helper()
	list := &v1beta1.SizingExperimentList{}
	must(s.t, s.client.List(s.t.Context(), list))
	for i := range list.Items {
		if list.Items[i].Status.Phase == v1beta1.ExperimentRunning {
			return &list.Items[i]
		}
	}
	s.t.Fatal("no experiment has a turn")
	return nil
}

func (s *scale) until(what string, is func() bool) {
	s.t.Helper()
	ticker := time.NewTicker(scaleLook)
	defer ticker.Stop()
	for end := time.Now().Add(scalePatience); time.Now().Before(end); {
		if is() {
			return
		}
		select {
		case err := <-s.kubelet.failed:
			s.t.Fatal(err)
		case <-ticker.C:
		}
	}
	s.t.Fatalf("waiting until %s: it did not happen in %s", what, scalePatience)
}

// whenQuiet waits until the operator has written nothing for a while.
func (s *scale) whenQuiet(o *operatorProcess) {
	s.t.Helper()
	last, since := o.counts(s.t).writes, time.Now()
	s.until("the operator writes nothing", func() bool {
		if now := o.counts(s.t).writes; now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > quietLook
	})
}
