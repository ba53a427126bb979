package verdict

import (
	"math"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// setReference sets the speed that the trial's numbers are converted to: the reference of the node
// pool, or the median over the trial's own windows, which becomes the reference.
func (t *trial) setReference() {
	ratio := speed.Ratio(t.Calibration)
	t.windows = speed.OfCalibration(t.Calibration)
	if t.timed() {
		t.windows = append(t.windows, speed.OfTimeline(t.idleTimeline(), ratio)...)
	}
	t.reference = t.Input.Reference
	if t.reference <= 0 {
		t.reference = math.Round(speed.Quantile(t.windows, 0.5))
	}
	t.hash = ratio * t.reference
	t.calibration = speed.At(t.Calibration, t.reference)
	t.bound = loadplan.BoundMilliPerSecond(t.Spec.Service.Replicas, t.Spec.Variant, speed.At(t.Calibration, t.reference*t.load.at(1)))
	t.rescale = 1
	if t.planned(v1beta1.PurposeMaximum) && t.planned(v1beta1.PurposeCapacity) && t.PlannedMicros > 0 && t.reference > 0 {
		t.rescale = t.PlannedMicros / t.reference
	}
}

// idleTimeline returns the hash times of the load as they would have been on an idle service: how much the load of each
// step made them longer is divided out. What is before the first step counts as part of it.
func (t *trial) idleTimeline() *measurement.Timeline {
	timeline, planned := t.Run.Timeline, t.Plan.WithoutWarmup()
	if timeline == nil || t.load.slope <= 0 {
		return timeline
	}
	idle := &measurement.Timeline{Window: timeline.Window, HashNanoseconds: slices.Clone(timeline.HashNanoseconds)}
	step := 0
	for place, nanos := range idle.HashNanoseconds {
		middle := (time.Duration(place)*timeline.Window + timeline.Window/2).Milliseconds()
		for step+1 < min(len(planned), len(t.Run.Steps)) && middle >= planned[step+1].StartMilliseconds {
			step++
		}
		if step < len(t.Run.Steps) {
			idle.HashNanoseconds[place] = int64(math.Round(float64(nanos) / t.load.at(t.busy(t.Run.Steps[step]))))
		}
	}
	return idle
}

// timed reports whether the windows of the load show the speed of the CPU. The time of a shorter hash is that
// of everything around it.
func (t *trial) timed() bool { return t.Calibration.HashMicroseconds >= shortestTimed.Microseconds() }

// hashes reports whether the hash time determines what a variant can serve.
func (t *trial) hashes() bool {
	return !t.Spec.Variant.Hash.Sessions && (t.hash == 0 || t.hash >= float64(shortestTimed.Microseconds()))
}

func (t *trial) setSpeed(s *step) {
	s.slower = 1
	if !t.hashes() {
		return
	}
	s.hash = t.hashTime(s.result)
	s.slower = 0
	if s.hash > 0 && t.hash > 0 {
		s.slower = s.hash / (t.hash * t.load.at(t.busy(s.result)))
	}
	s.course = courseOf(t.Run.Timeline, s)
}

// hashTime returns the mean CPU time of a hash in a step, in microseconds; 0 if it is unknown. The service times
// hashes by the clock of their thread. For a hash with several threads, it is the CPU time of a login.
func (t *trial) hashTime(result measurement.StepResult) float64 {
	if matrix.Recipe(t.Spec.Variant).MemoryHard() {
		return float64(cpuPerLogin(result).Microseconds())
	}
	if result.Service == nil || result.Service.TimedHashes < hashesForSpeed {
		return 0
	}
	return float64(result.Service.HashMicroseconds) / float64(result.Service.TimedHashes)
}

// factor returns the hash time ÷ that at the reference speed, or 1 if it is unknown.
func (s *step) factor() float64 {
	if s.slower <= 0 {
		return 1
	}
	return s.slower
}

// rateAtReference returns the rate that is the same share of the bound at the reference speed as the
// step's rate was at its own speed, times 1000.
func (s *step) rateAtReference() float64 { return float64(s.OfferedMilliPerSecond) * s.factor() }

// courseOf returns how the speed changed from the start of the step, relative to its counted part; nil if
// that is unknown. A window without a hash has the speed of the one before.
func courseOf(timeline *measurement.Timeline, s *step) *model.Course {
	if timeline == nil || timeline.Window <= 0 || s.hash <= 0 {
		return nil
	}
	start, end := time.Duration(s.StartMilliseconds)*time.Millisecond, time.Duration(s.EndMilliseconds())*time.Millisecond
	first := int(start / timeline.Window)
	course := &model.Course{Every: timeline.Window, Begun: start - time.Duration(first)*timeline.Window}
	last := 1.0
	for place := first; place < len(timeline.HashNanoseconds) && time.Duration(place)*timeline.Window < end; place++ {
		if nanos := timeline.HashNanoseconds[place]; nanos > 0 {
			last = float64(nanos) / 1000 / s.hash
		}
		course.Factors = append(course.Factors, last)
	}
	if len(course.Factors) == 0 {
		return nil
	}
	return course
}

// varies reports whether the speed changed enough to need another simulation.
func varies(course *model.Course) bool {
	return course != nil && slices.Max(course.Factors) > steadyWithin*slices.Min(course.Factors)
}

// atNominal returns the step as it would have been planned for the reference speed: the same logins, at the
// same share of the bound.
func (s *step) atNominal() loadplan.Step {
	planned := s.Step
	if s.nominal == s.OfferedMilliPerSecond || s.nominal <= 0 {
		return planned
	}
	longer := float64(s.OfferedMilliPerSecond) / float64(s.nominal)
	planned.SettleMilliseconds = int64(math.Round(longer * float64(planned.SettleMilliseconds)))
	planned.CountedMilliseconds = int64(math.Round(longer * float64(planned.CountedMilliseconds)))
	planned.OfferedMilliPerSecond = s.nominal
	return planned
}

func (t *trial) speedStatus() *v1beta1.TrialSpeed {
	if t.reference <= 0 {
		return nil
	}
	status := &v1beta1.TrialSpeed{
		ReferenceHashMicrosecondsAtCost8: max(1, int64(math.Round(t.reference))),
		PlannedHashMicrosecondsAtCost8:   int64(math.Round(t.PlannedMicros)),
		HashMicrosecondsAtCost8:          int64(math.Round(speed.Quantile(t.windows, 0.5))),
		IdleHashMicroseconds:             int64(math.Round(float64(t.Run.IdleHashNanoseconds) / 1000)),
	}
	if row := t.rowSpeed(); row != nil {
		status.LowPerMille, status.HighPerMille = row.LowPerMille, row.HighPerMille
	}
	if t.load.slope > 0 {
		status.UnderLoad = &v1beta1.SlowerUnderLoad{
			PerMille: int64(math.Round(1000 * t.load.at(1))), ErrorPerMille: int64(math.Ceil(1000 * t.load.error)),
		}
	}
	if timeline := t.idleTimeline(); timeline != nil && t.timed() && t.hash > 0 {
		status.WindowMilliseconds = timeline.Window.Milliseconds()
		for _, nanos := range timeline.HashNanoseconds {
			status.WindowsPerMille = append(status.WindowsPerMille, int32(math.Round(float64(nanos)/t.hash)))
		}
	}
	return status
}

func (t *trial) rowSpeed() *v1beta1.RowSpeed {
	if len(t.windows) == 0 || t.reference <= 0 {
		return nil
	}
	at := func(share float64) int64 {
		return int64(math.Round(1000 * speed.Quantile(t.windows, share) / t.reference))
	}
	return &v1beta1.RowSpeed{LowPerMille: at(0.1), MedianPerMille: at(0.5), HighPerMille: at(0.9)}
}
