package report_test

import (
	"bytes"
	"os"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

const answeredPath = "testdata/answered.json"

// answered is the quickstart with a demand, prices and a baseline, with results computed
// by the operator's code. It is kept as a saved report, so that these tests check the texts
// of reports and not those of package sizing. -update writes it again.
func answered(t testing.TB) report.Document {
	t.Helper()
	if *update {
		saveAnswered(t)
	}
	file, err := os.Open(answeredPath)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := report.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func saveAnswered(t testing.TB) {
	document := changed(t, func(e *experiment, trials []v1alpha1.SizingTrial) {
		e.Spec.Demand = &v1alpha1.Demand{LoginsPerSecond: 5, HeadroomPercent: ptr.To[int32](30), MinimumCost: ptr.To[int32](10), MaxTotalCPU: "1", Verify: v1alpha1.VerifyReplica}
		e.Spec.Prices = &v1alpha1.Prices{Currency: "USD", PerCPUHour: "0.04", GuessesPerSecondPerGPUAtCost10: ptr.To[int64](10_000)}
		e.Spec.Baseline = "c8-1"
		conclude := func() {
			if err := sizing.Rows(e.Spec, trials, &e.Status); err != nil {
				t.Fatal(err)
			}
			if err := sizing.Conclude(e.Spec, trials, &e.Status); err != nil {
				t.Fatal(err)
			}
		}
		conclude()
		e.Status.Verifications = []v1alpha1.Verification{{
			Trial: "quickstart-c10-500m-verify-1-0a1b2", Variant: "c10-500m", Replicas: 1, DrivenReplicas: 1, OfferedMilliPerSecond: 5000,
			Outcome: v1alpha1.VerificationMet, Message: "1 replica was driven with 500 logins at 5/s, and held",
			Counts: &v1alpha1.VerificationCounts{Outcome: v1alpha1.VerificationMet, Logins: 500, Slower: 2},
		}}
		conclude()
	})
	var saved bytes.Buffer
	if err := report.JSON(&saved, document); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(answeredPath, saved.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
