//go:build integration

package controllers_test

import (
	"os"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Helm, Flux and Argo CD see when an experiment and its trials have ended, and how.
func TestToolsThatWaitSeeTheEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		end    func(w *testCluster, e *v1beta1.SizingExperiment)
		change func(*v1beta1.SizingExperimentSpec)
		// what kstatus and Argo CD take the experiment and its trials for in the end
		kstatus     status.Status
		argo        string
		trial       status.Status
		withoutRuns bool
	}{
		{name: "measured", kstatus: status.CurrentStatus, argo: "Healthy", trial: status.CurrentStatus},
		{
			name: "cancelled", kstatus: status.FailedStatus, argo: "Degraded", trial: status.FailedStatus,
			end: func(w *testCluster, e *v1beta1.SizingExperiment) {
				w.edit(e, "cancels login", cancel)
			},
		},
		{
			name: "refused", kstatus: status.FailedStatus, argo: "Degraded", withoutRuns: true,
			change: func(s *v1beta1.SizingExperimentSpec) { s.Baseline = "c9-1" },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "gitops")
			change := test.change
			if change == nil {
				change = func(*v1beta1.SizingExperimentSpec) {}
			}
			e := w.create(newExperiment("login", quick, oneVariant, change), 0)
			w.checkWaits(e, status.InProgressStatus, "Progressing")
			if !test.withoutRuns {
				w.begin(e)
				w.checkWaits(e, status.InProgressStatus, "Progressing")
				trial := w.trialsOf(e)[0]
				w.checkWaits(&trial, status.InProgressStatus, "Progressing")
				w.edit(e, "suspends login", suspend)
				w.checkWaits(e, status.InProgressStatus, "Progressing") // a stale generation
				w.run("login is suspended", func() bool {
					w.reread(e)
					return e.Status.Phase == v1beta1.ExperimentSuspended
				})
				w.checkWaits(e, status.InProgressStatus, "Suspended")
				w.edit(e, "resumes login", resume)
			}
			if test.end != nil {
				test.end(w, e)
			}
			w.toEnd(e)
			w.checkWaits(e, test.kstatus, test.argo)
			for _, trial := range w.trialsOf(e) {
				w.checkWaits(&trial, test.trial, test.argo)
			}
		})
	}
}

// checkWaits compares what tools that wait take an object for.
func (w *testCluster) checkWaits(object client.Object, wantKstatus status.Status, wantArgo string) {
	w.t.Helper()
	w.reread(object)
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	w.must("converting an object", err)
	result, err := status.Compute(&unstructured.Unstructured{Object: fields})
	w.must("computing the status as kstatus does", err)
	if result.Status != wantKstatus {
		w.t.Errorf("kstatus takes %s for %s (%s), want %s", object.GetName(), result.Status, result.Message, wantKstatus)
	}
	if got := argoHealth(w.t, fields); got != wantArgo {
		w.t.Errorf("Argo CD takes %s for %s, want %s", object.GetName(), got, wantArgo)
	}
}

// argoHealth runs the health check that docs/gitops.md has for Argo CD.
func argoHealth(t *testing.T, object map[string]any) string {
	t.Helper()
	text, err := os.ReadFile("../docs/gitops.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```yaml\ndata:\n")
	block, _, _ = strings.Cut(block, "```")
	var checks map[string]string
	if err := yaml.Unmarshal([]byte(block), &checks); err != nil {
		t.Fatal(err)
	}
	check := checks["resource.customizations.health.hashmark.dev_SizingExperiment"]
	if check == "" || check != checks["resource.customizations.health.hashmark.dev_SizingTrial"] {
		t.Fatalf("docs/gitops.md has the checks %q", checks)
	}
	state := lua.NewState()
	defer state.Close()
	state.SetGlobal("obj", toLua(state, object))
	if err := state.DoString(check); err != nil {
		t.Fatal(err)
	}
	health, is := state.Get(-1).(*lua.LTable)
	if !is {
		t.Fatalf("the check returned %s", state.Get(-1))
	}
	return health.RawGetString("status").String()
}

// toLua converts a value of an object, as Argo CD does.
func toLua(state *lua.LState, value any) lua.LValue {
	table := state.NewTable()
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			table.RawSetString(name, toLua(state, field))
		}
	case []any:
		for _, element := range value {
			table.Append(toLua(state, element))
		}
	case string:
		return lua.LString(value)
	case bool:
		return lua.LBool(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	default:
		return lua.LNil
	}
	return table
}
