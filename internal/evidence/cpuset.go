package evidence

import "k8s.io/utils/cpuset"

// CPUs returns the number of CPUs in a kernel list such as 0-3,8. It is 0 if the list is
// missing or invalid, which is judged elsewhere.
func CPUs(list string) int {
	set, err := cpuset.Parse(list)
	if err != nil {
		return 0
	}
	return set.Size()
}

// Overlap reports whether two kernel lists have a CPU in common.
func Overlap(a, b string) bool {
	first, errFirst := cpuset.Parse(a)
	second, errSecond := cpuset.Parse(b)
	return errFirst == nil && errSecond == nil && !first.Intersection(second).IsEmpty()
}
