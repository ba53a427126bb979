package lifecycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// calibratedPod left its calibration between two moments of the attempt.
func calibratedPod(uid types.UID, micros string, from, to time.Duration) corev1.Pod {
	pod := loginPod()
	pod.UID = uid
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{
		Name: objects.CalibrateContainer,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			StartedAt: metav1.NewTime(start.Add(from)), FinishedAt: metav1.NewTime(start.Add(to)),
			Message: `{"hashMicroseconds":` + micros + `,"samples":50,"goMaxProcs":1}`,
		}},
	}}
	return pod
}

func TestWhatTheLoadWillMeetIsRecorded(t *testing.T) {
	o := world(beforeRecord, func(o *Observation) {
		o.Children.ServicePods = []corev1.Pod{
			calibratedPod("a", "20000", 3*time.Second, 9*time.Second),
			calibratedPod("b", "21000", 2*time.Second, 8*time.Second),
		}
	})
	o.Oracle.Expect = func(_ v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration) *v1alpha1.Prediction {
		return &v1alpha1.Prediction{NoLoadP95Microseconds: cal.HashMicroseconds}
	}
	if err := RecordCalibration(o); err != nil {
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
	if err := RecordCalibration(o); err == nil || o.Trial.Status.Calibration != nil || len(o.Trial.Status.Attempts[0].ServicePodUIDs) > 0 {
		t.Errorf("error %v; recorded: %+v", err, o.Trial.Status)
	}
}

func TestTheGeneratorsLimitIsTheJobsThenTheTrialsThenTheOperators(t *testing.T) {
	job := &batchv1.Job{}
	job.Spec.Template.Spec.Containers = []corev1.Container{{
		Name:      objects.GeneratorContainer,
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("750m")}},
	}}
	for _, tt := range []struct {
		name, own string
		job       *batchv1.Job
		want      string
	}{
		{"a trial that names none has the operator's", "", nil, "500m"},
		{"a trial's own goes before", "250m", nil, "250m"},
		{"a Job that was made under other flags keeps its own", "", job, "750m"},
		{"a Job that says nothing changes nothing", "", &batchv1.Job{}, "500m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := world(func(o *Observation) {
				o.GeneratorCPULimit, o.Trial.Spec.Generator.CPULimit, o.Children.Job = "500m", tt.own, tt.job
			})
			if got := o.LoadSpec().Generator.CPULimit; got != tt.want {
				t.Errorf("the limit is %q, want %q", got, tt.want)
			}
			if o.Trial.Spec.Generator.CPULimit != tt.own {
				t.Error("the trial's own spec was changed")
			}
		})
	}
}
