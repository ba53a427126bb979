package evidence

import "k8s.io/utils/cpuset"

// CPUs counts the CPUs of a kernel list such as 0-3,8. A list that is absent or
// unreadable counts as 0: it is evidence, and what it lacks is judged elsewhere.
func CPUs(list string) int {
	set, err := cpuset.Parse(list)
	if err != nil {
		return 0
	}
	return set.Size()
}

// Overlap tells whether two kernel lists have a CPU in common.
func Overlap(a, b string) bool {
	first, errFirst := cpuset.Parse(a)
	second, errSecond := cpuset.Parse(b)
	return errFirst == nil && errSecond == nil && !first.Intersection(second).IsEmpty()
}
