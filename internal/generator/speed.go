package generator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// longestLoad is a day in seconds. A longer history is not read from a pod.
const longestLoad = 24 * 60 * 60

// podClock relates a pod's uptime to this machine's clock.
type podClock struct {
	// instance is the process of the readings; empty before the first.
	instance string
	// began is when the process started, by the reading with the shortest round trip: the
	// moment of a reading is known to half of that.
	began     time.Time
	roundTrip time.Duration
	restarted bool
}

// observe takes the uptime from a reading that was requested and received at these moments.
func (c *podClock) observe(reading evidence.Reading, sent, received time.Time) {
	roundTrip := received.Sub(sent)
	if c.instance != "" && c.instance != reading.InstanceID {
		c.restarted = true
	}
	if c.instance == "" || roundTrip < c.roundTrip {
		uptime := time.Duration(reading.UptimeMicroseconds) * time.Microsecond
		c.began, c.roundTrip = sent.Add(roundTrip/2-uptime), roundTrip
	}
	c.instance = reading.InstanceID
}

// podSpeed is the timed hashes of a pod, second by second.
type podSpeed struct {
	// since is the beginning of the first second, by the plan's clock.
	since               time.Duration
	nanoseconds, hashes []int64
}

// readSpeeds reads from every pod how long its hashes took since the plan's zero. It does
// so after the load, when it disturbs nothing; a pod keeps its timed hashes for longer than
// a load can last. It returns nil if there are no pods, or if a pod cannot be read: a mean
// without one pod can be that of another CPU.
func (c collector) readSpeeds(ctx context.Context, zero time.Time) []podSpeed {
	speeds := make([]podSpeed, len(c.addresses))
	failures := make([]error, len(c.addresses))
	var pods sync.WaitGroup
	for i, address := range c.addresses {
		pods.Go(func() {
			speeds[i], failures[i] = c.readSpeed(ctx, address, c.clocks[i], zero)
		})
	}
	pods.Wait()
	complete := len(speeds) > 0
	for i, failure := range failures {
		if failure != nil {
			c.log.Warn("Could not read the speed of a pod", "address", c.addresses[i], "error", failure)
			complete = false
		}
	}
	if !complete {
		return nil
	}
	return speeds
}

