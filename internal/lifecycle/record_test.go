package lifecycle

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// calibratedPod returns a pod that calibrated between two moments of the attempt, with the
// time of a hash and more JSON fields.
func calibratedPod(uid types.UID, micros string, from, to time.Duration, more ...string) corev1.Pod {
	pod := loginPod()
	pod.UID = uid
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{
		Name: objects.CalibrateContainer,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			StartedAt: metav1.NewTime(start.Add(from)), FinishedAt: metav1.NewTime(start.Add(to)),
			Message: `{"hashMicroseconds":` + micros + `,"samples":50,"goMaxProcs":1` + strings.Join(more, "") + `}`,
		}},
	}}
	return pod
}

func TestTheCalibrationAndThePodsAreRecorded(t *testing.T) {
	o := world(beforeRecord, func(o *Observation) {
		o.Children.ServicePods = []corev1.Pod{
			calibratedPod("a", "20000", 3*time.Second, 9*time.Second),
			calibratedPod("b", "21000", 2*time.Second, 8*time.Second),
		}
	})
	if err := RecordCalibration(o, Model{Predict: predictHash}); err != nil {
		t.Fatal(err)
	}
	attempt := o.Trial.Status.Attempts[0]
	got := []any{
		o.Trial.Status.Calibration.HashMicroseconds, o.Trial.Status.Prediction.NoLoadP95Microseconds, attempt.ServicePodUIDs,
		attempt.CalibrationStartTime.Sub(start), attempt.CalibrationEndTime.Sub(start),
	}
	want := []any{int64(21_000), int64(21_000), []types.UID{"a", "b"}, 2 * time.Second, 9 * time.Second}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hash time, prediction, pods, first start and last end (-want +got):\n%s", diff)
	}
}

func TestNothingIsRecordedOfACalibrationThatCanNotBeRead(t *testing.T) {
	o := world(beforeRecord)
	if err := RecordCalibration(o, Model{}); err == nil || o.Trial.Status.Calibration != nil || len(o.Trial.Status.Attempts[0].ServicePodUIDs) > 0 {
		t.Errorf("error %v; recorded: %+v", err, o.Trial.Status)
	}
}

// predictHash returns the hash time that it was given as the p95.
func predictHash(_ v1beta1.SizingTrialSpec, cal handover.Calibration) *v1beta1.Prediction {
	return &v1beta1.Prediction{NoLoadP95Microseconds: cal.HashMicroseconds}
}

func TestALoadIsPlannedForTheReferenceSpeed(t *testing.T) {
	const timed = `,"referenceMicroseconds":10000,"ratioPerMillion":4000000,"ratioErrorPerMillion":8000,"blockMicroseconds":[9900,10100]`
	at := func(micros int64) *v1beta1.TrialSpeed {
		return &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: micros, PlannedHashMicrosecondsAtCost8: micros}
	}
	for name, test := range map[string]struct {
		more      string
		reference int64
		speed     *v1beta1.TrialSpeed
		predicted int64
	}{
		"the experiment's if it is known":               {timed, 12_500, at(12_500), 50_000},
		"the calibration's own before the first result": {timed, 0, at(10_000), 40_000},
		"its own if it ran on another machine":          {timed, 30_000, at(10_000), 40_000},
		"none without a reference hash":                 {"", 12_500, nil, 41_000},
	} {
		t.Run(name, func(t *testing.T) {
			o := world(beforeRecord, func(o *Observation) {
				o.Children.ServicePods = []corev1.Pod{calibratedPod("a", "41000", 0, time.Second, test.more)}
				o.Reference = test.reference
				// What an earlier attempt found is not used.
				o.Trial.Status.Speed = at(7_000)
			})
			if err := RecordCalibration(o, Model{Predict: predictHash}); err != nil {
				t.Fatal(err)
			}
			status := o.Trial.Status
			if diff := cmp.Diff(test.speed, status.Speed); diff != "" {
				t.Errorf("speed (-want +got):\n%s", diff)
			}
			if got := status.Prediction.NoLoadP95Microseconds; got != test.predicted || status.Calibration.HashMicroseconds != 41_000 {
				t.Errorf("the model was asked about a hash of %d µs, want %d; the calibration has one of %d", got, test.predicted, status.Calibration.HashMicroseconds)
			}
		})
	}
}

