package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

func TestRowShowsTrialOfItsP95(t *testing.T) {
	document := changed(t, func(e *experiment, trials []v1beta1.SizingTrial) {
		row := only(e, "c10-1")
		for i := range trials {
			trials[i].Spec.Variant.Name, trials[i].Spec.Repetition = "c10-1", int32(i+1)
			trials[i].Status.Result.P95Microseconds = ptr.To(int64(200_000 + i))
		}
		row.TrialName, row.P95Microseconds = trials[3].Name, ptr.To[int64](200_003)
	})
	row := document.Row("c10-1")
	if row.Shown != row.Trials[3] {
		t.Errorf("the row shows %v, want repetition 4", row.Shown.Name)
	}
	if document.Row("c99-1") != nil {
		t.Error("there is a row of a variant that does not exist")
	}
}

func TestUnusableRepetitionsDoNotCount(t *testing.T) {
	for name, spoil := range map[string]func(*v1beta1.SizingTrial){
		"without a result":        func(trial *v1beta1.SizingTrial) { trial.Status.Result = nil },
		"Invalid":                 func(trial *v1beta1.SizingTrial) { trial.Status.Result.Verdict = v1beta1.VerdictInvalid },
		"Invalid with the others": func(trial *v1beta1.SizingTrial) { trial.Status.Calibration.ReferenceMicroseconds *= 2 },
	} {
		t.Run(name, func(t *testing.T) {
			var spoiled string
			document := changed(t, func(_ *experiment, trials []v1beta1.SizingTrial) {
				spoil(&trials[0])
				spoiled = trials[0].Spec.Variant.Name
			})
			row := document.Row(spoiled)
			if len(row.Trials) != 1 || len(row.Repetitions) != 0 {
				t.Errorf("got %d trials and %d repetitions, want 1 and 0", len(row.Trials), len(row.Repetitions))
			}
		})
	}
}

func TestPredictionReplacesUnmeasuredRow(t *testing.T) {
	document := changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
		e.Status.Predictions = predictions()
		e.Status.Predictions[0].InMatrix = true
		e.Status.Results = append(e.Status.Results, v1beta1.VariantResult{Variant: "c11-1", Verdict: v1beta1.VerdictPending})
	})
	var named []string
	for _, row := range document.Rows {
		if row.Result.Variant == "c11-1" {
			named = append(named, row.Verdict())
		}
	}
	if diff := cmp.Diff([]string{"predicted"}, named); diff != "" {
		t.Errorf("the rows of c11-1 differ (-want +got):\n%s", diff)
	}
}

func TestHashTimesByCostAndNodePool(t *testing.T) {
	document := changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
		e.Status.HashTimes = []v1beta1.HashTime{
			{NodePool: "large", Hash: v1beta1.BcryptHash(10), HashMicroseconds: 50_000, ErrorMicroseconds: 100},
			{NodePool: "small", Hash: v1beta1.BcryptHash(8), HashMicroseconds: 20_000},
			{NodePool: "small", Hash: v1beta1.BcryptHash(10), HashMicroseconds: 80_000},
			{NodePool: "small", Hash: v1beta1.Hash{Name: "argon2id", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}}, HashMicroseconds: 30_000},
		}
	})
	times := section(t, document, "Hash time")
	got := append([][]string{times.Columns}, times.Lines...)
	want := [][]string{
		{"Hash", "large", "small"},
		{"cost 8", "", "20ms ± 0µs"},
		{"cost 10", "50ms ± 100µs", "80ms ± 0µs"},
		{"argon2id", "", "30ms ± 0µs"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table differs (-want +got):\n%s", diff)
	}
}

func TestTheCostLineOfAUsersServiceIsThatOfALogin(t *testing.T) {
	document := changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
		e.Spec.Service.Own = &v1beta1.OwnService{}
		e.Status.CostFits = []v1beta1.CostFit{{ConstantNanoseconds: 5_723_000, RoundNanoseconds: 60_900}}
	})
	if diff := cmp.Diff([]string{"A login takes 5.72ms + 2^cost × 60.9µs."}, section(t, document, "Hash time").Items); diff != "" {
		t.Errorf("the line differs (-want +got):\n%s", diff)
	}
}

