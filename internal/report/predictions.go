package report

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

func (d Document) predictionsSection() Section {
	s := Section{
		Title:   "Predicted, not measured",
		Columns: []string{"Variant", "Hash", "Capacity", "p95", "At", "Objective", "In the matrix"},
	}
	for _, row := range d.Rows {
		if !row.Predicted {
			continue
		}
		inMatrix := ""
		if row.InMatrix {
			inMatrix = "yes"
		}
		s.Lines = append(s.Lines, []string{
			row.Result.Variant, row.HashTime(), row.Capacity(), row.P95(), row.Load(), row.Objective(), inMatrix,
		})
	}
	if check := d.Experiment.Status.ModelCheck; check != nil {
		s.Items = append(s.Items, sentence(check.Message))
		for _, held := range check.HeldOut {
			s.Items = append(s.Items, heldOutWords(held))
		}
	}
	if len(s.Lines) == 0 {
		s.Title = "Model compared with measurement"
	}
	return s
}

func heldOutWords(held v1alpha1.HeldOut) string {
	var texts []string
	if held.CapacityPerMille != nil {
		texts = append(texts, "capacity "+units.Difference(held.CapacityPerMille))
	}
	if held.P95PerMille != nil {
		texts = append(texts, "p95 "+units.Difference(held.P95PerMille))
	}
	if len(texts) == 0 {
		texts = []string{"nothing to compare"}
	}
	return fmt.Sprintf("%s, prediction relative to measurement: %s.", held.Variant, strings.Join(texts, ", "))
}
