package calibration

import "math"

// steadyShare is how much the reference may differ before and after a block. Drift changes
// it by a few percent. With a larger difference the speed jumped, and it is unknown on
// which side of the jump the subject was.
const steadyShare = 0.1

// itself is the ratio of the reference hash to itself.
var itself = Statistics{Mean: 1, Median: 1, Samples: 1}

// alone times the reference hash.
func (c Calibrator) alone(reference *stopwatch) (Timing, error) {
	if err := reference.until(max(c.Limits.Least, c.Limits.Reference), max(c.Limits.LeastSamples, referenceSamples)); err != nil {
		return Timing{}, err
	}
	timing := Timing{
		Cost: c.ReferenceCost, TimedCost: c.ReferenceCost,
		Ratio: itself, Blocks: reference.blocks, Samples: reference.samples, Length: reference.spent,
	}
	timing.CPU, timing.Wall = summarise(reference.samples)
	timing.Reference = timing.CPU
	return timing, nil
}

// alternate times blocks of the subject and of the reference alternately, beginning and
// ending with the reference, until both are done. Each block of the subject is compared
// with the reference blocks just before and after it: the speed of the CPU changes little
// in between, and a steady change cancels out.
func (c Calibrator) alternate(subject, reference *stopwatch) (Timing, error) {
	before, err := reference.block()
	if err != nil {
		return Timing{}, err
	}
	var compared []comparison
	for !subject.done(c.Limits.Least, c.Limits.LeastSamples) {
		own, err := subject.block()
		if err != nil {
			return Timing{}, err
		}
		after, err := reference.block()
		if err != nil {
			return Timing{}, err
		}
		compared = append(compared, comparison{subject: own, before: before, after: after})
		before = after
	}
	if err := reference.until(c.Limits.Reference, referenceSamples); err != nil {
		return Timing{}, err
	}
	timing := Timing{Ratio: ratioOf(compared), Blocks: reference.blocks, Samples: subject.samples, Length: subject.spent + reference.spent}
	timing.CPU, timing.Wall = summarise(subject.samples)
	timing.Reference, _ = summarise(reference.samples)
	return timing, nil
}

// comparison is a block of the subject between two of the reference: the mean CPU time of a hash
// in each, in seconds.
type comparison struct{ subject, before, after float64 }

func (t comparison) ratio() float64 { return 2 * t.subject / (t.before + t.after) }

func (t comparison) steady() bool {
	return math.Abs(t.after-t.before) <= steadyShare*(t.after+t.before)/2
}

// ratioOf ignores comparisons in which the speed jumped, unless they are the majority. Only
// the reference decides about that, so that the mean is not biased.
func ratioOf(compared []comparison) Statistics {
	var all, steady []float64
	for _, t := range compared {
		all = append(all, t.ratio())
		if t.steady() {
			steady = append(steady, t.ratio())
		}
	}
	if 2*len(steady) <= len(all) {
		return Summarise(all)
	}
	return Summarise(steady)
}
