//go:build integration

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/chart"
	"github.com/hashmark-dev/hashmark/test/fixture"
	"github.com/hashmark-dev/hashmark/test/process"
)

// TestOperatorStaysBelowItsMemoryLimit creates 200 experiments with about a megabyte of labels or
// owners, and ten with the largest own login services and nine trials each, all suspended. An operator
// runs meanwhile, and another one starts afterwards.
func TestOperatorStaysBelowItsMemoryLimit(t *testing.T) {
	home, tenant := cluster.Namespace(t, "home"), cluster.Namespace(t, "tenant")
	kubeconfig := userOfOperator(t, "small", home, "")
	metrics := process.FreeAddress(t)
	run := func() *operatorProcess {
		o := operator(t, kubeconfig, leases(home), "loginService: {allowedImages: [registry.example]}",
			`metrics: {bindAddress: "`+metrics+`", secure: false}`)
		process.Eventually(t, "the operator is ready", 5*time.Minute, o.ready)
		return o
	}
	t.Cleanup(func() {
		_ = cluster.DeleteAllOf(context.Background(), &v1beta1.SizingExperiment{}, client.InNamespace(tenant))
		_ = cluster.DeleteAllOf(context.Background(), &v1beta1.SizingTrial{}, client.InNamespace(tenant))
	})
	first := run()
	for i := range 200 {
		e := suspendedExperiment(tenant, fmt.Sprintf("large-%d", i))
		if i%10 == 0 {
			e.Labels = manyLabels()
		} else { // an API server takes much less time for these
			e.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", UID: "u", Name: strings.Repeat("n", 1_000_000)}}
		}
		cluster.Make(t, e)
	}
	for i := range 10 {
		cluster.Make(t, withLargestService(tenant, i))
	}
	process.Eventually(t, "all experiments are accepted", 10*time.Minute, func() bool {
		return strings.Count(first.Stderr(), `"reason":"Accepted"`) >= 210
	})
	trials := &metav1.PartialObjectMetadataList{}
	trials.SetGroupVersionKind(v1beta1.GroupVersion.WithKind("SizingTrialList"))
	process.Eventually(t, "their first trials exist", time.Minute, func() bool {
		return cluster.List(t.Context(), trials, client.InNamespace(tenant)) == nil && len(trials.Items) == 200+10*9
	})
	checkMemory(t, "while they are created", first)
	first.End(syscall.SIGKILL)

	second := run()
	process.Eventually(t, "it has looked at all experiments", 5*time.Minute, func() bool { return passes(t, metrics) >= 210 })
	checkMemory(t, "after a restart", second)
}

// ofExperiments finds how often passes over experiments had a certain result.
var ofExperiments = regexp.MustCompile(`controller_runtime_reconcile_total\{controller="sizingexperiment",[^}]*\} (\d+)`)

// passes returns how many passes over experiments an operator has made.
func passes(t *testing.T, metrics string) (n int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+metrics+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range ofExperiments.FindAllSubmatch(body, -1) {
		count, _ := strconv.Atoi(string(found[1])) // these are digits
		n += count
	}
	return n
}

// checkMemory compares the most memory that an operator has used with its limit in the chart.
func checkMemory(t *testing.T, when string, o *operatorProcess) {
	t.Helper()
	deployment := &appsv1.Deployment{}
	if err := chart.Decode("manager/deployment.yaml", deployment); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.Command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if peak == nil {
		t.Fatalf("the kernel does not say how much memory the operator has used: %s", status)
	}
	kib, err := strconv.ParseInt(string(peak[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	most := deployment.Spec.Template.Spec.Containers[0].Resources.Limits.Memory().Value() >> 10
	t.Logf("%s: at most %d MiB of %d MiB", when, kib>>10, most>>10)
	if kib > most {
		t.Errorf("%s the operator has used %d MiB, and may use %d MiB", when, kib>>10, most>>10)
	}
}

// manyLabels returns labels of 750 kB. With the fields that the API server adds to track them, more do
// not fit into etcd.
func manyLabels() map[string]string {
	labels, domain := map[string]string{}, strings.Repeat("a", 63)+"."+strings.Repeat("b", 63)+"."+strings.Repeat("c", 63)
	for i := range 2_400 {
		labels[fmt.Sprintf("%s/%s%04d", domain, strings.Repeat("k", 58), i)] = strings.Repeat("v", 63)
	}
	return labels
}

// withLargestService returns an experiment with nine trials and a spec of almost 128 KiB.
func withLargestService(namespace string, number int) *v1beta1.SizingExperiment {
	e := suspendedExperiment(namespace, fmt.Sprintf("own-%d", number))
	requests := make([]handover.Request, 8)
	for i := range requests {
		requests[i] = handover.Request{Path: "/login", Method: "POST", Body: strings.Repeat("x", 8_000)}
	}
	e.Spec.Parallelism, e.Spec.Repetitions = ptr.To[int32](8), ptr.To[int32](10)
	e.Spec.Matrix.Concurrency = []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyUnbounded}}
	e.Spec.Service.Own = &v1beta1.OwnService{
		Image: "registry.example/login:v1", Command: []string{"/login"}, Port: 8080, Ready: v1beta1.ReadyWhen{HealthCheck: handover.HealthCheck{Path: "/"}},
		Login: handover.Login{Setup: requests, Steps: requests, Wrong: handover.ExpectedResponse{Status: []int32{401}}},
	}
	return e
}

func suspendedExperiment(namespace, name string) *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix:    v1beta1.Matrix{Costs: []int32{8}, CPULimits: fixture.Limits("1")},
			Objective: v1beta1.Objective{P95Milliseconds: 1_000}, Suspend: ptr.To(true),
		},
	}
}
