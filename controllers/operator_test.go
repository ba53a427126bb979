//go:build integration

package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// startTimeout is the operator's trials.startTimeout in every test.
const startTimeout = 5 * time.Minute

// operator is one process of the operator: its reconcilers, and when each object is due to be
// reconciled again.
type operator struct {
	experiments *controllers.ExperimentReconciler
	turns       *controllers.TurnReconciler
	// moved holds the experiments whose position changed.
	moved  workqueue.TypedRateLimitingInterface[reconcile.Request]
	trials *controllers.TrialReconciler
	denies *controllers.DenyPolicyReconciler
	due    map[string]time.Time
	dead   bool
	// cache is what the process knows; nil if it is up to date.
	cache *oldCache
	// frozen is the cache that the process had when it was frozen; nil if it never was.
	frozen *oldCache
}

// machineClock is the clock of the operator's machine.
type machineClock struct{ cluster *testCluster }

// Now returns the time of the test cluster, unless the machine's clock was set to another.
func (c machineClock) Now() time.Time { return c.cluster.now().Add(c.cluster.ahead) }

// Since returns the time from a moment of this clock until now.
func (c machineClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

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
	process.moved = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	w.must("starting the queue", waiting.Start(w.ctx, process.moved))
	settings := objects.Settings{
		ServiceImage: "example.test/loginservice:v1", GeneratorImage: "example.test/generator:v1",
		PullPolicy: corev1.PullIfNotPresent, GeneratorCPULimit: "500m", GeneratorMemoryLimit: "512Mi",
		AllowedServiceImages: []string{"example.test/team"},
	}
	process.experiments = &controllers.ExperimentReconciler{
		Client: cached, Live: live, Clock: machineClock{w}, Events: recorder, Queue: waiting, Settings: settings,
		StartTimeout: startTimeout, Paused: w.paused,
	}
	process.turns = &controllers.TurnReconciler{
		Client: cached, Live: live, Clock: machineClock{w}, Events: recorder, MaxConcurrent: w.limit, Queue: waiting,
		Lease: w.turns(), Paused: w.paused,
	}
	process.trials = &controllers.TrialReconciler{
		Client: cachedOfTrials, Live: live, Clock: machineClock{w}, Events: recorder, MaxConcurrent: w.limit,
		StartTimeout: startTimeout, Model: cachedModel, Tally: w.tally,
		Settings: settings, Queue: waiting, Turns: w.turns(), Paused: w.paused,
	}
	process.denies = &controllers.DenyPolicyReconciler{Client: cached, Live: live}
	w.operator = process
	if d := w.disturbance; d.lag > 0 && (d.write == 0 || d.struck) {
		process.cache = newOldCache()
	}
}

// reconcile makes one pass over an object and records when the next is due. If the process
// died, it starts a new one.
func (w *testCluster) reconcile(reconciler reconcile.Reconciler, object client.Object) {
	w.t.Helper()
	process, key := w.operator, client.ObjectKeyFromObject(object)
	if process.dead {
		return // the process died earlier in this round
	}
	if process.cache != nil && process.frozen == nil {
		w.advance(process.cache)
	}
	result, err := reconciler.Reconcile(asOperator(w.ctx, w.user), reconcile.Request{NamespacedName: key})
	switch {
	case process.dead:
		w.log("operator", "is killed and started again")
		w.startOperator()
		w.again = true
	case err != nil && w.mayFail(process, err):
		w.again = true
	case err != nil:
		w.t.Fatalf("a pass over %s failed: %v", key, err)
	case result.RequeueAfter > 0:
		process.due[passOver(object)] = w.now().Add(result.RequeueAfter)
	}
	if process.frozen != nil && process.cache == nil {
		w.thaw(process)
	}
}

// turns is the name of the Lease whose holder is the trials that have a turn.
func (w *testCluster) turns() types.NamespacedName {
	return types.NamespacedName{Namespace: w.namespaces[0], Name: "turns.hashmark.dev"}
}

// errKilled is what every call of a dead process returns.
var errKilled = errors.New("the operator was killed")

// operatorClient is the operator's client. It sees only its own test cluster, logs its writes,
// and may be disturbed at a write.
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
	if h.process.cache.holds(kindOf(object)) {
		return h.process.cache.get(key, object)
	}
	err := h.Client.Get(ctx, key, object, opts...)
	if e, is := object.(*v1beta1.SizingExperiment); is && h.ofTrials && h.cluster.cacheBehind {
		e.Status.Verifications = nil
	}
	return err
}

func (h operatorClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if h.process.cache.holds(itemKind(list)) && !h.process.dead {
		return h.process.cache.list(list, opts...)
	}
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

// write makes one write, or what takes its place.
func (h operatorClient) write(verb string, object client.Object, do func() error) error {
	if h.process.dead {
		return errKilled
	}
	if err := h.cluster.refuses(verb, object); err != nil {
		return err
	}
	count := func() error { return h.count(verb, object, do) }
	if h.cluster.strikes() {
		return h.cluster.disturbance.strike(h.cluster, h.process, count)
	}
	return count()
}

// count makes, counts and logs one write.
func (h operatorClient) count(verb string, object client.Object, do func() error) error {
	w := h.cluster
	before := object.DeepCopyObject().(client.Object)
	if !w.get(before) {
		before = nil
	}
	if err := do(); err != nil {
		w.refused = append(w.refused, fmt.Sprintf("%s %s %s: %v", verb, kindOf(object), object.GetName(), err))
		return err
	}
	w.writes++
	if object.GetNamespace() == w.namespaces[0] && kindOf(object) != "Lease" {
		w.kindsOfWrites[writeKind{verb, kindOf(object)}] = true
	}
	if _, lease := object.(*coordinationv1.Lease); verb == "creates" && !lease && object.GetName() != objects.DenyPolicyName {
		w.creates[kindOf(object)]++
	}
	w.logWrite(verb, before, object)
	switch object := object.(type) {
	case *appsv1.Deployment:
		h.checkOwnerConfined(object, object.Spec.Template)
	case *batchv1.Job:
		h.checkOwnerConfined(object, object.Spec.Template)
		w.checkOverlap()
	case *networkingv1.NetworkPolicy:
		w.checkConfined()
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
