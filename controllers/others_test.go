//go:build integration

package controllers_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// promised is how long an experiment waits at most for its turn while nobody else can use theirs.
const promised = time.Minute

// refusedBy is in every answer that refuses a write for good.
const refusedBy = "the test keeps this object as it is"

// answers are the ways in which an API server refuses a write for good.
func answers() map[string]error {
	resource := schema.GroupResource{Group: "hashmark.dev", Resource: "objects"}
	large := apierrors.NewRequestEntityTooLargeError(refusedBy)
	return map[string]error{
		"refused with 403":          apierrors.NewForbidden(resource, "it", errors.New(refusedBy)),
		"refused with 413":          large,
		"refused with 422":          apierrors.NewInvalid(schema.GroupKind{Kind: "Object"}, refusedBy, nil),
		"refused by a policy":       apierrors.NewBadRequest(`admission webhook "policy" denied the request: ` + refusedBy),
		"refused by etcd":           apierrors.NewInternalError(errors.New("etcdserver: request is too large: " + refusedBy)),
		"refused for lack of right": apierrors.NewForbidden(resource, "it", errors.New(`User "operator" cannot patch resource: `+refusedBy)),
	}
}

// keeps are the kinds of objects that a foreign finalizer can keep.
var keeps = []string{"SizingExperiment", "SizingTrial", "Deployment", "Service", "NetworkPolicy", "Job", "Pod", "ServiceAccount", "nothing"}

// TestNobodyHoldsUpOthers has two tenants. The cluster refuses one kind of the operator's writes in the
// first one's namespace for good, or a finalizer keeps one kind of its objects while the experiment is
// deleted. The other tenant gets its turn within a minute, beyond the load that already runs, and is
// measured; the first one is told what is refused.
//
// As in TestNoFaultChangesTheOutcome, one of each kind is drawn unless HASHMARK_FAULTS is all.
func TestNobodyHoldsUpOthers(t *testing.T) {
	t.Parallel()
	sweep := newSweep(t)
	t.Cleanup(sweep.report)
	undisturbed := newTestCluster(t, "offender", "other")
	for i, e := range tenants() {
		undisturbed.create(e, i)
	}
	untilTheEnd(undisturbed)
	for how, answer := range answers() {
		var faults []disturbance
		for kind := range undisturbed.kindsOfWrites {
			faults = append(faults, disturbance{refusal: &refusal{writeKind: kind, answer: answer}})
		}
		sweep.run(t, how, sorted(faults), refusedForGood)
	}
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan} {
		var faults []disturbance
		for _, kind := range keeps {
			faults = append(faults, disturbance{kept: kind, policy: policy})
		}
		sweep.run(t, "kept, deletion "+string(policy), faults, keptForEver)
	}
}

// endless are the writes without which an experiment can't end: it waits, and nobody waits for it.
var endless = []writeKind{{"creates", "ServiceAccount"}, {"creates", "SizingTrial"}, {"patches the status of", "SizingExperiment"}}

func tenants() []*v1beta1.SizingExperiment {
	return []*v1beta1.SizingExperiment{newExperiment("offender", quick, oneVariant), newExperiment("other", quick, oneVariant)}
}

// refusedForGood lets the cluster refuse a write until the other tenant has its result.
func refusedForGood(t *testing.T, d disturbance) (came bool) {
	t.Helper()
	w := newTestCluster(t, "offender", "other")
	w.disturbance = d
	both := tenants()
	offender, other := w.create(both[0], 0), w.create(both[1], 1)
	w.checkTurn(other, func() time.Time { return d.refusal.since })
	w.run("the other tenant's experiment ends", func() bool { w.reread(other); return other.Status.Phase.Finished() })
	w.checkAttempts(other, "Kept Measured")
	if slices.Contains(endless, d.refusal.writeKind) {
		w.wait(10 * time.Minute)
	} else {
		w.toEnd(offender)
	}
	if d.refusal.since.IsZero() {
		t.Fatalf("the operator did not make the write that is refused")
	}
	if told := w.toldAbout(offender); !strings.Contains(told, refusedBy) && d.refusal.writeKind != (writeKind{"deletes", "ServiceAccount"}) {
		t.Errorf("the offender is not told what is refused:\n%s", told)
	}
	d.refusal.answer = nil
	w.toEnd(offender)
	w.wait(20 * time.Minute)
	w.checkNothingLeft()
	return true
}

