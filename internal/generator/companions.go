package generator

import (
	"fmt"
	"math"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// Companion is a program beside a user's own login service, and where it answers for Hashmark.
type Companion struct{ Name, Address string }

func parseCompanions(lookup func(string) string) (companions []Companion, err error) {
	for text := range strings.SplitSeq(lookup(envvar.Companions), ",") {
		if text == "" {
			continue
		}
		name, address, _ := strings.Cut(text, "=")
		if name == "" {
			return nil, fmt.Errorf("invalid %s %q: use name=address, separated by commas", envvar.Companions, text)
		}
		if err := checkAddress(envvar.Companions, address); err != nil {
			return nil, err
		}
		companions = append(companions, Companion{Name: name, Address: address})
	}
	return companions, nil
}

func addressesOf(companions []Companion) []string {
	var all []string
	for _, companion := range companions {
		all = append(all, companion.Address)
	}
	return all
}

// companionsUse returns what each companion used in the counted parts of all steps together. It leaves out one whose counters
// are missing in a step.
func companionsUse(companions []Companion, readings []stepReadings, results []measurement.StepResult) []handover.CompanionUse {
	var all []handover.CompanionUse
	for i, companion := range companions {
		use, known := handover.CompanionUse{Name: companion.Name}, true
		var used, logins int64
		for n, r := range readings {
			delta, limit, ok := companionDelta(r, i)
			known = known && ok && limit > 0
			if !known {
				break
			}
			used, logins = used+delta.CPUMicroseconds, logins+results[n].OK
			share := float64(delta.CPUMicroseconds) / (float64(delta.ElapsedMicroseconds) * float64(limit) / 1000)
			use.BusiestPerMille = max(use.BusiestPerMille, int64(math.Round(1000*share)))
			if peak := r.countedEnd.companions[i].MemoryPeakBytes; peak > 0 {
				use.MemoryPeakBytes = &peak
			}
		}
		if known && logins > 0 {
			use.CPUPerLoginMicroseconds = used / logins
			all = append(all, use)
		}
	}
	return all
}

// companionDelta returns what a companion used in the counted part of a step, and its limit in thousandths of a CPU.
func companionDelta(r stepReadings, i int) (used evidence.Delta, limit int64, known bool) {
	before, after := r.settled.companions, r.countedEnd.companions
	if i >= len(before) || i >= len(after) || before[i] == nil || after[i] == nil {
		return evidence.Delta{}, 0, false
	}
	used, err := evidence.Between(*before[i], *after[i])
	limit = after[i].QuotaMilliCPU
	if limit == 0 {
		limit = 1000 * int64(evidence.CPUs(after[i].Cpuset))
	}
	return used, limit, err == nil && used.ElapsedMicroseconds > 0
}
