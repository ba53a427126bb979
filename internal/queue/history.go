package queue

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// History is what the namespaces have used of the turns so far. It is kept with the turns and not in
// the objects of the namespaces' users, who could otherwise delete what they used.
//
// It is the virtual clock of start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996, where a
// packet's length is a turn's duration here): each namespace has used an amount of time, and the one
// that has used the least is next. A namespace that did not wait can't save up turns: it counts as
// having used as much as the one that was served last had.
type History struct {
	// Used is the turn time that each namespace has used, in milliseconds. A namespace that is absent,
	// or below Floor, has used Floor.
	Used map[string]int64 `json:"used,omitempty"`
	// Floor is what the namespace that was given the last turn had used by then, in milliseconds.
	Floor int64 `json:"floor"`
	// Given is when each turn that is held was given, by namespace/name of the trial.
	Given map[string]time.Time `json:"given,omitempty"`
	// Counted is until when the turns that are held are in Used.
	Counted time.Time `json:"counted,omitzero"`
}

const (
	// shortestTurn is what a turn counts at least, because giving one takes time from everybody.
	// Otherwise a namespace could have many turns that it ends at once.
	shortestTurn = time.Minute
	// longestTurn is what is counted of a turn at most. The operator may have been down meanwhile,
	// or the clock may have been set.
	longestTurn = 25 * time.Hour
	// mostNamespaces is how many namespaces a history keeps: those that used the most. The others
	// count as having used Floor.
	mostNamespaces = 1000
)

// ReadHistory reads what [History.String] wrote. Anything else is an empty history, so that what was
// edited by hand can't stop the queue.
func ReadHistory(text string) History {
	var h History
	if json.Unmarshal([]byte(text), &h) != nil || h.Floor < 0 || h.Floor > math.MaxInt64/4 {
		return History{}
	}
	maps.DeleteFunc(h.Used, func(_ string, used int64) bool { return used < h.Floor || used > math.MaxInt64/4 })
	return h
}

// String returns the history as text of at most 100 KB.
func (h History) String() string {
	h.Used = maps.Clone(h.Used)
	maps.DeleteFunc(h.Used, func(_ string, used int64) bool { return used <= h.Floor })
	if len(h.Used) > mostNamespaces {
		most := slices.SortedFunc(maps.Keys(h.Used), func(a, b string) int { return cmp.Compare(h.Used[b], h.Used[a]) })
		for _, namespace := range most[mostNamespaces:] {
			delete(h.Used, namespace)
		}
	}
	text, err := json.Marshal(h)
	if err != nil {
		return "" // maps of numbers can always be marshalled
	}
	return string(text)
}

// used returns what a namespace has used, in milliseconds.
func (h History) used(namespace string) int64 { return max(h.Used[namespace], h.Floor) }

// Count returns the history with the time until now of the turns that were held since it was last
// counted. What a turn counts at least was charged when it was given.
func (h History) Count(held []types.NamespacedName, now time.Time) History {
	given := map[string]time.Time{}
	for _, turn := range held {
		since := h.Counted
		if began, known := h.Given[turn.String()]; known {
			given[turn.String()] = began
			if paid := began.Add(shortestTurn); paid.After(since) {
				since = paid
			}
		}
		if !h.Counted.IsZero() {
			h = h.charge(turn.Namespace, min(now.Sub(since), longestTurn))
		}
	}
	h.Given, h.Counted = given, now.UTC()
	return h
}

// give returns the history after a trial was given its turn.
func (h History) give(turn types.NamespacedName) History {
	h.Floor = h.used(turn.Namespace)
	h.Given = maps.Clone(h.Given)
	if h.Given == nil {
		h.Given = map[string]time.Time{}
	}
	h.Given[turn.String()] = h.Counted
	return h.charge(turn.Namespace, shortestTurn)
}

// charge returns the history with more time that a namespace has used.
func (h History) charge(namespace string, time time.Duration) History {
	if time <= 0 {
		return h
	}
	used := h.used(namespace)
	h.Used = maps.Clone(h.Used)
	if h.Used == nil {
		h.Used = map[string]int64{}
	}
	h.Used[namespace] = used + time.Milliseconds()
	return h
}