// sorted orders faults by where they happen, so that a seed always draws the same.
func sorted(faults []disturbance) []disturbance {
	slices.SortFunc(faults, func(a, b disturbance) int { return strings.Compare(a.where(), b.where()) })
	return faults
}

func without(all []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == one })
}

// toldAbout returns everything that an experiment's owner can read about it.
func (w *testCluster) toldAbout(e *v1beta1.SizingExperiment) string {
	w.t.Helper()
	w.reread(e)
	told := string(mustMarshal(e.Status.Conditions))
	for _, trial := range w.trialsOf(e) {
		told += "\n" + string(mustMarshal(trial.Status))
	}
	for _, line := range w.transcript.lines {
		if strings.Contains(line, "  event ") {
			told += "\n" + line
		}
	}
	return told
}

// checkTurn advances the clock until the other tenant's trial has its turn, and checks that this is at
// most a minute after the offender's load may have ended, and after something went wrong.
func (w *testCluster) checkTurn(other *v1beta1.SizingExperiment, wrong func() time.Time) {
	w.t.Helper()
	var loaded time.Time
	w.run("the other tenant has its turn", func() bool {
		pods := &corev1.PodList{}
		w.list(pods, w.namespaces[0])
		for i := range pods.Items {
			if lifecycle.MayLoad(&pods.Items[i], w.now()) {
				loaded = w.now()
			}
		}
		trials := w.trialsOf(other)
		return len(trials) > 0 && !trials[0].Spec.Suspend
	})
	from := loaded
	if since := wrong(); since.After(from) {
		from = since
	}
	if took := w.now().Sub(from); !from.IsZero() && took > promised {
		w.t.Errorf("the other tenant waited for its turn for %s", took)
	}
}

// keptForEver deletes the first tenant's experiment under load, while a finalizer keeps objects of one
// kind.
func keptForEver(t *testing.T, d disturbance) (came bool) {
	t.Helper()
	w := newTestCluster(t, "offender", "other")
	both := tenants()
	offender, other := w.create(both[0], 0), w.create(both[1], 1)
	w.run("its load is running", func() bool { return loaded(w) })
	var kept []client.Object
	for _, object := range w.everything() {
		if object.GetNamespace() == w.namespaces[0] && kindOf(object) == d.kept {
			kept = append(kept, object)
		}
	}
	if len(kept) == 0 && d.kept != "nothing" {
		t.Fatalf("there is no %s to keep", d.kept)
	}
	for _, object := range kept {
		if !w.live(object) {
			t.Fatalf("%s %s is gone", d.kept, object.GetName())
		}
		w.setFinalizers([]client.Object{object}, append(object.GetFinalizers(), "example.test/kept")...)
	}
	began := w.now()
	w.must("deleting the experiment", w.client.Delete(w.ctx, offender, client.PropagationPolicy(d.policy)))
	w.log("user", fmt.Sprintf("deletes the experiment, %s, and keeps %s", d.policy, d.kept))
	w.checkTurn(other, func() time.Time { return began })
	w.toEnd(other)
	w.checkAttempts(other, "Kept Measured")
	for _, object := range kept {
		if w.live(object) {
			finalizers := object.GetFinalizers()
			w.setFinalizers([]client.Object{object}, without(finalizers, "example.test/kept")...)
		}
	}
	w.wait(5 * time.Minute)
	if d.policy != metav1.DeletePropagationOrphan { // the service account is then the user's
		w.checkNothingLeft()
	}
	return true
}
