//go:build integration

package controllers_test

import (
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/specs"
)

// trySpec creates an experiment, takes it as far as its fate, and removes everything again, so
// that the API server stays small.
func trySpec(w *testCluster, spec specs.Spec, number int, fateOf func(w *testCluster, spec specs.Spec, goal string) (fate, error)) fate {
	w.clock.SetTime(epoch)
	w.kubelet, w.transcript = newKubelet(w), transcript{}
	clear(w.creates)
	f, err := fateOf(w, spec, goalOf(number))
	if err != nil {
		w.t.Errorf("spec %d of seed %d: %v\nchanges:\n%s\nwhat happened:\n%s", number, *specSeed, err, spec, w.transcript.text())
	}
	w.clear()
	return f
}

// goalOf returns the kind of the object up to which the operator is watched: the load of every
// fourth spec, because that needs a prediction, which takes long to compute, and the login service
// of the others.
func goalOf(number int) string {
	if number/specWorkers%4 == 0 {
		return "Job"
	}
	return "Service"
}

func fateOf(w *testCluster, spec specs.Spec, goal string) (fate, error) {
	object := &unstructured.Unstructured{Object: spec.Object}
	object.SetNamespace(w.namespaces[0])
	err := client.WithFieldValidation(uncached, metav1.FieldValidationStrict).Create(w.ctx, object)
	if err != nil {
		return fateRefused, checkRefusal(err, spec)
	}
	e, err := cached(w, object)
	if err != nil {
		return fateAccepted, err
	}
	if err := workTowards(w, e, goal); err != nil {
		return fateAccepted, err
	}
	return checkAccepted(w, e, goal)
}

// cached returns an experiment that was just written, once the cache has it.
func cached(w *testCluster, object *unstructured.Unstructured) (*v1beta1.SizingExperiment, error) {
	e := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Name: object.GetName(), Namespace: object.GetNamespace()}}
	// The patch changes nothing.
	if err := w.client.Patch(w.ctx, e, client.RawPatch(types.MergePatchType, []byte("{}"))); err != nil {
		return nil, fmt.Errorf("reading what was accepted: %w", err)
	}
	return e, nil
}

// fateOfEdit returns the fate of a valid experiment that is edited to a spec before it begins.
func fateOfEdit(base map[string]any) func(w *testCluster, spec specs.Spec, goal string) (fate, error) {
	return func(w *testCluster, spec specs.Spec, goal string) (fate, error) {
		object, err := createSuspended(w, base)
		if err != nil {
			return fateAccepted, err
		}
		if err := replaceSpec(w, object, spec.Object); err != nil {
			return fateRefused, checkRefusal(err, spec)
		}
		e, err := cached(w, object)
		if err != nil {
			return fateAccepted, err
		}
		if err := workTowards(w, e, goal); err != nil {
			return fateAccepted, err
		}
		f, err := checkAccepted(w, e, goal)
		if err == nil && f == fateEnded {
			err = checkCorrected(w, e, object)
		}
		return f, err
	}
}

// createSuspended creates an experiment that is suspended, and lets the operator plan it.
func createSuspended(w *testCluster, base map[string]any) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: base}
	object.SetNamespace(w.namespaces[0])
	if err := unstructured.SetNestedField(object.Object, true, "spec", "suspend"); err != nil {
		return nil, err
	}
	if err := uncached.Create(w.ctx, object.DeepCopy()); err != nil {
		return nil, fmt.Errorf("creating the experiment to edit: %w", err)
	}
	if _, err := cached(w, object); err != nil {
		return nil, err
	}
	return object, settleOrFail(w)
}

// replaceSpec writes the whole experiment with the spec of another one, as kubectl replace does.
func replaceSpec(w *testCluster, object *unstructured.Unstructured, by map[string]any) error {
	stored := object.DeepCopy()
	w.must("reading the experiment to edit", uncached.Get(w.ctx, client.ObjectKeyFromObject(object), stored))
	delete(stored.Object, "spec")
	if spec, is := by["spec"]; is {
		stored.Object["spec"] = spec
	}
	return client.WithFieldValidation(uncached, metav1.FieldValidationStrict).Update(w.ctx, stored)
}