func TestManifestRepeatsExperiment(t *testing.T) {
	document := changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
		e.Spec.Cancel, e.Spec.Suspend, e.Spec.TTLSecondsAfterFinished = ptr.To(true), ptr.To(true), ptr.To[int32](60)
	})
	want := document.Experiment.Spec.DeepCopy()
	want.Seed, want.Cancel, want.Suspend, want.TTLSecondsAfterFinished = document.Experiment.Status.Seed, nil, nil, nil
	again := decoded(t, document.Method.Manifest)
	if diff := cmp.Diff(*want, again.Spec); diff != "" {
		t.Errorf("the question differs (-want +got):\n%s", diff)
	}
	if again.Kind != "SizingExperiment" || again.Name != "quickstart" || again.UID != "" {
		t.Errorf("the manifest is %s %s of %s, want one that can be applied again", again.Kind, again.Name, again.UID)
	}
}

func TestMethodFacts(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*experiment)
		label  string
		want   string
	}{
		"rates": {func(e *experiment) {
			e.Spec.Load.Capacity, e.Spec.Load.Rates = nil, &v1beta1.RatesLoad{Arrivals: ptr.To(v1beta1.ArrivalsUniform)}
		}, "Load", "0 rates, evenly spaced arrivals, 10 s each, 5 s of warm-up"},
		"users": {func(e *experiment) {
			e.Spec.Load.Capacity, e.Spec.Load.Users = nil, &v1beta1.UsersLoad{Counts: []int32{1, 2}}
		}, "Load", "2 user counts, 10 s each, 5 s of warm-up"},
		"TLS": {func(e *experiment) {
			e.Spec.Service.Replicas, e.Spec.Service.Builtin = 3, &v1beta1.Builtin{TLS: &v1beta1.TLS{Handshakes: v1beta1.HandshakesEachLogin}}
		}, "Service", "3 replicas behind one Service, TLS with a handshake for each login"},
		"TLS behind a proxy": {func(e *experiment) {
			e.Spec.Service.Builtin = &v1beta1.Builtin{TLS: &v1beta1.TLS{Handshakes: v1beta1.HandshakesEachCaller}}
		}, "Service", "TLS with a handshake for each caller"},
		"several replicas": {func(e *experiment) { e.Spec.Service.Replicas = 3 }, "Service", "3 replicas behind one Service"},
		"one is no news":   {func(*experiment) {}, "Service", ""},
		"the seed":         {func(*experiment) {}, "Seed", "2265344762"},
		"k6's version":     {func(*experiment) {}, report.FactK6, "v1.8.1"},
	} {
		t.Run(name, func(t *testing.T) {
			document := changed(t, func(e *experiment, _ []v1beta1.SizingTrial) { test.change(e) })
			got := ""
			for _, fact := range document.Method.Facts {
				if fact.Label == test.label {
					got = fact.Value
				}
			}
			if got != test.want {
				t.Errorf("%s is %q, want %q", test.label, got, test.want)
			}
		})
	}
}

func TestFindingIsNotAReasonOfVerdict(t *testing.T) {
	document := changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
		row := only(e, "c10-1")
		row.Verdict = v1beta1.VerdictInvalid
		row.Reasons = []v1beta1.Reason{
			{Type: v1beta1.ReasonNoisyNeighbour, Verdict: v1beta1.VerdictInvalid, Message: "Others used the CPU"},
			{Type: v1beta1.ReasonLivenessFails, Message: "A pod did not answer"},
		}
	})
	got := section(t, document, "Reasons for the verdicts").Items[:2]
	want := []string{"c10-1 is invalid. NoisyNeighbour: Others used the CPU.", "c10-1: LivenessFails: A pod did not answer."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the reasons (-want +got):\n%s", diff)
	}
}
