package report_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

type experiment = v1beta1.SizingExperiment

func TestAnswerOfEachState(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*experiment)
		want   string
		met    bool
	}{
		"the highest cost that met the objective": {
			func(*experiment) {},
			"Bcrypt cost 10 is the highest measured cost that meets the objective (p95 within 1s): c10-1 up to 16/s.", true,
		},
		"a suspect one, with why": {
			func(e *experiment) {
				row := only(e, "c10-1")
				row.Verdict, row.Reasons = v1beta1.VerdictSuspect, append(reasons("NoisyNeighbour"), v1beta1.Reason{Type: "UsersDistinguishable"})
			},
			"Bcrypt cost 10 is the highest measured cost that meets the objective (p95 within 1s): c10-1 up to 16/s. The result is suspect: NoisyNeighbour.", true,
		},
		"a predicted capacity": {
			func(e *experiment) { only(e, "c10-1").CapacityMethod = v1beta1.CapacityPredicted },
			"Bcrypt cost 10 is the highest measured cost that meets the objective (p95 within 1s): c10-1 up to about 16/s.", true,
		},
		"a capacity that may be greater": {
			func(e *experiment) { only(e, "c10-1").CapacityIsLowerBound = ptr.To(true) },
			"Bcrypt cost 10 is the highest measured cost that meets the objective (p95 within 1s): c10-1 up to at least 16/s.", true,
		},
		"no variant that does": {
			func(e *experiment) { only(e, "c10-1").ObjectiveMet = ptr.To(false) },
			"No variant meets the objective (p95 within 1s) at any rate.", false,
		},
		"another hash, where no cost was measured": {
			func(e *experiment) {
				only(e, "c10-1").Hash = v1beta1.Hash{Name: "sessions", Bcrypt: &v1beta1.Bcrypt{Cost: 10}, Sessions: true}
			},
			"Hash sessions meets the objective (p95 within 1s): c10-1 up to 16/s.", true,
		},
		"never another hash where costs were measured": {
			func(e *experiment) {
				e.Status.Results[5].Hash = v1beta1.Hash{Name: "sessions", Bcrypt: &v1beta1.Bcrypt{Cost: 10}, Sessions: true}
			},
			"Bcrypt cost 10 is the highest measured cost that meets the objective (p95 within 1s): c10-500m up to 7.42/s.", true,
		},
		"what is recommended": {
			func(e *experiment) {
				asked(e)
				e.Status.Recommendation = recommendation()
				e.Status.Recommendation.Verified = v1beta1.VerificationMet
			},
			"Run 1 replica of c10-500m (bcrypt cost 10, 500m CPU, 1 worker): it serves 5 logins/s with 30 % headroom, p95 at 5/s about 351ms (objective: 1s), for USD 14.60 per month. Confidence: high, verified.", true,
		},
		"several replicas": {
			func(e *experiment) { asked(e); e.Status.Recommendation = several() },
			"Run 3 replicas of c12-1-u-small (bcrypt cost 12, 1 CPU each, 3 in total, unbounded concurrency, node pool small, predicted, not measured): they serve 5 logins/s with 30 % headroom. Confidence: medium, not verified.", true,
		},
		"one login a second": {
			func(e *experiment) {
				asked(e)
				e.Spec.Demand.LoginsPerSecond = intstr.FromInt32(1)
				e.Status.Recommendation = several()
			},
			"Run 3 replicas of c12-1-u-small (bcrypt cost 12, 1 CPU each, 3 in total, unbounded concurrency, node pool small, predicted, not measured): they serve 1 login/s with 30 % headroom. Confidence: medium, not verified.", true,
		},
		"that nothing is recommended": {
			func(e *experiment) {
				asked(e)
				e.Status.Recommendation = &v1beta1.Recommendation{
					Reason: "No size serves 5/s", BrokenBound: v1beta1.BoundMaxTotalCPU, Nearest: &v1beta1.Size{Variant: "c10-1", Replicas: 9, TotalCPU: "9"},
				}
			},
			"No size serves 5/s.", false,
		},
		"how far it has come": {
			func(e *experiment) {
				e.Status.Phase, e.Status.Results = v1beta1.ExperimentRunning, nil
				e.Status.Progress = &v1beta1.Progress{Trials: 6, Finished: 2, Running: []string{"c10-1"}, EstimatedEndTime: &metav1.Time{Time: time.Unix(1_795_000_000, 0)}}
			},
			"Running: 2 of 6 trials done, now c10-1, expected to finish at 2026-11-18 11:06:40 UTC. No results yet.", false,
		},
		"what is known so far": {
			func(e *experiment) {
				e.Status.Phase, e.Status.Progress = v1beta1.ExperimentSuspended, &v1beta1.Progress{Trials: 6, Finished: 2}
				only(e, "c8-1")
			},
			"Suspended after 2 of 6 trials. So far: Bcrypt cost 8 is the highest measured cost that meets the objective (p95 within 1s): c8-1 up to about 68.1/s.", true,
		},
		"where it waits": {
			func(e *experiment) {
				e.Status.Phase, e.Status.Results = v1beta1.ExperimentQueued, nil
				e.Status.Progress = &v1beta1.Progress{Trials: 6, QueuePosition: ptr.To[int32](2)}
			},
			"Queued at position 2 after 0 of 6 trials. No results yet.", false,
		},
		"that it has not begun": {
			func(e *experiment) { e.Status = v1beta1.SizingExperimentStatus{} },
			"Not started yet. No results yet.", false,
		},
		"why it failed": {
			func(e *experiment) {
				e.Status.Phase, e.Status.Results = v1beta1.ExperimentFailed, nil
				e.Status.Conditions = conditions(v1beta1.ConditionFinished, metav1.ConditionTrue, "No variant has a usable result: SummaryLost")
			},
			"The experiment failed. No variant has a usable result: SummaryLost.", false,
		},
		"why it was refused": {
			func(e *experiment) {
				e.Status = v1beta1.SizingExperimentStatus{Conditions: conditions(v1beta1.ConditionAccepted, metav1.ConditionFalse, "two variants resolve to c8-1")}
			},
			"The experiment is invalid: two variants resolve to c8-1.", false,
		},
		"that it was cancelled, and what there is": {
			func(e *experiment) {
				e.Status.Phase, e.Status.Progress = v1beta1.ExperimentCancelled, &v1beta1.Progress{Trials: 6, Finished: 1}
				only(e, "c8-1")
			},
			"Cancelled after 1 of 6 trials. Bcrypt cost 8 is the highest measured cost that meets the objective (p95 within 1s): c8-1 up to about 68.1/s.", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			document := changed(t, func(e *experiment, _ []v1beta1.SizingTrial) { test.change(e) })
			if got := document.Answer(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if document.Met() != test.met {
				t.Errorf("the objective can be met: %v, want %v", document.Met(), test.met)
			}
			for ending, format := range formats {
				if written(t, format, document) == "" {
					t.Errorf("%s is empty", ending)
				}
			}
		})
	}
}

