package measurement

import (
	"slices"
	"time"
)

// severalWait is how many logins wait at least in a pause. One alone may just take long.
const severalWait = 3

// LongestPause returns the longest time in which none of these logins was answered although at least three had been
// sent. Answered reports whether a login has a response; one whose caller gave up waits no longer.
func LongestPause(logins int, sent, ended func(login int) time.Duration, answered func(login int) bool) (longest time.Duration) {
	type event struct {
		at    time.Duration
		login int
		ends  bool
	}
	var events []event
	for login := range logins {
		events = append(events, event{sent(login), login, false}, event{ended(login), login, true})
	}
	slices.SortStableFunc(events, func(a, b event) int { return int(a.at - b.at) })
	waiting, since := 0, time.Duration(0)
	for _, e := range events {
		if !e.ends {
			if waiting++; waiting == severalWait {
				since = e.at
			}
			continue
		}
		if waiting >= severalWait {
			longest = max(longest, e.at-since)
		}
		if waiting--; answered(e.login) {
			since = e.at
		}
	}
	return longest
}

// setLongestPause sets the longest pause of a step, including its settling part: the first counted logins wait for those
// before them.
func (w window) setLongestPause(s *StepResult, records []Record) {
	ended := slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return w.outcome(r) == Cut })
	pause := LongestPause(len(ended),
		func(i int) time.Duration { return ended[i].Sent }, func(i int) time.Duration { return ended[i].Ended },
		func(i int) bool { return ended[i].Outcome != TimedOut }).Microseconds()
	if pause > 0 {
		s.LongestPauseMicroseconds = &pause
	}
}
