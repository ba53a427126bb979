package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// steerable returns experiments in every state in which a command can find one.
func steerable() []client.Object {
	of := func(namespace, name string, phase v1beta1.ExperimentPhase, suspend, cancel bool) client.Object {
		return &v1beta1.SizingExperiment{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid-of-" + name)},
			Spec:       v1beta1.SizingExperimentSpec{Suspend: &suspend, Cancel: &cancel},
			Status:     v1beta1.SizingExperimentStatus{Phase: phase},
		}
	}
	return []client.Object{
		of("ns", "ended", v1beta1.ExperimentSucceeded, false, false),
		of("ns", "ending", v1beta1.ExperimentRunning, true, true),
		of("ns", "fresh", "", false, false),
		of("ns", "paused", v1beta1.ExperimentSuspended, true, false),
		of("ns", "runs", v1beta1.ExperimentRunning, false, false),
		of("other", "far", v1beta1.ExperimentQueued, false, false),
	}
}

func TestSteeringCommands(t *testing.T) {
	const question = "Experiments to cancel: 4. It can't be undone. Continue? (y/n): "
	const listed = "ns/ending\nns/fresh\nns/paused\nns/runs\n"
	for name, tt := range map[string]struct {
		words []string
		stdin string
		want  said
		// changed are the experiments whose spec is another one afterwards, with what it is.
		changed string
	}{
		"cancel": {[]string{"cancel", "runs"}, "", said{out: "ns/runs: cancelled\n"}, "runs:cancel"},
		"cancel in each state": {[]string{"cancel", "ended", "ending", "paused", "other/far"}, "",
			said{out: "ns/ended: has ended (Succeeded)\nns/ending: already cancelled\nns/paused: cancelled\nother/far: cancelled\n"}, "far:cancel paused:cancel+suspend"},
		"suspend": {[]string{"suspend", "runs", "paused", "ending", "ended", "fresh"}, "",
			said{out: "ns/runs: suspended\nns/paused: already suspended\nns/ending: already cancelled\nns/ended: has ended (Succeeded)\nns/fresh: suspended\n"}, "fresh:suspend runs:suspend"},
		"resume": {[]string{"resume", "runs", "paused", "ending", "ended"}, "",
			said{out: "ns/runs: not suspended\nns/paused: resumed\nns/ending: already cancelled, which can't be undone\nns/ended: has ended (Succeeded)\n"}, "paused:"},
		"one that does not exist": {[]string{"cancel", "none", "runs"}, "",
			said{out: "ns/runs: cancelled\n", err: "error: experiment none was not found in namespace ns; see: kubectl get sizingexperiments -n ns\n", code: 2}, "runs:cancel"},
		"no name": {[]string{"cancel", "a b", "runs"}, "",
			said{out: "ns/runs: cancelled\n", err: "error: \"a b\" is not the name of an experiment; use NAME, NAMESPACE/NAME, or a file that ends in .json or .yaml\n", code: 2}, "runs:cancel"},
		"all of a namespace": {[]string{"suspend", "--all"}, "",
			said{out: "ns/ending: already cancelled\nns/fresh: suspended\nns/paused: already suspended\nns/runs: suspended\n"}, "fresh:suspend runs:suspend"},
		"all of all namespaces": {[]string{"suspend", "--all", "-A"}, "",
			said{out: "ns/ending: already cancelled\nns/fresh: suspended\nns/paused: already suspended\nns/runs: suspended\nother/far: suspended\n"}, "far:suspend fresh:suspend runs:suspend"},
		"a trial of it": {[]string{"cancel", "--all", "--dry-run=server"}, "",
			said{out: "ns/ending: already cancelled\nns/fresh: cancelled (server dry run)\nns/paused: cancelled (server dry run)\nns/runs: cancelled (server dry run)\n"}, ""},
		"cancel all with yes": {[]string{"cancel", "--all", "--yes"}, "",
			said{out: "ns/ending: already cancelled\nns/fresh: cancelled\nns/paused: cancelled\nns/runs: cancelled\n"}, "fresh:cancel paused:cancel+suspend runs:cancel"},
		"cancel all, and y": {[]string{"cancel", "--all"}, "y\n",
			said{out: "ns/ending: already cancelled\nns/fresh: cancelled\nns/paused: cancelled\nns/runs: cancelled\n", err: listed + question}, "fresh:cancel paused:cancel+suspend runs:cancel"},
		"cancel all, and n":         {[]string{"cancel", "--all"}, "n\n", said{err: listed + question + "error: nothing was changed; answer y, or use --yes\n", code: 2}, ""},
		"cancel all, and no answer": {[]string{"cancel", "--all"}, "", said{err: listed + question + "\nerror: nothing was changed; answer y, or use --yes\n", code: 2}, ""},
		"all where there is none": {[]string{"cancel", "--all", "-n", "empty"}, "",
			said{err: "There is no experiment in namespace empty that has not ended\n"}, ""},
		"nothing": {[]string{"resume"}, "",
			said{err: "error: name one or more experiments, or use --all; see: kubectl get sizingexperiments\n", code: 2}, ""},
		"both":                {[]string{"resume", "--all", "runs"}, "", said{err: "error: name experiments or use --all, not both\n", code: 2}, ""},
		"namespaces and name": {[]string{"resume", "-A", "runs"}, "", said{err: "error: -A needs --all; to name an experiment of another namespace, use NAMESPACE/NAME\n", code: 2}, ""},
		"a trial elsewhere":   {[]string{"resume", "runs", "--dry-run=client"}, "", said{err: "error: invalid argument \"client\" for \"--dry-run\" flag: must be one of none, server\n", code: 2}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := world{objects: steerable()}.client(t)
			got := carryOut(t, cluster, tt.stdin, tt.words...)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(said{})); diff != "" {
				t.Errorf("it says (-want +got):\n%s", diff)
			}
			if changed := changedFrom(t, cluster, steerable()); changed != tt.changed {
				t.Errorf("it changed %q, want %q", changed, tt.changed)
			}
		})
	}
}

