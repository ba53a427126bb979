//go:build integration

package controllers_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/hashmark-dev/hashmark/test/specs"
)

// The specs of TestNoSpecIsAcceptedAndThenStuck: make test-long NAME=specs sets other numbers.
var (
	specCount = flag.Int("specs", 200, "how many mutated specs are created")
	specSeed  = flag.Uint64("spec-seed", 1, "the seed of the mutated specs")
)

// specWorkers is the number of specs that are tried at the same time, each in a namespace of
// its own.
const specWorkers = 4

// TestNoSpecIsAcceptedAndThenStuck creates experiments that are mutated by the schema. The API
// server refuses each with sentences that name the field, or accepts it; and what it accepts, the
// operator ends with a reason, or takes as far as the login service or the load.
func TestNoSpecIsAcceptedAndThenStuck(t *testing.T) {
	source := specSource(t)
	trySpecs(t, *specCount, func(w *testCluster, number int) fate {
		return trySpec(w, source.Spec(number), number, fateOf)
	})
}

// TestNoEditIsAcceptedAndThenStuck edits experiments that have not begun in the same way, a fifth as many.
// What the operator does not accept goes on when it is corrected.
func TestNoEditIsAcceptedAndThenStuck(t *testing.T) {
	source := specSource(t)
	trySpecs(t, *specCount/5, func(w *testCluster, number int) fate {
		return trySpec(w, source.Spec(number), number, fateOfEdit(source.Base(number)))
	})
}

// trySpecs tries so many specs, and counts what became of them.
func trySpecs(t *testing.T, count int, try func(w *testCluster, number int) fate) {
	t.Helper()
	var tally specTally
	t.Run("specs", func(t *testing.T) {
		for worker := range specWorkers {
			t.Run(fmt.Sprint("worker ", worker), func(t *testing.T) {
				t.Parallel()
				w := newTestCluster(t, "specs")
				for number := worker; number < count; number += specWorkers {
					tally.add(try(w, number))
				}
			})
		}
	})
	t.Logf("of %d specs with seed %d, the API server refused %d, the operator ended %d, and %d were accepted",
		count, *specSeed, tally[fateRefused].Load(), tally[fateEnded].Load(), tally[fateAccepted].Load())
	for f := range tally {
		if count >= 1000 && tally[f].Load() == 0 {
			t.Errorf("no spec had fate %d, so the specs show less than they should", f)
		}
	}
}

// specSource returns a source of changes to the samples.
func specSource(t *testing.T) *specs.Source {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "config", "samples", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d samples, error %v", len(files), err)
	}
	var texts [][]byte
	for _, file := range append([]string{filepath.Join("..", "config", "crd", "hashmark.dev_sizingexperiments.yaml")}, files...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	source, err := specs.New(*specSeed, texts[0], texts[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// fate is what became of a spec.
type fate int

const (
	fateRefused fate = iota
	fateEnded
	fateAccepted
)

// specTally counts specs by their fate.
type specTally [fateAccepted + 1]atomic.Int64

func (s *specTally) add(f fate) { s[f].Add(1) }
