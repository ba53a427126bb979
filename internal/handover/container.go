package handover

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// longestCpuset is what a cpuset's list may take; a longer one does not compare
// with another once it is cut, so that it is left out.
const longestCpuset = 64

// sameMachine stands for the boot id of the container before: a run's containers
// are often on one machine, and ten pods would repeat 36 characters each.
const sameMachine = "."

// containerWords are those of a container that follows one of another boot id.
func containerWords(c measurement.Container, before string) string {
	bootID := word(c.BootID, 36)
	switch bootID {
	case "", sameMachine:
		bootID = "-"
	case before:
		bootID = sameMachine
	}
	cpuset := c.Cpuset
	if len(cpuset) > longestCpuset {
		cpuset = ""
	}
	return fmt.Sprintf("%s %s %d %d", bootID, orDash(word(cpuset, longestCpuset)), c.QuotaMilliCPU, c.GoMaxProcs)
}

// containerOf reads the words of a container back, four of them, or seven with
// the pool and the memory of a service.
func containerOf(text string, words int, before string) (measurement.ServicePod, error) {
	fields := strings.Split(text, " ")
	if len(fields) != words {
		return measurement.ServicePod{}, garbled("a container is told in %d words, not %d", len(fields), words)
	}
	if word(fields[0], 36) != fields[0] || word(fields[1], longestCpuset) != fields[1] {
		return measurement.ServicePod{}, garbled("a container's boot id or cpuset holds what neither can")
	}
	bootID := fromDash(fields[0])
	if bootID == sameMachine {
		bootID = before
	}
	numbers := make([]int64, 5)
	for i, field := range fields[2:] {
		value, err := strconv.ParseInt(field, 10, 32)
		if err != nil || value < 0 {
			return measurement.ServicePod{}, garbled("%q is no number of a container", word(field, 16))
		}
		numbers[i] = value
	}
	return measurement.ServicePod{
		Container: measurement.Container{
			BootID: bootID, Cpuset: fromDash(fields[1]),
			QuotaMilliCPU: numbers[0], GoMaxProcs: int32(numbers[1]),
		},
		Workers: int32(numbers[2]), QueueLength: int32(numbers[3]), MemoryPeakKiB: int32(numbers[4]),
	}, nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func fromDash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}
