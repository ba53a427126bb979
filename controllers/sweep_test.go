//go:build integration

package controllers_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// TestNoFaultChangesTheOutcome runs a few experiments again and again, each time with another
// fault at another moment. The outcome must always be that of a run which was not disturbed.
//
// A sample of the faults is drawn from each kind. With HASHMARK_FAULTS=all every one is tried.
// HASHMARK_FAULTS_SEED draws another sample, and HASHMARK_FAULTS_REPORT names a file for the
// counts.
func TestNoFaultChangesTheOutcome(t *testing.T) {
	t.Parallel()
	sweep := newSweep(t)
	t.Cleanup(sweep.report)
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			want, writes := s.undisturbed(t)
			for kind, faults := range faultsOf(t, s, writes) {
				sweep.run(t, kind, faults, func(t *testing.T, d disturbance) bool { return s.check(t, d, want) })
			}
		})
	}
}

// sweep draws the faults that are tried, and counts them by kind.
type sweep struct {
	t    *testing.T
	all  bool
	seed uint64

	lock        sync.Mutex
	runs, fails map[string]int
}

func newSweep(t *testing.T) *sweep {
	t.Helper()
	s := &sweep{t: t, all: os.Getenv("HASHMARK_FAULTS") == "all", seed: 1, runs: map[string]int{}, fails: map[string]int{}}
	if written := os.Getenv("HASHMARK_FAULTS_SEED"); written != "" {
		seed, err := strconv.ParseUint(written, 10, 64)
		if err != nil {
			t.Fatalf("HASHMARK_FAULTS_SEED: %v", err)
		}
		s.seed = seed
	}
	return s
}

// run tries faults of one kind: all, or one that is drawn.
func (s *sweep) run(t *testing.T, kind string, faults []disturbance, check func(*testing.T, disturbance) (came bool)) {
	t.Helper()
	if !s.all {
		hash := fnv.New64()
		hash.Write([]byte(t.Name() + kind))
		faults = []disturbance{faults[rand.New(rand.NewPCG(s.seed, hash.Sum64())).IntN(len(faults))]}
	}
	for _, d := range faults {
		t.Run(kind+d.where(), func(t *testing.T) {
			t.Parallel()
			counted := kind
			t.Cleanup(func() { s.count(counted, t.Failed()) })
			if !check(t, d) {
				counted = "no fault: the run had ended before"
			}
		})
	}
}

func (s *sweep) count(kind string, failed bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.runs[kind]++
	if failed {
		s.fails[kind]++
	}
}

// report prints the counts, and writes them into the file for them.
func (s *sweep) report() {
	text := fmt.Sprintf("seed %d, every fault: %t\n%6s %6s  kind of fault\n", s.seed, s.all, "runs", "passed")
	runs, fails := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(s.runs)) {
		text += fmt.Sprintf("%6d %6d  %s\n", s.runs[kind], s.runs[kind]-s.fails[kind], kind)
		runs, fails = runs+s.runs[kind], fails+s.fails[kind]
	}
	text += fmt.Sprintf("%6d %6d  in total\n", runs, runs-fails)
	s.t.Log(text)
	if file := os.Getenv("HASHMARK_FAULTS_REPORT"); file != "" {
		into, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = into.WriteString(s.t.Name() + "\n" + text)
			err = errors.Join(err, into.Close())
		}
		if err != nil {
			s.t.Error(err)
		}
	}
}

// where says at which write, watch or event the disturbance happens.
func (d disturbance) where() string {
	switch {
	case d.write > 0:
		return fmt.Sprintf(", write %d", d.write)
	case d.refusal != nil:
		return fmt.Sprintf(", %s %s", d.refusal.verb, d.refusal.kind)
	case d.kept != "":
		return ", " + d.kept
	case d.drop > 0:
		return fmt.Sprintf(", event %d", d.drop)
	case d.watch != "":
		return ", only of " + d.watch
	}
	return ", of every kind"
}
