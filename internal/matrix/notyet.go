package matrix

import "github.com/hashmark-dev/hashmark/api/v1alpha1"

// NotYetActedOn names the given fields that this version stores and does
// nothing with, as paths under spec, so that the experiment can say so:
// nothing that a user writes is silently ignored.
func NotYetActedOn(spec v1alpha1.SizingExperimentSpec) []string {
	var fields []string
	if spec.Demand != nil {
		fields = append(fields, "demand")
	}
	if spec.Prices != nil {
		fields = append(fields, "prices")
	}
	if spec.Baseline != "" && spec.Repetitions < 2 {
		// With more, each row is compared with it.
		fields = append(fields, "baseline")
	}
	for _, pool := range spec.Matrix.NodePools {
		if pool.PerCPUHour != "" {
			// Once is enough: what is said of one pool's price holds for all.
			return append(fields, "matrix.nodePools[].perCPUHour")
		}
	}
	return fields
}