func (c collector) readSpeed(ctx context.Context, address string, clock *podClock, zero time.Time) (podSpeed, error) {
	// The service is idle now, so this reading has the shortest round trip. It also shows a
	// restart after the last step.
	if _, err := c.readEvidence(ctx, address, clock); err != nil {
		return podSpeed{}, err
	}
	first := max(0, int64(zero.Sub(clock.began)/time.Second))
	speed := podSpeed{since: clock.began.Add(time.Duration(first) * time.Second).Sub(zero)}
	for next := first; next < first+longestLoad; next += evidence.MostSpeedSeconds {
		page, err := c.readSpeedPage(ctx, address, next)
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

func (c collector) readSpeedPage(ctx context.Context, address string, from int64) (evidence.Speed, error) {
	var page evidence.Speed
	if err := c.get(ctx, address, fmt.Sprintf("/speed?from=%d", from), &page); err != nil {
		return page, err
	}
	if page.From != from || len(page.Nanoseconds) != len(page.Hashes) || len(page.Hashes) > evidence.MostSpeedSeconds {
		return page, errors.New("its list of seconds is not the requested one")
	}
	for i := range page.Hashes {
		if page.Hashes[i] < 0 || page.Nanoseconds[i] < 0 {
			return page, errors.New("its list of seconds has a negative number")
		}
	}
	return page, nil
}

const (
	// idleFor and idleLogins are how long, and how many times, each pod hashes after the load, one
	// login at a time. Of slow hashes there are fewer, within longestIdle.
	idleFor     = 2 * time.Second
	idleLogins  = 4
	longestIdle = 15 * time.Second
)

// timeIdle logs in at each pod, one login after another, and returns the mean CPU time of a hash meanwhile, in
// nanoseconds. Compared with the hash times of the load, it shows whether the load itself made hashes slower. There are
// no pauses, as in the calibration: after a pause a hash takes longer. It returns 0 if a pod can't be read.
func (c collector) timeIdle(ctx context.Context, config Config) int64 {
	deltas := make([]evidence.Delta, len(c.addresses))
	failures := make([]error, len(c.addresses))
	ctx, cancel := context.WithTimeout(ctx, longestIdle)
	defer cancel()
	var pods sync.WaitGroup
	for i, address := range c.addresses {
		pods.Go(func() { deltas[i], failures[i] = c.timeIdlePod(ctx, address, config, c.clocks[i]) })
	}
	pods.Wait()
	if err := errors.Join(failures...); err != nil {
		c.log.Warn("Could not time hashes after the load", "error", err)
		return 0
	}
	sum := evidence.Sum(deltas...)
	if sum.TimedHashes <= 0 {
		return 0
	}
	mean := float64(sum.HashMicroseconds) / float64(sum.TimedHashes) * float64(time.Microsecond)
	return int64(min(mean, float64(longestHash)))
}

func (c collector) timeIdlePod(ctx context.Context, address string, config Config, clock *podClock) (evidence.Delta, error) {
	login, err := url.Parse(strings.TrimSuffix(address, "/") + "/")
	if err != nil {
		return evidence.Delta{}, err
	}
	login.User = url.UserPassword(config.User, config.Password)
	before, err := c.readEvidence(ctx, address, clock)
	if err != nil {
		return evidence.Delta{}, err
	}
	// The last login has to end in time, too.
	latest := time.Now().Add(longestIdle - readingTimeout)
	for began, n := time.Now(), 0; n < idleLogins || time.Since(began) < idleFor; n++ {
		if n > 0 && time.Now().After(latest) {
			break
		}
		status, _, err := c.client.Get(ctx, login.String(), longestAnswer)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("a login returned %d %s", status, http.StatusText(status))
		}
		if err != nil {
			return evidence.Delta{}, err
		}
	}
	after, err := c.readEvidence(ctx, address, clock)
	if err != nil {
		return evidence.Delta{}, err
	}
	return evidence.Between(before, after)
}

// longestHash is the longest mean CPU time of a hash that is accepted.
const longestHash = time.Hour

// timelineOf combines the timed hashes of all pods, from the plan's zero to the end of its
// last step. It returns nil if no hash was timed in that time.
func timelineOf(plan loadplan.Plan, pods []podSpeed) *measurement.Timeline {
	window, count := windowsOf(loadplan.Duration(plan))
	// Floats, because the sum of numbers from a pod could overflow.
	nanoseconds, hashes := make([]float64, count), make([]float64, count)
	for _, pod := range pods {
		for second := range pod.hashes {
			middle := pod.since + time.Duration(second)*time.Second + time.Second/2
			if i := int(middle / window); middle >= 0 && i < count {
				nanoseconds[i] += float64(pod.nanoseconds[second])
				hashes[i] += float64(pod.hashes[second])
			}
		}
	}
	timeline := &measurement.Timeline{Window: window, HashNanoseconds: make([]int64, count)}
	known := false
	for i := range timeline.HashNanoseconds {
		if mean := math.Round(nanoseconds[i] / max(1, hashes[i])); mean >= 1 && mean <= float64(longestHash) {
			timeline.HashNanoseconds[i] = int64(mean)
			known = true
		}
	}
	if !known {
		return nil
	}
	return timeline
}

// windowsOf returns the length of the windows of a load, in whole seconds, and their
// number.
func windowsOf(load time.Duration) (window time.Duration, count int) {
	seconds := int64((load + time.Second - 1) / time.Second)
	perWindow := max(1, (seconds+measurement.MostWindows-1)/measurement.MostWindows)
	return time.Duration(perWindow) * time.Second, int((seconds + perWindow - 1) / perWindow)
}
