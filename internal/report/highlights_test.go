package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

func TestHighlights(t *testing.T) {
	const (
		size = "bcrypt cost 10, 500m CPU, 1 worker"
		cpu  = "for a hash of cost 8, −7 % to +9 % while measured"
	)
	for name, test := range map[string]struct {
		document report.Document
		want     []report.Highlight
	}{
		"a recommended size, and the next cost, which was predicted": {
			full(t),
			[]report.Highlight{
				{Label: "Size", Value: "1×c10-500m", Note: size},
				{Label: "Price per month", Value: "USD 14.60"},
				{Label: "p95 at 5/s", Value: "351ms", Note: "objective: p95 within 1s"},
				{Label: "Confidence", Value: "High", Note: "not verified"},
				{Label: "For cost 11", Value: "1×c11-1", Note: "1 CPU in all, fits the demand, predicted"},
				{Label: "Speed of the CPU", Value: "14.3ms", Note: cpu},
			},
		},
		"the next cost was measured and takes too much CPU": {
			changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
				asked(e)
				e.Spec.Prices = nil
				e.Status.Recommendation = recommendation()
				e.Status.Recommendation.Cost, e.Status.Recommendation.PricePerMonth = 8, ""
				for i, total := range []string{"1", "1", "1", "2500m", "1500m", "2"} {
					sizing := &v1beta1.Sizing{Replicas: int32(i), TotalCPU: total}
					if i > 2 {
						sizing.Breaks = []v1beta1.Bound{v1beta1.BoundMaxTotalCPU}
					}
					e.Status.Results[i].Sizing = sizing
				}
			}),
			[]report.Highlight{
				{Label: "Size", Value: "1×c10-500m", Note: "bcrypt cost 8, 500m CPU, 1 worker"},
				{Label: "p95 at 5/s", Value: "351ms", Note: "objective: p95 within 1s"},
				{Label: "Confidence", Value: "High", Note: "not verified"},
				{Label: "For cost 10", Value: "4×c10-500m", Note: "1500m CPU in all, too much CPU"},
			},
		},
		"no size fits": {
			changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
				asked(e)
				nearest := recommendation().Size
				nearest.Replicas, nearest.TotalCPU, nearest.PricePerMonth = 9, "4500m", "131.40"
				e.Status.Recommendation = &v1beta1.Recommendation{BrokenBound: v1beta1.BoundMaxTotalCPU, Nearest: &nearest}
			}),
			[]report.Highlight{
				{Label: "Nearest size", Value: "9×c10-500m", Note: "bcrypt cost 10, 500m CPU each, 4500m in total, 1 worker, too much CPU"},
				{Label: "Price per month", Value: "USD 131.40"},
			},
		},
		"no demand": {
			changed(t, func(e *experiment, trials []v1beta1.SizingTrial) { drifting(&e.Status, trials) }),
			[]report.Highlight{
				{Label: "Variant", Value: "c10-1", Note: "the highest measured cost that meets the objective"},
				{Label: "Capacity", Value: "16/s", Note: "15.7–16.1/s"},
				{Label: "p95 at 12.3/s", Value: "234ms", Note: "objective: p95 within 1s"},
				{Label: "Verdict", Value: "Valid"},
				{Label: "Speed of the CPU", Value: "14.3ms", Note: cpu},
			},
		},
		"only hashes that are not costs": {
			changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
				row := only(e, "c10-1")
				row.Hash.Name, row.Hash.Sessions, row.Verdict, row.Reasons = "sessions", true, v1beta1.VerdictSuspect, reasons("NoisyNeighbour")
			}),
			[]report.Highlight{
				{Label: "Variant", Value: "c10-1", Note: "meets the objective"},
				{Label: "Capacity", Value: "16/s", Note: "15.7–16.1/s"},
				{Label: "p95 at 12.3/s", Value: "234ms", Note: "objective: p95 within 1s"},
				{Label: "Verdict", Value: "Suspect", Note: "NoisyNeighbour"},
			},
		},
		"nothing meets the objective": {
			changed(t, func(e *experiment, _ []v1beta1.SizingTrial) { only(e, "c10-1").ObjectiveMet = ptr.To(false) }), nil,
		},
		"not concluded yet": {
			changed(t, func(e *experiment, _ []v1beta1.SizingTrial) { asked(e) }), nil,
		},
		"still running": {
			changed(t, func(e *experiment, _ []v1beta1.SizingTrial) { e.Status.Phase = v1beta1.ExperimentRunning }), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.document.Highlights()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
