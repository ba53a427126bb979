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

func containerWords(c measurement.Container) string {
	cpuset := c.Cpuset
	if len(cpuset) > longestCpuset {
		cpuset = ""
	}
	return fmt.Sprintf("%s %s %d %d", orDash(word(c.BootID, 36)), orDash(word(cpuset, longestCpuset)), c.QuotaMilliCPU, c.GoMaxProcs)
}

// containerOf reads the words of a container back, four of them, or six with
// the pool of a service.
func containerOf(text string, words int) (measurement.ServicePod, error) {
	fields := strings.Split(text, " ")
	if len(fields) != words {
		return measurement.ServicePod{}, garbled("a container is told in %d words, not %d", len(fields), words)
	}
	if word(fields[0], 36) != fields[0] || word(fields[1], longestCpuset) != fields[1] {
		return measurement.ServicePod{}, garbled("a container's boot id or cpuset holds what neither can")
	}
	numbers := make([]int64, 4)
	for i, field := range fields[2:] {
		value, err := strconv.ParseInt(field, 10, 32)
		if err != nil || value < 0 {
			return measurement.ServicePod{}, garbled("%q is no number of a container", word(field, 16))
		}
		numbers[i] = value
	}
	return measurement.ServicePod{
		Container: measurement.Container{
			BootID: fromDash(fields[0]), Cpuset: fromDash(fields[1]),
			QuotaMilliCPU: numbers[0], GoMaxProcs: int32(numbers[1]),
		},
		Workers: int32(numbers[2]), QueueLength: int32(numbers[3]),
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
