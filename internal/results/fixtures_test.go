package results_test

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func aVariant(name string, cost int32) v1beta1.Variant {
	return v1beta1.Variant{
		Name: name, Hash: v1beta1.BcryptHash(cost), CPULimit: "1",
		Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)},
	}
}

// aTrial returns a trial of a variant at cost 8 that waits for its turn.
func aTrial(variant string, changes ...func(*v1beta1.SizingTrial)) v1beta1.SizingTrial {
	trial := v1beta1.SizingTrial{Spec: v1beta1.SizingTrialSpec{
		Variant: aVariant(variant, 8), Repetition: 1, Suspend: true, Service: v1beta1.Service{Replicas: 1},
		Load: v1beta1.Load{StepSeconds: 10, WarmupSeconds: ptr.To[int32](5), RequestTimeoutSeconds: 10},
	}}
	for _, change := range changes {
		change(&trial)
	}
	return trial
}

// began gives a trial its turn, so long before noon.
func began(before time.Duration) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		t.Spec.Suspend = false
		t.Status.Phase, t.Status.Message = v1beta1.TrialRunning, "k6 drives the service"
		t.Status.StartTime = &metav1.Time{Time: noon.Add(-before)}
	}
}

// again adds an attempt that began so long before noon.
func again(before time.Duration) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		t.Status.Attempts = append(t.Status.Attempts, v1beta1.Attempt{StartTime: metav1.NewTime(noon.Add(-before))})
	}
}

// ended makes a trial end after so long, with everything deleted.
func ended(took time.Duration) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		began(took)(t)
		t.Status.Phase = v1beta1.TrialSucceeded
		t.Status.CompletionTime = &metav1.Time{Time: noon}
		meta.SetStatusCondition(&t.Status.Conditions, metav1.Condition{Type: v1beta1.ConditionReleased, Status: metav1.ConditionTrue, Reason: "Measured"})
	}
}

func failed(reason, message string) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		ended(time.Minute)(t)
		t.Status.Phase, t.Status.Reason, t.Status.Message = v1beta1.TrialFailed, reason, message
	}
}

func measured(result v1beta1.VariantResult) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		ended(time.Minute)(t)
		result.Variant, result.Trials = t.Spec.Variant.Name, 1
		t.Status.Result = &result
	}
}

// found returns a Valid result with a p95 in milliseconds and a capacity in logins per
// second. 0 means absent.
func found(p95, capacity int64) v1beta1.VariantResult {
	result := v1beta1.VariantResult{
		Verdict: v1beta1.VerdictValid, ObjectiveMet: ptr.To(capacity > 0), BoundMilliPerSecond: ptr.To[int64](25_000),
		Calibration: &handover.CalibrationResult{HashMicroseconds: 20_000 + p95, ErrorMicroseconds: p95},
	}
	if p95 > 0 {
		result.P95Microseconds = ptr.To(p95 * 1000)
		result.P95Interval = &handover.Interval{LowMicroseconds: p95 * 900, HighMicroseconds: p95 * 1100}
	}
	if capacity > 0 {
		result.CapacityMilliPerSecond = ptr.To(capacity * 1000)
	}
	return result
}

func judged(result v1beta1.VariantResult, verdict v1beta1.Verdict, reasons ...v1beta1.Reason) v1beta1.VariantResult {
	result.Verdict, result.Reasons = verdict, reasons
	return result
}
