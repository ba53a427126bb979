package calibration

import (
	"fmt"
	"time"
)

// stopwatch times a hash, block by block.
type stopwatch struct {
	Hash
	wall   func() time.Duration
	limits Limits
	hash   func() error
	// batch is how many hashes make a sample.
	batch   int
	samples []Sample
	// spent is the time of all samples, by the clock.
	spent time.Duration
	// blocks are the mean CPU times of a hash in each block, in seconds.
	blocks []float64
}

// start prepares a hash within a time limit, and warms it up.
func (c Calibrator) start(h Hash, limit time.Duration) (*stopwatch, error) {
	w := &stopwatch{Hash: h, wall: c.Meter.Wall, limits: c.Limits}
	w.limits.WarmUp = max(w.limits.WarmUp, h.WarmUp)
	begin := w.wall()
	var err error
	if w.hash, err = h.Prepare(); err != nil {
		return nil, fmt.Errorf("prepare a hash of %s: %w", h.Recipe, err)
	}
	if took := w.wall() - begin; took > limit {
		return nil, fmt.Errorf("%w: %s took %s", ErrTooSlow, h.Recipe, took.Round(time.Second))
	}
	if err := w.warmUp(begin); err != nil {
		return nil, fmt.Errorf("hash with %s: %w", h.Recipe, err)
	}
	return w, nil
}

// warmUp hashes until the warm-up time since a moment is over, and determines how many
// hashes fill a sample. The time of a hash is its CPU time: under a quota, time by the
// clock would make batches too small.
func (w *stopwatch) warmUp(since time.Duration) error {
	before, err := w.CPU()
	if err != nil {
		return err
	}
	hashes := 0
	for ; w.wall()-since < w.limits.WarmUp; hashes++ {
		if err := w.hash(); err != nil {
			return err
		}
	}
	after, err := w.CPU()
	if err != nil {
		return err
	}
	used := max(1, after-before)
	w.batch = max(1, int(sampleTime*time.Duration(hashes)/used))
	return nil
}

// done reports whether both the time and the number of samples are reached, or the maximum
// time is used up.
func (w *stopwatch) done(least time.Duration, samples int) bool {
	if len(w.samples) < fewestSamples {
		return false
	}
	return w.spent >= w.limits.Most || w.spent >= least && len(w.samples) >= samples
}

func (w *stopwatch) until(least time.Duration, samples int) error {
	for !w.done(least, samples) {
		if _, err := w.block(); err != nil {
			return err
		}
	}
	return nil
}

// block times at least one sample, and returns the mean CPU time of a hash in seconds.
func (w *stopwatch) block() (float64, error) {
	var cpu, wall time.Duration
	var sum float64
	first := len(w.samples)
	for len(w.samples) == first || cpu < w.limits.BlockCPU && wall < w.limits.BlockWall {
		sample, err := w.sample()
		if err != nil {
			return 0, fmt.Errorf("time a hash of %s: %w", w.Recipe, err)
		}
		w.samples = append(w.samples, sample)
		cpu += sample.CPU * time.Duration(w.batch)
		wall += sample.Wall * time.Duration(w.batch)
		sum += sample.CPU.Seconds()
	}
	w.spent += wall
	mean := sum / float64(len(w.samples)-first)
	w.blocks = append(w.blocks, mean)
	return mean, nil
}

// sample times a batch of hashes, and returns the mean of one hash.
func (w *stopwatch) sample() (Sample, error) {
	wall := w.wall()
	cpu, err := w.CPU()
	if err != nil {
		return Sample{}, err
	}
	for range w.batch {
		if err := w.hash(); err != nil {
			return Sample{}, err
		}
	}
	used, err := w.CPU()
	if err != nil {
		return Sample{}, err
	}
	return Sample{
		CPU:  (used - cpu) / time.Duration(w.batch),
		Wall: (w.wall() - wall) / time.Duration(w.batch),
	}, nil
}