func TestACalibrationKeepsItsRatioItsBlocksAndItsQuota(t *testing.T) {
	read, err := ReadCalibration([]corev1.Pod{calibratedPod("a", "41000", 0, time.Second,
		`,"referenceMicroseconds":10000,"ratioPerMillion":4000000,"ratioErrorPerMillion":8000,"blockMicroseconds":[9900,10100]`+
			`,"quotaPeriodMicroseconds":10000,"quotaBurstMicroseconds":2500`)}, false)
	want := &handover.Calibration{
		CalibrationResult:     handover.CalibrationResult{HashMicroseconds: 41_000, Samples: 50},
		ReferenceMicroseconds: 10_000, RatioPerMillion: 4_000_000, RatioErrorPerMillion: 8_000, BlockMicroseconds: []int64{9_900, 10_100},
		Surroundings: handover.Surroundings{GoMaxProcs: 1,
			QuotaPeriodMicroseconds: 10_000, QuotaBurstMicroseconds: 2_500},
	}
	if diff := cmp.Diff(want, read); diff != "" || err != nil {
		t.Errorf("error %v; calibration (-want +got):\n%s", err, diff)
	}
}

func TestACalibrationThatTheAPIWouldRefuseIsRefused(t *testing.T) {
	blocks := func(n int) string { return `,"blockMicroseconds":[1` + strings.Repeat(",1", n-1) + `]` }
	for name, test := range map[string]struct {
		micros, more string
		read         bool
	}{
		"as many blocks as the API keeps":         {"41000", blocks(64), true},
		"one more":                                {"41000", blocks(65), false},
		"a ratio of 0 means unknown":              {"41000", `,"ratioPerMillion":0`, true},
		"a negative ratio":                        {"41000", `,"ratioPerMillion":-1`, false},
		"a negative error of a ratio":             {"41000", `,"ratioErrorPerMillion":-1`, false},
		"a hash that took no time":                {"0", "", false},
		"not a calibration":                       {"41000", `}`, false},
		"not a number":                            {`"long"`, "", false},
		"a hash of an hour":                       {"3600000000", "", true},
		"a hash that would be simulated for days": {"1000000000000", "", false},
		"a block of a day":                        {"41000", `,"blockMicroseconds":[86400000000]`, false},
		"all CPUs of a large machine":             {"41000", `,"cpuset":"0-1023,2048"`, true},
		"more CPUs than a machine has":            {"41000", `,"cpuset":"0-9999999999"`, false},
		"CPUs that would fill the memory":         {"41000", `,"cpuset":"0-4000000"`, false},
		"a list without an end":                   {"41000", `,"cpuset":"` + strings.Repeat("1,", 4000) + `1"`, false},
		"a cpuset that is not a list":             {"41000", `,"cpuset":"all"`, false},
		"a quota of nothing":                      {"41000", `,"quotaMilliCPU":1`, false},
		"a quota of a datacentre":                 {"41000", `,"quotaMilliCPU":64001`, false},
		"a million threads":                       {"41000", `,"goMaxProcs":1000000`, false},
		"a model with a line feed":                {"41000", `,"cpuModel":"fast\nQuota: none"`, false},
		"a model with many spaces":                {"41000", `,"cpuModel":"Intel(R) Xeon(R) CPU           X5650  @ 2.67GHz"`, true},
		"a model that is read from the right":     {"41000", `,"cpuModel":"fast\u202etsaf"`, false},
		"a model without an end":                  {"41000", `,"cpuModel":"` + strings.Repeat("x", 129) + `"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadCalibration([]corev1.Pod{calibratedPod("a", test.micros, 0, time.Second, test.more)}, false); (err == nil) != test.read {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestTheGeneratorsLimitIsTheTrialsThenTheOperators(t *testing.T) {
	own := intstr.Parse("250m")
	for want, limit := range map[string]*intstr.IntOrString{"500m": nil, "250m": &own} {
		o := world(func(o *Observation) { o.GeneratorCPULimit, o.Trial.Spec.Generator.CPULimit = "500m", limit })
		if got := o.LoadSpec().Generator.CPULimit.String(); got != want {
			t.Errorf("the limit is %q, want %q", got, want)
		}
		if o.Trial.Spec.Generator.CPULimit != limit {
			t.Error("the trial's own spec was changed")
		}
	}
}
