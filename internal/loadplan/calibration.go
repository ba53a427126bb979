package loadplan

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
)

// Calibration converts a calibration to the form that a trial's status holds, and that plans are made from.
func Calibration(r *calibration.Result) *v1alpha1.TrialCalibration {
	return &v1alpha1.TrialCalibration{
		CalibrationResult: v1alpha1.CalibrationResult{
			HashMicroseconds: r.HashMicroseconds, ErrorMicroseconds: r.ErrorMicroseconds,
			Samples: r.Samples, ClockHashesMilliPerSecond: r.ClockHashesMilliPerSecond,
		},
		MedianMicroseconds: r.MedianMicroseconds, ReferenceMicroseconds: r.ReferenceMicroseconds,
		RatioPerMillion: r.RatioPerMillion, RatioErrorPerMillion: r.RatioErrorPerMillion, BlockMicroseconds: r.BlockMicroseconds,
		UnknownUserPerMille: r.UnknownUserPerMille, ScaledFromCost: r.ScaledFromCost, GoMaxProcs: r.GoMaxProcs, Cpuset: r.Cpuset, QuotaMilliCPU: r.QuotaMilliCPU,
		QuotaPeriodMicroseconds: r.QuotaPeriodMicroseconds, QuotaBurstMicroseconds: r.QuotaBurstMicroseconds,
		CPUModel: r.CPUModel, CgroupVersion: r.CgroupVersion, BootID: r.BootID, GoVersion: r.GoVersion,
	}
}