// changedFrom lists the experiments whose spec has changed, with what is set in it now.
func changedFrom(t *testing.T, cluster client.Client, before []client.Object) string {
	t.Helper()
	var changed []string
	for _, object := range before {
		was, is := object.(*v1beta1.SizingExperiment), &v1beta1.SizingExperiment{}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(was), is); err != nil {
			t.Fatal(err)
		}
		if *is.Spec.Cancel == *was.Spec.Cancel && *is.Spec.Suspend == *was.Spec.Suspend {
			continue
		}
		var set []string
		for what, isSet := range map[string]bool{"cancel": *is.Spec.Cancel, "suspend": *is.Spec.Suspend} {
			if isSet {
				set = append(set, what)
			}
		}
		changed = append(changed, is.Name+":"+strings.Join(slices.Sorted(slices.Values(set)), "+"))
	}
	return strings.Join(slices.Sorted(slices.Values(changed)), " ")
}

func TestSteeringGoesOnAfterAnError(t *testing.T) {
	experiments := schema.GroupResource{Group: v1beta1.GroupVersion.Group, Resource: "sizingexperiments"}
	cluster := world{objects: steerable(), functions: interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if object.GetName() == "fresh" {
				return apierrors.NewForbidden(experiments, object.GetName(), errors.New("a policy says no"))
			}
			return c.Patch(ctx, object, patch, options...)
		},
	}}.client(t)
	got := carryOut(t, cluster, "", "suspend", "--all")
	if got.code != 2 || !strings.HasPrefix(got.err, "error: you can't patch sizingexperiments in namespace ns; ask for the chart's edit role (") {
		t.Errorf("it ended with %d, and said %s", got.code, got.err)
	}
	if changed := changedFrom(t, cluster, steerable()); changed != "runs:suspend" {
		t.Errorf("it changed %q", changed)
	}
}

// An experiment that took the place of another is not the one that was listed.
func TestSteeringNamesTheUID(t *testing.T) {
	sent := ""
	cluster := world{objects: steerable(), functions: interceptor.Funcs{
		Patch: func(_ context.Context, _ client.WithWatch, object client.Object, patch client.Patch, _ ...client.PatchOption) error {
			text, err := patch.Data(object)
			sent = string(text)
			return err
		},
	}}.client(t)
	carryOut(t, cluster, "", "cancel", "runs")
	if want := `{"metadata":{"uid":"uid-of-runs"},"spec":{"cancel":true}}`; sent != want {
		t.Errorf("it sends %s, want %s", sent, want)
	}
}

// Nobody waits for an answer that never comes after an interrupt.
func TestConfirmCanBeInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	cluster := world{objects: steerable(), functions: interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			defer interrupt()
			return c.List(ctx, list, options...)
		},
	}}.client(t)
	got := carryOutWith(ctx, t, cluster, silent{}, "cancel", "--all")
	if got.code != 2 || !strings.HasSuffix(got.err, "interrupted; nothing was changed\n") {
		t.Errorf("it ended with %d, and said %s", got.code, got.err)
	}
}

// silent is a terminal at which nobody types.
type silent struct{}

func (silent) Read([]byte) (int, error) { select {} }
