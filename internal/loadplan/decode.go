package loadplan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const (
	// longestText is the length of a plan's JSON, in bytes. A variable of a process can't be
	// longer.
	longestText = 128 << 10
	// mostSteps is the largest number of steps, without the warm-up, that a status can store.
	mostSteps   = 24
	longestTime = 48 * time.Hour
	// shortestStep is the shortest scenario that k6 accepts.
	shortestStep = time.Second
	// mostRequests keeps a step's schedule within the generator's memory.
	mostRequests = 4_000_000
)

// OtherVersionError means that a plan has another version than this program reads.
type OtherVersionError struct {
	// Version of the plan; 0 if it has none.
	Version int
}

func (e *OtherVersionError) Error() string {
	return fmt.Sprintf("the plan has version %d, but this program reads version %d", e.Version, Version)
}

// Decode reads the JSON of a plan. It refuses unknown fields, which would be a part of the load
// that this program does not know, and plans that no generator can run. Its errors are sentences;
// that of a plan of another version is an *OtherVersionError.
func Decode(text string) (Plan, error) {
	if len(text) > longestText {
		return Plan{}, fmt.Errorf("the plan has %d bytes; it can have at most %d", len(text), longestText)
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal([]byte(text), &head); err != nil {
		return Plan{}, fmt.Errorf("the plan is not JSON: %w", err)
	}
	if head.Version != Version {
		return Plan{}, &OtherVersionError{Version: head.Version}
	}
	var plan Plan
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		return Plan{}, fmt.Errorf("the plan can't be read: %w", err)
	}
	return plan, plan.check()
}

// check returns an error if no generator can run the plan, or if it can't be stored.
func (p Plan) check() error {
	if p.TimeoutMilliseconds < 1 || len(p.Steps) == 0 {
		return errors.New("the plan needs a timeout above 0 and at least one step")
	}
	if n := len(p.WithoutWarmup()) + len(p.NotRun); n > mostSteps {
		return fmt.Errorf("the plan has %d steps; it can have at most %d", n, mostSteps)
	}
	var earliest int64
	for i, step := range p.Steps {
		if err := step.check(); err != nil {
			return fmt.Errorf("step %d of the plan: %w", i, err)
		}
		if step.StartMilliseconds < earliest {
			return fmt.Errorf("step %d of the plan starts at %d ms, but it can start at %d ms at the earliest, %d ms after the end of the previous step",
				i, step.StartMilliseconds, earliest, gapMilliseconds)
		}
		earliest = step.EndMilliseconds() + gapMilliseconds
	}
	for i, left := range p.NotRun {
		if len(left.Message) > 2*v1beta1.MaxMessage || strings.ContainsFunc(left.Message, unicode.IsControl) {
			return fmt.Errorf("the reason why step %d was left out has control characters or more than %d bytes", i, 2*v1beta1.MaxMessage)
		}
	}
	return nil
}

func (s Step) check() error {
	switch s.Kind {
	case Closed, Saturation:
	case Warmup, Open:
		if err := s.checkArrivals(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unknown kind %q", s.Kind)
	}
	switch {
	case s.Callers < 1 || s.Callers > math.MaxInt32:
		return fmt.Errorf("it has %d callers but needs at least one", s.Callers)
	case min(s.OfferedMilliPerSecond, int64(s.LoadPercent)) < 0:
		return errors.New("its rate must not be negative")
	}
	return s.checkTimes()
}

func (s Step) checkTimes() error {
	switch {
	case max(s.StartMilliseconds, s.SettleMilliseconds, s.CountedMilliseconds, s.DrainMilliseconds) > longestTime.Milliseconds():
		return fmt.Errorf("it must begin and end within %d hours", longestTime/time.Hour)
	case s.CountedMilliseconds < 1 || min(s.SettleMilliseconds, s.DrainMilliseconds) < 0:
		return errors.New("its counted part must be longer than 0, and its other parts must not be negative")
	case s.EndMilliseconds()-s.StartMilliseconds < shortestStep.Milliseconds():
		return fmt.Errorf("it must last at least %d ms in total", shortestStep.Milliseconds())
	}
	return nil
}

func (s Step) checkArrivals() error {
	if s.Arrivals != "Poisson" && s.Arrivals != "Uniform" {
		return fmt.Errorf("unknown arrivals %q", s.Arrivals)
	}
	// The sum of two huge numbers could overflow.
	if min(s.SettleRequests, s.Requests) < 0 || max(s.SettleRequests, s.Requests, s.SettleRequests+s.Requests) > mostRequests {
		return fmt.Errorf("it has %d and %d logins: both must be at least 0, and their sum at most %d", s.SettleRequests, s.Requests, mostRequests)
	}
	return nil
}