func TestAnswerNamesUsersInModeUsers(t *testing.T) {
	document := changed(t, func(e *experiment, trials []v1beta1.SizingTrial) {
		e.Spec.Load.Capacity, e.Spec.Load.Users = nil, &v1beta1.UsersLoad{}
		row := only(e, "c10-1")
		row.CapacityMilliPerSecond, row.OfferedMilliPerSecond, row.Users = nil, nil, ptr.To[int32](15)
		for i := range trials {
			trials[i].Status.Steps = []v1beta1.Step{
				{Kind: v1beta1.StepClosed, Outcome: v1beta1.StepMet, Users: ptr.To[int32](15)},
				{Kind: v1beta1.StepClosed, Outcome: v1beta1.StepMet, Users: ptr.To[int32](30)},
				{Kind: v1beta1.StepClosed, Outcome: v1beta1.StepFailed, Users: ptr.To[int32](90)},
			}
		}
	})
	if got, want := document.Answer(), "Bcrypt cost 10 is the highest measured cost that meets the objective (p95 within 1s): c10-1 with 30 users."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := document.Row("c10-1").Load(); got != "15 users" {
		t.Errorf("p95 is at %s, want 15 users", got)
	}
}

// only leaves the experiment a single row.
func only(e *experiment, variant string) *v1beta1.VariantResult {
	for _, row := range e.Status.Results {
		if row.Variant == variant {
			e.Status.Results = []v1beta1.VariantResult{row}
		}
	}
	return &e.Status.Results[0]
}

func asked(e *experiment) {
	e.Spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), HeadroomPercent: ptr.To[int32](30)}
	e.Spec.Prices = &v1beta1.Prices{Currency: "USD"}
}

func several() *v1beta1.Recommendation {
	return &v1beta1.Recommendation{
		Size: v1beta1.Size{
			Variant: "c12-1-u-small", Cost: 12, CPULimit: "1", Replicas: 3, TotalCPU: "3", NodePool: "small", Predicted: true,
			Concurrency: &v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded},
		},
		Confidence: v1beta1.ConfidenceMedium, Reason: "predicted",
	}
}

func reasons(kind string) []v1beta1.Reason {
	return []v1beta1.Reason{{Type: kind, Verdict: v1beta1.VerdictSuspect}}
}

func conditions(kind string, status metav1.ConditionStatus, message string) []metav1.Condition {
	return []metav1.Condition{{Type: kind, Status: status, Message: message}}
}

// A size whose pods kubelet would restart is told so where it is recommended, and not only below the table.
func TestWhyNamesTheFindingsOfTheRecommendedSize(t *testing.T) {
	document := full(t)
	for i := range document.Experiment.Status.Results {
		row := &document.Experiment.Status.Results[i]
		row.Reasons = []v1beta1.Reason{
			{Type: v1beta1.ReasonLivenessFails, Message: "A pod of " + row.Variant + " did not answer"},
			{Type: v1beta1.ReasonNotSteady, Verdict: v1beta1.VerdictSuspect, Message: "It was too short"},
		}
	}
	why := document.Sections()[0]
	if got, want := why.Items[0], "LivenessFails: A pod of c10-500m did not answer."; got != want || len(why.Items) != 3 {
		t.Errorf("the items are %q, want %q and the two others", why.Items, want)
	}
}
