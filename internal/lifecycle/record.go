package lifecycle

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// RecordCalibration writes into the status what the load depends on: the calibration, the
// speed that the load is planned for, what the model predicts at that speed, and the pods. The
// speed and the prediction are stored, because the model and the experiment's reference speed may
// have changed when the load is judged. It fails if a calibration can't be read.
func RecordCalibration(o *Observation, m Model) error {
	read, err := ReadCalibration(o.Children.ServicePods, o.withSecret() != nil)
	if err != nil {
		return err
	}
	status, attempt := &o.Trial.Status, o.attempt()
	status.Calibration = read
	status.Speed = plannedSpeed(*read, o.Reference)
	status.Prediction = m.Predict(o.Trial.Spec, speed.PlannedFor(*status))
	attempt.CalibrationStartTime, attempt.CalibrationEndTime = calibrationTimes(o.Children.ServicePods)
	attempt.ServicePodUIDs = nil
	for i := range o.Children.ServicePods {
		attempt.ServicePodUIDs = append(attempt.ServicePodUIDs, o.Children.ServicePods[i].UID)
	}
	return nil
}

// plannedSpeed returns the speed that is known before the load, or nil if the calibration has
// no reference hash.
func plannedSpeed(cal handover.Calibration, known int64) *v1beta1.TrialSpeed {
	planned := speed.Planned(cal, known)
	if planned <= 0 {
		return nil
	}
	return &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: planned, PlannedHashMicrosecondsAtCost8: planned}
}

// calibrationTimes returns when the first pod began to calibrate and when the last one ended.
func calibrationTimes(pods []corev1.Pod) (begun, ended *metav1.Time) {
	for i := range pods {
		done := calibrationOf(&pods[i]).Terminated
		if done == nil {
			continue
		}
		if begun == nil || done.StartedAt.Before(begun) {
			begun = done.StartedAt.DeepCopy()
		}
		if ended == nil || ended.Before(&done.FinishedAt) {
			ended = done.FinishedAt.DeepCopy()
		}
	}
	return begun, ended
}

// infeasible reports whether no rate can meet the objective. This applies only to mode
// Capacity, which searches for a rate.
func infeasible(trial *v1beta1.SizingTrial) bool {
	return trial.Spec.Load.Mode() == v1beta1.LoadCapacity && model.Infeasible(trial.Spec, trial.Status.Prediction)
}

// ConcludeUnloaded judges a variant by its calibration alone, because it can't meet the objective at
// any rate or because only its hashes are timed, and writes the result into the trial's status. A
// calibration of other pods than the planned ones is no result.
func ConcludeUnloaded(o *Observation) End {
	if differences := alteredService(o); len(differences) > 0 {
		return End{
			Outcome: v1beta1.OutcomeBroken, Reason: v1beta1.ReasonPodAltered,
			Message: "The pods that were calibrated differ from the planned pods: " + strings.Join(differences, "; "),
		}
	}
	status := &o.Trial.Status
	if o.Trial.Spec.Role == v1beta1.RoleCalibration {
		keep(o, verdict.Calibrated(o.Trial.Spec, speed.PlannedFor(*status), float64(o.Reference)))
		return End{Outcome: v1beta1.OutcomeKept, Reason: v1beta1.ReasonMeasured, Message: "The hashes were timed"}
	}
	judged := verdict.Unloaded(o.Trial.Spec, speed.PlannedFor(*status), status.Prediction, float64(o.Reference))
	keep(o, judged)
	end := End{Outcome: v1beta1.OutcomeKept, Reason: v1beta1.ReasonInfeasible, Message: "No rate can meet the objective; no load was run"}
	if len(judged.Result.Reasons) > 0 {
		end.Message = judged.Result.Reasons[0].Message
	}
	return end
}

// LoadSpec returns the trial's spec with the generator's CPU limit filled in. The load is
// planned from this spec.
func (o *Observation) LoadSpec() v1beta1.SizingTrialSpec {
	spec := *o.Trial.Spec.DeepCopy()
	if spec.Generator.CPULimit == nil {
		spec.Generator.CPULimit = ptr.To(intstr.Parse(o.GeneratorCPULimit))
	}
	return spec
}
