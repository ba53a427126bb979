package speed

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

const (
	// calibrationSeconds is the shortest length of a usual calibration, and the most that the blocks of any represent: those
	// of a slow hash are far apart.
	calibrationSeconds = 5.0
	// batchSeconds is the length of a batch. The means of two neighbouring batches are almost
	// independent.
	batchSeconds = 10.0
	// mostQuantile is half of the widest interval in standard errors. Student's quantile is 12.7 for
	// two batches at 0.95, 12.9 for four at 0.999, and 637 for two at 0.999: that interval would be
	// several times as wide as the mean, whatever the scatter is.
	mostQuantile = 13
	// roundingSeconds is the tolerance for a sum of lengths that is not exact.
	roundingSeconds = 1e-6
	perMillion      = 1e6
)

// Window is a period with a known speed.
type Window struct {
	// Micros is the CPU time of one hash at cost 8, in microseconds.
	Micros float64
	// Seconds is the length of the window.
	Seconds float64
}

// Ratio returns the CPU time of a calibration's hash ÷ that of the reference hash, or 0 if it
// is unknown.
func Ratio(cal handover.Calibration) float64 {
	if cal.RatioPerMillion > 0 {
		return float64(cal.RatioPerMillion) / perMillion
	}
	if cal.ReferenceMicroseconds > 0 {
		return float64(cal.HashMicroseconds) / float64(cal.ReferenceMicroseconds)
	}
	return 0
}

// RatioError returns half the width of the ratio's 95 % interval, as a share of the ratio. The
// calibration has the 99.9 % interval.
func RatioError(cal handover.Calibration) float64 {
	const narrower = normal95 / 3.29 // normal quantiles of 97.5 % and 99.95 %
	if cal.RatioPerMillion <= 0 {
		return 0
	}
	return narrower * float64(cal.RatioErrorPerMillion) / float64(cal.RatioPerMillion)
}

// CalibrationSeconds returns how many seconds of the CPU's speed the blocks of a calibration represent together.
func CalibrationSeconds(cal handover.Calibration) float64 {
	if cal.LengthMilliseconds <= 0 {
		return calibrationSeconds
	}
	return min(calibrationSeconds, float64(cal.LengthMilliseconds)/1000)
}

// OfCalibration returns the windows of a calibration.
func OfCalibration(cal handover.Calibration) []Window {
	blocks := cal.BlockMicroseconds
	if len(blocks) == 0 && cal.ReferenceMicroseconds > 0 {
		blocks = []int64{cal.ReferenceMicroseconds}
	}
	var windows []Window
	for _, micros := range blocks {
		windows = append(windows, Window{Micros: float64(micros), Seconds: CalibrationSeconds(cal) / float64(len(blocks))})
	}
	return windows
}

// OfTimeline returns the windows of a load, without those that have no hash. It returns nil
// without a timeline or a ratio.
func OfTimeline(timeline *measurement.Timeline, ratio float64) []Window {
	if timeline == nil || ratio <= 0 {
		return nil
	}
	var windows []Window
	for _, nanos := range timeline.HashNanoseconds {
		if nanos > 0 {
			windows = append(windows, Window{Micros: float64(nanos) / 1000 / ratio, Seconds: timeline.Window.Seconds()})
		}
	}
	return windows
}

// OfTrial returns the windows of a trial from its status.
func OfTrial(trial *v1beta1.SizingTrial) []Window {
	cal, known := trial.Status.Calibration, trial.Status.Speed
	if cal == nil || known == nil {
		return nil
	}
	windows := OfCalibration(*cal)
	seconds := (time.Duration(known.WindowMilliseconds) * time.Millisecond).Seconds()
	for _, perMille := range known.WindowsPerMille {
		if perMille > 0 {
			windows = append(windows, Window{Micros: float64(perMille) / 1000 * float64(known.ReferenceHashMicrosecondsAtCost8), Seconds: seconds})
		}
	}
	return windows
}

// Quantile returns the time per hash that is not exceeded for a share of the time, 0 to 1. It
// returns 0 without windows.
func Quantile(windows []Window, share float64) float64 {
	if len(windows) == 0 {
		return 0
	}
	sorted := slices.SortedFunc(slices.Values(windows), func(a, b Window) int { return cmp.Compare(a.Micros, b.Micros) })
	micros, seconds := columns(sorted)
	return stat.Quantile(share, stat.Empirical, micros, seconds)
}

func columns(windows []Window) (micros, seconds []float64) {
	for _, w := range windows {
		micros, seconds = append(micros, w.Micros), append(seconds, w.Seconds)
	}
	return micros, seconds
}

// Mean returns the mean time per hash over the windows of several trials, and half the width
// of its interval at a confidence such as 0.95, from the means of batches. The width is 0 for
// a single batch, because its scatter is unknown, and at most 13 standard errors: with fewer than
// four batches, the confidence is at most 0.99.
func Mean(trials [][]Window, confidence float64) (mean, halfWidth float64) {
	micros, seconds := columns(slices.Concat(trials...))
	if len(micros) == 0 {
		return 0, 0
	}
	mean = stat.Mean(micros, seconds)
	batches := batchMeans(trials)
	n := float64(len(batches))
	if n < 2 {
		return mean, 0
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	return mean, min(student.Quantile((1+confidence)/2), mostQuantile) * stat.StdDev(batches, nil) / math.Sqrt(n)
}

// batchMeans splits each trial's windows into batches and returns their means. The rest at the
// end of a trial is another batch if it is at least half as long.
func batchMeans(trials [][]Window) []float64 {
	var means []float64
	for _, windows := range trials {
		var batch []Window
		length := 0.0
		flush := func(least float64) {
			if length+roundingSeconds >= least {
				micros, seconds := columns(batch)
				means = append(means, stat.Mean(micros, seconds))
				batch, length = nil, 0
			}
		}
		for _, w := range windows {
			batch, length = append(batch, w), length+w.Seconds
			flush(batchSeconds)
		}
		flush(batchSeconds / 2)
	}
	return means
}
