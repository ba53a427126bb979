//go:build integration

package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// startTimeout is the operator's --start-timeout in every world.
const startTimeout = 5 * time.Minute

// operator is one process of the operator: two reconcilers, and when each of
// their objects is due to be looked at again.
type operator struct {
	experiments *controllers.ExperimentReconciler
	trials      *controllers.TrialReconciler
	due         map[string]time.Time
	dead        bool
}

// startOperator starts a process that knows nothing of those before it.
func (w *world) startOperator() {
	process := &operator{due: map[string]time.Time{}}
	cached := hand{Client: w.client, world: w, process: process}
	cachedOfTrials := cached
	cachedOfTrials.ofTrials = true
	var live client.Reader = eyes{Reader: backstage.GetAPIReader(), world: w, process: process}
	if w.user != operatorUser {
		// It has no right to more than its namespaces, and needs nobody's eyes.
		live = controllers.LiveIn(backstage.GetAPIReader(), w.namespaces)
	}
	recorder := gossip{w}
	process.experiments = &controllers.ExperimentReconciler{
		Client: cached, Live: live, Clock: w.clock, Events: recorder, MaxConcurrent: w.limit,
	}
	process.trials = &controllers.TrialReconciler{
		Client: cachedOfTrials, Live: live, Clock: w.clock, Events: recorder, MaxConcurrent: w.limit,
		StartTimeout: startTimeout, Oracle: rememberingOracle, Tally: w.tally,
		Settings: objects.Settings{
			ServiceImage: "example.test/loginservice:v1", GeneratorImage: "example.test/generator:v1",
			PullPolicy: corev1.PullIfNotPresent, GeneratorCPULimit: "500m", GeneratorMemoryLimit: "512Mi",
		},
	}
	w.operator = process
}

// reconcile makes one pass over an object and notes when the next is due. A
// process that died in it is followed by a fresh one.
func (w *world) reconcile(reconciler reconcile.Reconciler, object client.Object) {
	w.t.Helper()
	process, key := w.operator, client.ObjectKeyFromObject(object)
	if process.dead {
		return // the process died earlier in this round
	}
	result, err := reconciler.Reconcile(asOperator(w.ctx, w.user), reconcile.Request{NamespacedName: key})
	switch {
	case process.dead:
		w.tell("operator", "is killed, and started anew")
		w.startOperator()
	case err != nil:
		w.t.Fatalf("a pass over %s failed: %v", key, err)
	case result.RequeueAfter > 0:
		process.due[fmt.Sprintf("%T %s", object, key)] = w.now().Add(result.RequeueAfter)
	}
}

// crash is the write at which a process of the operator dies: before it reaches
// the API server, or once it is done and before the answer comes back.
type crash struct {
	atWrite int
	after   bool
}

// errKilled is what every call of a dead process comes to.
var errKilled = errors.New("the operator was killed")

// hand is the operator's client: it sees only its own world, tells what it
// writes, and may die on the way.
type hand struct {
	client.Client
	world   *world
	process *operator
	// ofTrials marks the client that looks after trials.
	ofTrials bool
}

func (h hand) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if h.process.dead {
		return errKilled
	}
	err := h.Client.Get(ctx, key, object, opts...)
	if e, is := object.(*v1alpha1.SizingExperiment); is && h.ofTrials && h.world.cacheBehind {
		e.Status.Verifications = nil
	}
	return err
}

func (h hand) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return eyes{Reader: h.Client, world: h.world, process: h.process}.List(ctx, list, opts...)
}

func (h hand) Create(ctx context.Context, object client.Object, opts ...client.CreateOption) error {
	return h.write("creates", object, func() error { return h.Client.Create(ctx, object, opts...) })
}

func (h hand) Delete(ctx context.Context, object client.Object, opts ...client.DeleteOption) error {
	return h.write("deletes", object, func() error { return h.Client.Delete(ctx, object, opts...) })
}

func (h hand) Patch(ctx context.Context, object client.Object, patch client.Patch, opts ...client.PatchOption) error {
	return h.write("patches", object, func() error { return h.Client.Patch(ctx, object, patch, opts...) })
}

func (h hand) Status() client.SubResourceWriter {
	return pen{SubResourceWriter: h.Client.Status(), hand: h}
}

// pen writes statuses.
type pen struct {
	client.SubResourceWriter
	hand hand
}

func (p pen) Patch(ctx context.Context, object client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	return p.hand.write("patches the status of", object, func() error {
		return p.SubResourceWriter.Patch(ctx, object, patch, opts...)
	})
}

// write does, counts and tells one write, and dies where it is to.
func (h hand) write(verb string, object client.Object, do func() error) error {
	w := h.world
	if h.process.dead {
		return errKilled
	}
	isLast := w.crash.atWrite == w.writes+1
	if isLast && !w.crash.after {
		w.writes++ // so that the fresh process does not die at the same place
		h.process.dead = true
		return errKilled
	}
	before := object.DeepCopyObject().(client.Object)
	if !w.get(before) {
		before = nil
	}
	if err := do(); err != nil {
		return err
	}
	w.writes++
	if verb == "creates" {
		w.creates[kindOf(object)]++
	}
	w.tellWrite(verb, before, object)
	if kindOf(object) == "Job" {
		w.checkOverlap()
	}
	if isLast {
		h.process.dead = true
		return errKilled
	}
	return nil
}

// eyes read no further than the world's own namespaces, or the trials of
// another test would take this one's turns.
type eyes struct {
	client.Reader
	world   *world
	process *operator
}

func (e eyes) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if e.process.dead {
		return errKilled
	}
	return e.Reader.Get(ctx, key, object, opts...)
}

func (e eyes) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if e.process.dead {
		return errKilled
	}
	namespaces := e.world.namespaces
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