// checkCorrected takes the edit of an experiment back that was not accepted, and checks that it goes on.
func checkCorrected(w *testCluster, e *v1beta1.SizingExperiment, object *unstructured.Unstructured) error {
	if !w.get(e) || ptr.Deref(e.Spec.Cancel, false) || e.Status.StartTime != nil {
		return nil // it can't be corrected
	}
	if err := replaceSpec(w, object, object.Object); err != nil {
		return fmt.Errorf("correcting the experiment: %w", err)
	}
	e, err := cached(w, object)
	if err != nil {
		return err
	}
	if err := settleOrFail(w); err != nil {
		return err
	}
	if w.reread(e); e.Status.Phase != v1beta1.ExperimentSuspended || e.Status.CompletionTime != nil {
		return fmt.Errorf("the corrected experiment is %s, and ended at %v", e.Status.Phase, e.Status.CompletionTime)
	}
	return nil
}

// workTowards lets the operator and the cluster work until the experiment has ended, or a trial has
// reached the goal, or has a result without a load. A suspended experiment stays as it is.
func workTowards(w *testCluster, e *v1beta1.SizingExperiment, goal string) error {
	const most = 60
	for range most {
		if err := settleOrFail(w); err != nil {
			return err
		}
		if !w.get(e) || e.Status.Phase.Finished() || ptr.Deref(e.Spec.Suspend, false) || w.creates[goal] > 0 || answeredWithoutLoad(w) {
			return nil
		}
		if w.kubelet.play() {
			continue
		}
		next := w.nextMoment()
		if next.IsZero() {
			return nil
		}
		w.goTo(next)
	}
	return fmt.Errorf("it has neither a %s nor an end", goal)
}

// settleOrFail makes passes until the operator writes nothing more. Unlike settle, it returns
// an error of a pass.
func settleOrFail(w *testCluster) error {
	const most = 20
	clear(w.operator.due)
	for range most {
		before := w.writes
		for _, e := range w.experiments() {
			if err := tryPass(w, w.operator.experiments, &e); err != nil {
				return err
			}
		}
		if err := tryPass(w, w.operator.turns, w.lease()); err != nil {
			return err
		}
		for _, trial := range w.trials() {
			if err := tryPass(w, w.operator.trials, &trial); err != nil {
				return err
			}
		}
		if w.writes == before {
			return nil
		}
	}
	return fmt.Errorf("the operator still writes after %d passes", most)
}

// tryPass makes a pass, and returns its error or panic.
func tryPass(w *testCluster, reconciler reconcile.Reconciler, object client.Object) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("a pass over %s panicked: %v\n%s", object.GetName(), panicked, debug.Stack())
		}
	}()
	key := client.ObjectKeyFromObject(object)
	result, err := reconciler.Reconcile(asOperator(w.ctx, w.user), reconcile.Request{NamespacedName: key})
	if err != nil {
		return fmt.Errorf("a pass failed: %w", err)
	}
	if result.RequeueAfter > 0 {
		w.operator.due[fmt.Sprintf("%T %s", object, key)] = w.now().Add(result.RequeueAfter)
	}
	return nil
}

