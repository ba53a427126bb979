package loadrun

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// longestLoad in seconds, a day: whatever a pod answers beyond that is not asked for.
const longestLoad = 24 * 60 * 60

// podClock relates a pod's uptime to this machine's clock.
type podClock struct {
	// instance is the process that the readings are from; empty before the first.
	instance string
	// began is when the process started, by the reading with the shortest round
	// trip: the moment of a reading is known to half of that.
	began     time.Time
	roundTrip time.Duration
	restarted bool
}

// saw takes the uptime from a reading that was asked for and answered at the
// given moments.
func (c *podClock) saw(reading evidence.Reading, asked, answered time.Time) {
	roundTrip := answered.Sub(asked)
	if c.instance != "" && c.instance != reading.InstanceID {
		c.restarted = true
	}
	if c.instance == "" || roundTrip < c.roundTrip {
		uptime := time.Duration(reading.UptimeMicroseconds) * time.Microsecond
		c.began, c.roundTrip = asked.Add(roundTrip/2-uptime), roundTrip
	}
	c.instance = reading.InstanceID
}

// podSpeed is a pod's account of its hashes, second by second.
type podSpeed struct {
	// since is the beginning of the first second, by the plan's clock.
	since               time.Duration
	nanoseconds, hashes []int64
}

// readSpeeds asks every pod how long its hashes took since the plan's zero. A
// pod keeps its account for longer than a load can last, so that it is enough
// to ask after the load, when that disturbs nothing. Returns nil if there are
// no pods, or if one of them can't tell: a mean that lacks a pod may belong to
// another CPU.
func (w witness) readSpeeds(ctx context.Context, zero time.Time) []podSpeed {
	speeds := make([]podSpeed, len(w.addresses))
	failures := make([]error, len(w.addresses))
	var pods sync.WaitGroup
	for i, address := range w.addresses {
		pods.Go(func() {
			speeds[i], failures[i] = w.readSpeed(ctx, address, w.clocks[i], zero)
		})
	}
	pods.Wait()
	complete := len(speeds) > 0
	for i, failure := range failures {
		if failure != nil {
			w.log.Warn("Could not read the speed of a pod", "address", w.addresses[i], "error", failure)
			complete = false
		}
	}
	if !complete {
		return nil
	}
	return speeds
}

func (w witness) readSpeed(ctx context.Context, address string, clock *podClock, zero time.Time) (podSpeed, error) {
	// This reading is of an idle service, and so has the shortest round trip. It
	// also shows a restart after the last step.
	if _, err := w.ask(ctx, address, clock); err != nil {
		return podSpeed{}, err
	}
	first := max(0, int64(zero.Sub(clock.began)/time.Second))
	speed := podSpeed{since: clock.began.Add(time.Duration(first) * time.Second).Sub(zero)}
	for next := first; next < first+longestLoad; next += evidence.MostSpeedSeconds {
		page, err := w.askSpeed(ctx, address, next)
		if err != nil {
			return podSpeed{}, err
		}
		speed.nanoseconds = append(speed.nanoseconds, page.Nanoseconds...)
		speed.hashes = append(speed.hashes, page.Hashes...)
		if len(page.Hashes) < evidence.MostSpeedSeconds {
			break
		}
	}
	if clock.restarted {
		return podSpeed{}, errors.New("it was restarted during the load")
	}
	return speed, nil
}

func (w witness) askSpeed(ctx context.Context, address string, from int64) (evidence.Speed, error) {
	var page evidence.Speed
	if err := w.get(ctx, address, fmt.Sprintf("/speed?from=%d", from), &page); err != nil {
		return page, err
	}
	if page.From != from || len(page.Nanoseconds) != len(page.Hashes) || len(page.Hashes) > evidence.MostSpeedSeconds {
		return page, errors.New("its list of seconds is not the one that was asked for")
	}
	for i := range page.Hashes {
		if page.Hashes[i] < 0 || page.Nanoseconds[i] < 0 {
			return page, errors.New("its list of seconds holds a number below zero")
		}
	}
	return page, nil
}
