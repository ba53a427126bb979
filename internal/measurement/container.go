package measurement

import (
	"fmt"
	"strconv"
	"strings"
)

// longestCpuset is the largest length of a cpuset list. A longer list is left out, because
// a truncated one cannot be compared.
const longestCpuset = 64

// sameMachine stands for the boot ID of the previous container. The containers of a run are
// often on one machine, and ten pods would repeat 36 characters each.
const sameMachine = "."

// containerWords encodes a container. before is the boot ID of the previous one.
func containerWords(c Container, before string) string {
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

// containerOf decodes the words of a container: four, or seven with the pool and the memory
// of a service.
func containerOf(text string, words int, before string) (ServicePod, error) {
	fields := strings.Split(text, " ")
	if len(fields) != words {
		return ServicePod{}, garbled("a container has %d words instead of %d", len(fields), words)
	}
	if word(fields[0], 36) != fields[0] || word(fields[1], longestCpuset) != fields[1] {
		return ServicePod{}, garbled("a container has an invalid boot ID or cpuset")
	}
	bootID := fromDash(fields[0])
	if bootID == sameMachine {
		bootID = before
	}
	numbers := make([]int64, 5)
	for i, field := range fields[2:] {
		value, err := strconv.ParseInt(field, 10, 32)
		if err != nil || value < 0 {
			return ServicePod{}, garbled("a container has the invalid number %q", word(field, 16))
		}
		numbers[i] = value
	}
	return ServicePod{
		Container: Container{
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