// checkAccepted checks that what the API server accepted is not stuck.
func checkAccepted(w *testCluster, e *v1beta1.SizingExperiment, goal string) (fate, error) {
	if !w.get(e) {
		if e.Spec.TTLSecondsAfterFinished == nil {
			return fateEnded, errors.New("it is gone, without a time to live")
		}
		return fateEnded, nil
	}
	condition := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionAccepted)
	switch {
	case condition == nil:
		return fateAccepted, errors.New("it has no condition Accepted")
	case e.Status.Phase == v1beta1.ExperimentFailed:
		failed := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionFinished)
		if failed == nil || failed.Reason == "" {
			return fateEnded, errors.New("it failed without a reason")
		}
		return fateEnded, checkSentence(failed.Message)
	case condition.Status != metav1.ConditionTrue:
		return fateAccepted, fmt.Errorf("it is neither accepted nor failed: %+v", condition)
	case ptr.Deref(e.Spec.Suspend, false) || ptr.Deref(e.Spec.Cancel, false) || e.Status.Phase.Finished():
		return fateAccepted, nil
	case w.creates[goal] == 0 && !answeredWithoutLoad(w):
		return fateAccepted, fmt.Errorf("it has no %s", goal)
	}
	return fateAccepted, nil
}

// answeredWithoutLoad reports whether a trial has a result, because nothing could meet the
// objective.
func answeredWithoutLoad(w *testCluster) bool {
	for _, trial := range w.trials() {
		if trial.Status.Result != nil {
			return true
		}
	}
	return false
}

// remark is what the API server adds if it stopped at the first refusals.
const remark = "some validation rules were not checked"

// echoed is how the API server repeats a value before the reason, and index the number of an
// item or the name of an entry.
var (
	echoed = regexp.MustCompile(`(?s)^(Invalid|Unsupported) value: (("(\\.|[^"\\])*"|\[.*\]|\{.*\}|[^ ]+): )?`)
	index  = regexp.MustCompile(`\[[^\]]*\]`)
)

// checkRefusal checks that every refusal is a sentence, and that one is about a changed field.
func checkRefusal(err error, spec specs.Spec) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
		return fmt.Errorf("not a refusal of the object: %w", err)
	}
	answer := status.Status()
	causes := []metav1.StatusCause{{Message: answer.Message}}
	if apierrors.IsInvalid(err) {
		causes = answer.Details.Causes
	}
	var faults []error
	named := false
	for _, cause := range causes {
		sentence := echoed.ReplaceAllString(cause.Message, "")
		if strings.HasPrefix(sentence, remark) {
			continue
		}
		faults = append(faults, checkSentence(sentence))
		named = named || names(cause.Field, sentence, spec)
	}
	if !named {
		faults = append(faults, fmt.Errorf("no refusal names a changed field: %w", err))
	}
	return errors.Join(faults...)
}

// names reports whether a refusal of a field is about a change. A change of a field that is deep
// within a section, such as spec.matrix, may have added what it is in, whose other fields are then
// missing.
func names(refused, sentence string, spec specs.Spec) bool {
	refused = index.ReplaceAllString(refused, "[]")
	for _, change := range spec.Changes {
		path := strings.TrimSuffix(change.Path, "[]")
		segments := strings.Split(path, ".")
		name := strings.TrimSuffix(segments[len(segments)-1], "[]")
		section := strings.Join(segments[:min(2, len(segments))], ".")
		if strings.HasPrefix(refused, path) || strings.Contains(sentence, name) || len(segments) > 2 && strings.HasPrefix(refused, section) {
			return true
		}
	}
	return false
}

// longestSentence is the length of the longest message, in bytes.
const longestSentence = 1000

// inner is what belongs to the inside of a program, and not into a message. The API server says
// int32 and float64, which are formats of OpenAPI.
var inner = regexp.MustCompile(`runtime error|goroutine|panic|nil pointer|v1beta1\.|interface \{\}|map\[|0xc0|%!`)

func checkSentence(text string) error {
	switch {
	case len(strings.Fields(text)) < 2:
		return fmt.Errorf("the message is no sentence: %q", text)
	case len(text) > longestSentence:
		return fmt.Errorf("the message has %d bytes: %.1000s", len(text), text)
	case inner.MatchString(text):
		return fmt.Errorf("the message shows the inside of the program: %s", text)
	}
	return nil
}
