//go:build cgroup2

package cgroup2_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/verdict"
	"github.com/hashmark-dev/hashmark/test/cgroup2"
)

// longest is how long the machine may run.
const longest = 10 * time.Minute

// A trial on cgroup version 2 has all its evidence: limits, CPUs, CPU time, throttling and memory of
// the service and of the generator.
func TestATrialOnCgroupVersion2HasAllItsEvidence(t *testing.T) {
	report := boot(t)
	if report.Error != "" {
		t.Fatalf("on kernel %s: %s\n%s", report.Kernel, report.Error, report.Log)
	}
	spec, calibration, err := cgroup2.Trial(report.Calibration)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kernel %s, %s", report.Kernel, report.Calibration)
	if calibration.CgroupVersion != 2 || ptr.Deref(calibration.QuotaMilliCPU, 0) != cgroup2.ServiceMilliCPU || calibration.Cpuset != "0" || calibration.GoMaxProcs != 1 {
		t.Errorf("the calibration read %s", report.Calibration)
	}
	run, err := measurement.Decode(report.Message)
	if err != nil {
		t.Fatalf("the generator's message: %v", err)
	}
	if run.Generator == nil || run.Generator.QuotaMilliCPU != cgroup2.GeneratorMilliCPU || run.Generator.Cpuset != "1" {
		t.Errorf("the generator's container is %+v", run.Generator)
	}
	if len(run.Services) != 1 || run.Services[0].QuotaMilliCPU != cgroup2.ServiceMilliCPU || run.Services[0].Cpuset != "0" || run.Services[0].MemoryPeakKiB == 0 {
		t.Errorf("the service's container is %+v", run.Services)
	}
	plan, err := loadplan.Build(spec, calibration, nil)
	if err != nil {
		t.Fatal(err)
	}
	judged := verdict.Judge(verdict.Input{
		Spec: spec, Calibration: calibration, Plan: plan, Run: run,
		Reference: float64(calibration.ReferenceMicroseconds), PlannedMicros: float64(calibration.ReferenceMicroseconds),
		Placement: verdict.Placement{ServiceNodes: []string{"service"}, GeneratorNode: "generator"},
	})
	for _, reason := range judged.Result.Reasons {
		t.Logf("%s: %s", reason.Type, reason.Message)
		if reason.Type == v1beta1.ReasonEvidenceMissing {
			t.Errorf("evidence is missing: %s", reason.Message)
		}
	}
	checkSteps(t, judged.Steps)
}

// checkSteps fails unless the steps have the counters of both containers. At 40 % of what 500m can
// hash, random logins exhaust the quota again and again.
func checkSteps(t *testing.T, steps []v1beta1.Step) {
	t.Helper()
	open := slices.IndexFunc(steps, func(s v1beta1.Step) bool { return s.Kind == v1beta1.StepOpen })
	if open < 0 {
		t.Fatalf("no step drove the rate: %+v", steps)
	}
	step := steps[open]
	// The service's counters are read at the ends of the step, when a few logins are under way.
	if step.OK == 0 || step.ServiceHashes == nil || 10*(*step.ServiceHashes) < 9*step.OK {
		t.Errorf("%d logins, %v hashes", step.OK, ptr.Deref(step.ServiceHashes, -1))
	}
	for name, used := range map[string]*v1beta1.StepCPU{"service": step.Service, "generator": step.Generator} {
		if used == nil || used.CPUMicroseconds <= 0 || ptr.Deref(used.Periods, 0) <= 0 {
			t.Fatalf("the counters of the %s are %+v", name, used)
		}
		// A period takes 100 ms.
		if seconds := float64(*used.Periods) / 10; seconds < 0.8*float64(step.CountedMilliseconds)/1000 {
			t.Errorf("the %s had %d periods in %d ms", name, *used.Periods, step.CountedMilliseconds)
		}
	}
	if ptr.Deref(step.Service.ThrottledPeriods, 0) == 0 || ptr.Deref(step.Service.ThrottledMicroseconds, 0) == 0 {
		t.Errorf("the service was not throttled: %+v", step.Service)
	}
}

// boot starts the machine and returns its report.
func boot(t *testing.T) cgroup2.Report {
	t.Helper()
	console := run(t, longest, "-smp", "2", "-m", "2048")
	_, text, found := strings.Cut(strings.ReplaceAll(console, "\r", ""), cgroup2.Begin+"\n")
	text, _, ended := strings.Cut(text, "\n"+cgroup2.End)
	var report cgroup2.Report
	if !found || !ended {
		t.Fatalf("the machine printed no report:\n%s", console)
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v in the report %q", err, text)
	}
	return report
}

// run runs a machine until it turns itself off, and returns what it printed on its console.
func run(t *testing.T, atMost time.Duration, flags ...string) string {
	t.Helper()
	kernel, image := os.Getenv("HASHMARK_KERNEL"), os.Getenv("HASHMARK_INITRAMFS")
	if kernel == "" || image == "" {
		t.Fatal("HASHMARK_KERNEL and HASHMARK_INITRAMFS are not set; run make test-cgroup2")
	}
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	defer cancel()
	var console bytes.Buffer
	// One writer for both streams, because two would write into the buffer at the same time.
	output := io.MultiWriter(&console, t.Output())
	machine := exec.CommandContext(ctx, "qemu-system-x86_64", append([]string{
		"-accel", "tcg,thread=multi", "-cpu", "max", "-kernel", kernel, "-initrd", image,
		"-append", "console=ttyS0 quiet panic=-1", "-nographic", "-no-reboot", "-nic", "none",
	}, flags...)...)
	machine.Stdout, machine.Stderr = output, output
	if err := machine.Run(); err != nil {
		t.Fatalf("QEMU: %v\n%s", err, console.String())
	}
	return console.String()
}
