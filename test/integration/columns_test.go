//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tableOnly accepts the format that kubectl get requests, and no other.
const tableOnly = "application/json;as=Table;v=v1;g=meta.k8s.io"

func TestColumnsOfExperiments(t *testing.T) {
	experiment := create(t, plainExperiment)
	setStatus(t, experiment, `{status: {phase: Running, progress: {trials: 9, finished: 4},
		display: {trials: 4/9, variant: c10-500m, recommended: 2×c10-500m, verified: "yes", p95: 213ms, stepP50: 87ms, stepP95: 556ms, stepP99: 941ms,
			capacity: 5.5/s, throughput: 8.2/s, speed: -7/+9 %}}}`)
	want := []string{
		"Name: " + experiment.GetName(),
		"Phase: Running",
		"Trials: 4/9",
		"Variant: c10-500m",
		"Recommended: 2×c10-500m",
		"Verified: yes",
		"P95: 213ms",
		"Capacity: 5.5/s",
		"Throughput: 8.2/s",
		"Age: a while",
		"Step-P50: 87ms (with -o wide)",
		"Step-P95: 556ms (with -o wide)",
		"Step-P99: 941ms (with -o wide)",
		"Speed: -7/+9 % (with -o wide)",
	}
	if diff := cmp.Diff(want, row(t, experiment, "sizingexperiments")); diff != "" {
		t.Errorf("the row of kubectl get szx (-want +got):\n%s", diff)
	}
}

func TestColumnsOfTrials(t *testing.T) {
	trial := create(t, plainTrial, `{spec: {variant: {nodePool: {name: small}}}}`)
	setStatus(t, trial, `{status: {phase: Succeeded, display: {concurrency: pool 1, rate: 5.8/s, p50: 87ms, p95: 556ms, p99: 941ms,
		capacity: 5.5/s, throughput: 8.2/s, verdict: Suspect, hash: 60.1ms ± 412µs, node: node-1, reason: SharedNode}}}`)
	want := []string{
		"Name: " + trial.GetName(),
		"Phase: Succeeded",
		"Cost: 10",
		"CPU: 1",
		"Concurrency: pool 1",
		"Rate: 5.8/s",
		"P95: 556ms",
		"Capacity: 5.5/s",
		"Throughput: 8.2/s",
		"Verdict: Suspect",
		"Age: a while",
		"P50: 87ms (with -o wide)",
		"P99: 941ms (with -o wide)",
		"Hash: 60.1ms ± 412µs (with -o wide)",
		"Role: Measurement (with -o wide)",
		"Pool: small (with -o wide)",
		"Node: node-1 (with -o wide)",
		"Reason: SharedNode (with -o wide)",
	}
	if diff := cmp.Diff(want, row(t, trial, "sizingtrials")); diff != "" {
		t.Errorf("the row of kubectl get sizingtrials (-want +got):\n%s", diff)
	}
}

// setStatus patches the status of an object, as the operator does.
func setStatus(t *testing.T, object *unstructured.Unstructured, status string) {
	t.Helper()
	patch := client.RawPatch("application/merge-patch+json", asJSON(t, status))
	if err := apiClient.Status().Patch(t.Context(), object, patch); err != nil {
		t.Fatalf("setting the status of %s: %v", object.GetName(), err)
	}
}

// row returns the cells that kubectl get would show for an object, each as "column: cell".
// An age is replaced, because it depends on the machine.
func row(t *testing.T, object *unstructured.Unstructured, resource string) []string {
	t.Helper()
	table := table(t, object, resource)
	if len(table.Rows) != 1 {
		t.Fatalf("the table has %d rows, and should have one", len(table.Rows))
	}
	var cells []string
	for i, column := range table.ColumnDefinitions {
		cell := fmt.Sprintf("%s: %v", column.Name, table.Rows[0].Cells[i])
		if column.Type == "date" {
			cell = column.Name + ": a while"
		}
		if column.Priority > 0 {
			cell += " (with -o wide)"
		}
		cells = append(cells, cell)
	}
	return cells
}

// table requests the table of one object from the API server.
func table(t *testing.T, object *unstructured.Unstructured, resource string) (table metav1.Table) {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(restConfig)
	if err != nil {
		t.Fatal(err)
	}
	text, err := clientset.CoreV1().RESTClient().Get().SetHeader("Accept", tableOnly).
		AbsPath("/apis", object.GetAPIVersion(), "namespaces", object.GetNamespace(), resource, object.GetName()).DoRaw(t.Context())
	if err != nil {
		t.Fatalf("the API server has no table of %s: %v", object.GetName(), err)
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table
}
