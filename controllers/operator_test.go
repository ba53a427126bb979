//go:build integration

package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// startTimeout is the operator's --start-timeout in every test.
const startTimeout = 5 * time.Minute

// operator is one process of the operator: its reconcilers, and when each object is due to be
// reconciled again.
type operator struct {
	experiments *controllers.ExperimentReconciler
	turns       *controllers.TurnReconciler
	trials      *controllers.TrialReconciler
	due         map[string]time.Time
	dead        bool
}

// startOperator starts a new process without any state of earlier ones.
func (w *testCluster) startOperator() {
	process := &operator{due: map[string]time.Time{}}
	cached := operatorClient{Client: w.client, cluster: w, process: process}
	cachedOfTrials := cached
	cachedOfTrials.ofTrials = true
	var live client.Reader = scopedReader{Reader: cachedCluster.GetAPIReader(), cluster: w, process: process}
	if w.user != operatorUser {
		// Its rights are limited to its namespaces, so it needs no scopedReader.
		live = controllers.LiveIn(cachedCluster.GetAPIReader(), w.namespaces)
	}
	recorder := eventRecorder{w}
	waiting := &controllers.Queue{}
	process.experiments = &controllers.ExperimentReconciler{
		Client: cached, Live: live, Clock: w.clock, Events: recorder, Queue: waiting,
	}
	process.turns = &controllers.TurnReconciler{
		Client: cached, Live: live, Clock: w.clock, Events: recorder, MaxConcurrent: w.limit, Queue: waiting,
		Lease: w.turns(),
	}
	process.trials = &controllers.TrialReconciler{
		Client: cachedOfTrials, Live: live, Clock: w.clock, Events: recorder, MaxConcurrent: w.limit,
		StartTimeout: startTimeout, Model: cachedModel, Tally: w.tally,
		Settings: objects.Settings{
			ServiceImage: "example.test/loginservice:v1", GeneratorImage: "example.test/generator:v1",
			PullPolicy: corev1.PullIfNotPresent, GeneratorCPULimit: "500m", GeneratorMemoryLimit: "512Mi",
		},
	}
	w.operator = process
}

// reconcile makes one pass over an object and records when the next is due. If the process
// died, it starts a new one.
func (w *testCluster) reconcile(reconciler reconcile.Reconciler, object client.Object) {
	w.t.Helper()
	process, key := w.operator, client.ObjectKeyFromObject(object)
	if process.dead {
		return // the process died earlier in this round
	}
	result, err := w.attempt(func() (reconcile.Result, error) {
		return reconciler.Reconcile(asOperator(w.ctx, w.user), reconcile.Request{NamespacedName: key})
	})
	switch {
	case process.dead:
		w.log("operator", "is killed and started again")
		w.startOperator()
	case err != nil:
		w.t.Fatalf("a pass over %s failed: %v", key, err)
	case result.RequeueAfter > 0:
		process.due[fmt.Sprintf("%T %s", object, key)] = w.now().Add(result.RequeueAfter)
	}
}

// turns is the name of the Lease whose holder is the trials that have a turn.
func (w *testCluster) turns() types.NamespacedName {
	return types.NamespacedName{Namespace: w.namespaces[0], Name: "turns.hashmark.dev"}
}

// crash is the write at which a process of the operator dies: before it reaches the API
// server, or after it is done and before the response arrives.
type crash struct {
	atWrite int
	after   bool
}

// errKilled is what every call of a dead process returns.
var errKilled = errors.New("the operator was killed")

// operatorClient is the operator's client. It sees only its own test cluster, logs its writes,
// and may die at a write.
type operatorClient struct {
	client.Client
	cluster *testCluster
	process *operator
	// ofTrials marks the client of the trial reconciler.
	ofTrials bool
}

func (h operatorClient) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if h.process.dead {
		return errKilled
	}
	err := h.Client.Get(ctx, key, object, opts...)
	if e, is := object.(*v1alpha1.SizingExperiment); is && h.ofTrials && h.cluster.cacheBehind {
		e.Status.Verifications = nil
	}
	return err
}

func (h operatorClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return scopedReader{Reader: h.Client, cluster: h.cluster, process: h.process}.List(ctx, list, opts...)
}

func (h operatorClient) Create(ctx context.Context, object client.Object, opts ...client.CreateOption) error {
	return h.write("creates", object, func() error { return h.Client.Create(ctx, object, opts...) })
}

func (h operatorClient) Update(ctx context.Context, object client.Object, opts ...client.UpdateOption) error {
	return h.write("updates", object, func() error { return h.Client.Update(ctx, object, opts...) })
}

func (h operatorClient) Delete(ctx context.Context, object client.Object, opts ...client.DeleteOption) error {
	return h.write("deletes", object, func() error { return h.Client.Delete(ctx, object, opts...) })
}

func (h operatorClient) Patch(ctx context.Context, object client.Object, patch client.Patch, opts ...client.PatchOption) error {
	return h.write("patches", object, func() error { return h.Client.Patch(ctx, object, patch, opts...) })
}

func (h operatorClient) Status() client.SubResourceWriter {
	return statusWriter{SubResourceWriter: h.Client.Status(), client: h}
}

// statusWriter writes statuses through an operatorClient.
type statusWriter struct {
	client.SubResourceWriter
	client operatorClient
}

func (p statusWriter) Patch(ctx context.Context, object client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	return p.client.write("patches the status of", object, func() error {
		return p.SubResourceWriter.Patch(ctx, object, patch, opts...)
	})
}

// write makes, counts and logs one write, and dies if it is the write of the crash.
func (h operatorClient) write(verb string, object client.Object, do func() error) error {
	w := h.cluster
	if h.process.dead {
		return errKilled
	}
	isLast := w.crash.atWrite == w.writes+1
	if isLast && !w.crash.after {
		w.writes++ // so that the new process does not die at the same write
		h.process.dead = true
		return errKilled
	}
	if h.ofTrials {
		w.holdHere(verb + " " + kindOf(object))
	}
	before := object.DeepCopyObject().(client.Object)
	if !w.get(before) {
		before = nil
	}
	if err := do(); err != nil {
		return err
	}
	w.writes++
	if _, lease := object.(*coordinationv1.Lease); verb == "creates" && !lease {
		w.creates[kindOf(object)]++
	}
	w.logWrite(verb, before, object)
	if kindOf(object) == "Job" {
		w.checkOverlap()
	}
	if isLast {
		h.process.dead = true
		return errKilled
	}
	return nil
}

// scopedReader reads only the test cluster's own namespaces; otherwise the trials of another
// test would take this one's turns.
type scopedReader struct {
	client.Reader
	cluster *testCluster
	process *operator
}

func (e scopedReader) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if e.process.dead {
		return errKilled
	}
	if _, is := object.(*v1alpha1.SizingTrial); is {
		e.cluster.holdHere("reads SizingTrial")
	}
	return e.Reader.Get(ctx, key, object, opts...)
}

func (e scopedReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if e.process.dead {
		return errKilled
	}
	namespaces := e.cluster.namespaces
	if only := (&client.ListOptions{}).ApplyOptions(opts).Namespace; only != "" {
		namespaces = []string{only}
	}
	var all []client.Object
	for _, namespace := range namespaces {
		if err := e.Reader.List(ctx, list, append(opts, client.InNamespace(namespace))...); err != nil {
			return err
		}
		all = append(all, extract(list)...)
	}
	return fill(list, all)
}
