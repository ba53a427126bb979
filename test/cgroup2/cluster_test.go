//go:build cgroup2

package cgroup2_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/cpuset"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const (
	// longestExperiment is how long the machine with the cluster may run.
	longestExperiment = 80 * time.Minute
	// resultsBytes is the size of the disk that it writes its results to.
	resultsBytes = 256 << 20
)

// An experiment on a cluster with cgroup version 2 ends with a recommendation, and its trials have all
// their evidence: of a service with a quota above one CPU, and of one with two CPUs of its own.
func TestAnExperimentOnAClusterWithCgroupVersion2(t *testing.T) {
	results := bootCluster(t)
	if reason, err := os.ReadFile(filepath.Join(results, "error")); err == nil {
		t.Fatalf("%s; see %s", reason, results)
	}
	experiment, trials := &v1beta1.SizingExperiment{}, &v1beta1.SizingTrialList{}
	for name, into := range map[string]any{"experiment.json": experiment, "trials.json": trials} {
		text, err := os.ReadFile(filepath.Join(results, name))
		if err = errors.Join(err, json.Unmarshal(text, into)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if !meta.IsStatusConditionTrue(experiment.Status.Conditions, v1beta1.ConditionReady) {
		t.Errorf("the experiment is not complete: %+v", experiment.Status.Conditions)
	}
	if experiment.Status.Recommendation == nil {
		t.Error("the experiment has no recommendation")
	}
	measured := map[string]bool{}
	for _, trial := range trials.Items {
		measured[trial.Spec.Variant.CPULimit] = true
		t.Run(trial.Name, func(t *testing.T) { checkTrial(t, &trial) })
	}
	if !measured["1500m"] || !measured["2"] {
		t.Errorf("the measured limits are %v", measured)
	}
}

// checkTrial fails unless a trial has its evidence. The node has four CPUs and keeps one for itself. With
// a CPU manager, Kubernetes sets no quota for CPUs that a container has for itself.
func checkTrial(t *testing.T, trial *v1beta1.SizingTrial) {
	t.Helper()
	calibration, result := trial.Status.Calibration, trial.Status.Result
	if calibration == nil || result == nil || trial.Status.Evidence == nil {
		t.Fatalf("the trial has no result: %+v", trial.Status.Conditions)
	}
	for _, reason := range result.Reasons {
		t.Logf("%s: %s", reason.Type, reason.Message)
	}
	if slices.ContainsFunc(result.Reasons, func(r v1beta1.Reason) bool { return r.Type == v1beta1.ReasonEvidenceMissing }) {
		t.Error("evidence is missing")
	}
	own, err := cpuset.Parse(calibration.Cpuset)
	if err != nil {
		t.Fatalf("the CPUs %q: %v", calibration.Cpuset, err)
	}
	t.Logf("CPUs %s, quota %d, GOMAXPROCS %d", own, ptr.Deref(calibration.QuotaMilliCPU, 0), calibration.GoMaxProcs)
	if calibration.CgroupVersion != 2 || calibration.GoMaxProcs != 2 {
		t.Errorf("the calibration is %+v", calibration)
	}
	switch quota := ptr.Deref(calibration.QuotaMilliCPU, 0); trial.Spec.Variant.CPULimit {
	case "2":
		if own.Size() != 2 || own.Contains(1) || quota != 0 {
			t.Errorf("two whole CPUs are %s with a quota of %d", own, quota)
		}
	case "1500m":
		if own.Size() < 2 || own.Contains(1) || quota != 1500 {
			t.Errorf("1500m are %s with a quota of %d", own, quota)
		}
	}
	checkCounters(t, trial)
}

// checkCounters fails unless each step that ran has the CPU time of both containers, and periods
// of those that have a quota.
func checkCounters(t *testing.T, trial *v1beta1.SizingTrial) {
	t.Helper()
	ran := slices.DeleteFunc(slices.Clone(trial.Status.Steps), func(s v1beta1.Step) bool { return s.Outcome == v1beta1.StepNotRun })
	if len(ran) < 2 {
		t.Fatalf("%d steps ran", len(ran))
	}
	for _, step := range ran {
		if step.Service == nil || step.Service.CPUMicroseconds <= 0 || step.Generator == nil || step.Generator.CPUMicroseconds <= 0 {
			t.Fatalf("the counters of step %s are %+v and %+v", step.Kind, step.Service, step.Generator)
		}
		if ptr.Deref(step.Generator.Periods, 0) <= 0 {
			t.Errorf("the generator of step %s had no periods", step.Kind)
		}
		if trial.Spec.Variant.CPULimit == "1500m" && ptr.Deref(step.Service.Periods, 0) <= 0 {
			t.Errorf("the service of step %s had no periods", step.Kind)
		}
	}
}

// bootCluster starts the machine, and returns the folder HASHMARK_RESULTS with the files that it left.
func bootCluster(t *testing.T) (folder string) {
	t.Helper()
	disk, folder := os.Getenv("HASHMARK_DISK"), os.Getenv("HASHMARK_RESULTS")
	if disk == "" || folder == "" {
		t.Fatal("HASHMARK_DISK and HASHMARK_RESULTS are not set; run make test-long NAME=cgroup2-cluster")
	}
	written, err := os.Create(filepath.Join(t.TempDir(), "results.tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	if err := written.Truncate(resultsBytes); err != nil {
		t.Fatal(err)
	}
	run(t, longestExperiment, "-smp", "4", "-m", "6144",
		"-drive", "format=raw,if=virtio,file="+disk, "-drive", "format=raw,if=virtio,file="+written.Name())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("tar", "--extract", "--file="+written.Name(), "--directory="+folder).CombinedOutput(); err != nil {
		t.Fatalf("the machine's results: %v\n%s", err, output)
	}
	return folder
}
