package lifecycle

import (
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/handover"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// End is how an attempt ends.
type End struct {
	Outcome v1alpha1.AttemptOutcome
	Reason  string
	Message string
}

// ReadCalibration reads what the pods' init containers left. Of several
// replicas the slowest counts: the load must not ask for more than it serves.
func ReadCalibration(pods []corev1.Pod) (*v1alpha1.TrialCalibration, error) {
	var slowest *calibration.Result
	for i := range pods {
		message := calibrationMessage(&pods[i])
		var result calibration.Result
		if err := json.Unmarshal([]byte(message), &result); err != nil {
			return nil, fmt.Errorf("pod %s left no calibration that can be read: %w", pods[i].Name, err)
		}
		if result.HashMicroseconds <= 0 || result.Samples <= 0 || result.GoMaxProcs <= 0 {
			return nil, fmt.Errorf("pod %s left a calibration without a hash in it", pods[i].Name)
		}
		if slowest == nil || result.HashMicroseconds > slowest.HashMicroseconds {
			slowest = &result
		}
	}
	if slowest == nil {
		return nil, errors.New("no pod of the login service was calibrated")
	}
	return inAPI(slowest), nil
}

func calibrationMessage(pod *corev1.Pod) string {
	for _, container := range pod.Status.InitContainerStatuses {
		if container.Name == objects.CalibrateContainer && container.State.Terminated != nil {
			return container.State.Terminated.Message
		}
	}
	return ""
}

// readRun reads what the generator left, or says in which way it is lost.
func readRun(pods []corev1.Pod) (measurement.Run, *End) {
	message := ""
	for i := range pods {
		if ended := generatorEnd(&pods[i]); ended != nil {
			message = ended.Message
		}
	}
	run, err := handover.Decode(message)
	var failure *handover.Failure
	switch {
	case err == nil:
		return run, nil
	case errors.As(err, &failure):
		return run, &End{Outcome: v1alpha1.OutcomeBroken, Reason: failure.Reason, Message: failure.Error()}
	case errors.Is(err, handover.ErrAbsent):
		return run, &End{Outcome: v1alpha1.OutcomeBroken, Reason: v1alpha1.ReasonSummaryLost, Message: err.Error()}
	default:
		return run, &End{Outcome: v1alpha1.OutcomeBroken, Reason: v1alpha1.ReasonSummaryGarbled, Message: err.Error()}
	}
}
