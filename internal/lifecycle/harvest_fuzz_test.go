package lifecycle

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// FuzzReadCalibration: an accepted calibration has texts that fit into a status and a terminal, is
// the same after it was written again, and gives a plan within the trial's time, or an error.
func FuzzReadCalibration(f *testing.F) {
	milli := int64(500)
	own, err := json.Marshal(calibration.Result{
		Cost: 10,
		Calibration: handover.Calibration{
			CalibrationResult:  handover.CalibrationResult{HashMicroseconds: 56_610, ErrorMicroseconds: 600, Samples: 50, ClockHashesMilliPerSecond: 17_000},
			MedianMicroseconds: 56_600, ReferenceMicroseconds: 14_178, RatioPerMillion: 3_992_805, BlockMicroseconds: []int64{14_178},
			Surroundings: handover.Surroundings{GoMaxProcs: 1, Cpuset: "0-3", QuotaMilliCPU: &milli, CPUModel: "A CPU", CgroupVersion: 2, BootID: "b"},
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(own))
	f.Add(`{"hashMicroseconds":1,"samples":1,"goMaxProcs":1024,"blockMicroseconds":[3600000000],"cpuModel":"\u202ea"}`)
	f.Add(`{"hashMicroseconds":3600000000,"samples":2147483647,"goMaxProcs":1,"cpuset":"0-9999999999","scaledFromCost":31}`)
	f.Add(`{"hashMicroseconds":10,"samples":1,"goMaxProcs":1,"coreCpuset":"all of them"}`)
	f.Add(`{"hashMicroseconds":1e18}{}`)
	f.Add(`{"hashMicroseconds":10,"samples":100,"goMaxProcs":1,"blockMicroseconds":[]}`)
	f.Fuzz(func(t *testing.T, message string) {
		pod := calibratedPod("a", "1", 0, time.Second)
		pod.Status.InitContainerStatuses[0].State.Terminated.Message = message
		read, err := ReadCalibration([]corev1.Pod{pod}, false)
		if err != nil {
			return
		}
		for _, text := range []string{read.CPUModel, read.BootID, read.GoVersion, read.Cpuset, read.CoreCpuset} {
			if len(text) > 1024 || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("the calibration has the text %q", text)
			}
		}
		for _, list := range []string{read.Cpuset, read.CoreCpuset} {
			if list != "" && evidence.CPUs(list) == 0 {
				t.Errorf("the cpuset is %s", list)
			}
		}
		var result calibration.Result
		if err := json.Unmarshal([]byte(message), &result); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		pod.Status.InitContainerStatuses[0].State.Terminated.Message = string(again)
		second, err := ReadCalibration([]corev1.Pod{pod}, false)
		if diff := cmp.Diff(read, second, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("the calibration changed when it was written again, error %v:\n%s", err, diff)
		}
		checkPlannable(t, *read)
	})
}

func checkPlannable(t *testing.T, read handover.Calibration) {
	t.Helper()
	spec := world().Trial.Spec
	plan, err := loadplan.Build(spec, read, nil)
	if err == nil && loadplan.Duration(plan) > loadplan.MaxDuration(spec) {
		t.Errorf("the plan takes %s of at most %s", loadplan.Duration(plan), loadplan.MaxDuration(spec))
	}
}
