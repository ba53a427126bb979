package handover

import "math/bits"

const (
	// MostBuckets is how many buckets a histogram can have that are not empty.
	MostBuckets = 1024
	// Doublings limits the numbers of buckets to this times the buckets per doubling. The last bucket,
	// which with 4 buckets per doubling starts at two hours, has all greater latencies.
	Doublings = 32
)

// Histogram counts latencies in buckets with fixed edges: two histograms with as many buckets per
// doubling have the same ones, and neighbours can be merged to make it as coarse as another one.
type Histogram struct {
	// Into how many buckets of equal width each doubling of latency is divided, a power of two from 4 to
	// 256. Below this number of microseconds each bucket is one microsecond wide. With 256 a bucket is
	// at most 0.39 % wide, so that the latency in its middle is exact to 0.2 %.
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=256
	BucketsPerDoubling int32 `json:"bucketsPerDoubling"`
	// The numbers of the buckets that are not empty, in rising order. With B buckets per doubling, bucket
	// n starts at n microseconds if n is less than B, and otherwise at (B + n mod B) × 2^(⌊n/B⌋ − 1)
	// microseconds.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	Buckets []int32 `json:"buckets"`
	// The number of successful logins in each of these buckets.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	Counts []int64 `json:"counts"`
}

// Edges returns where a bucket starts and where the next one does, in microseconds. Numbers that no
// bucket can have, as in an edited file, are limited.
func (h *Histogram) Edges(bucket int32) (low, high int64) {
	per := h.per()
	n := min(max(0, int64(bucket)), Doublings*per-1)
	if n < per {
		return n, n + 1
	}
	shift := n/per - 1
	low = (per + n%per) << shift
	return low, low + 1<<shift
}

func (h *Histogram) per() int64 { return min(max(1, int64(h.BucketsPerDoubling)), 256) }

// Add counts latencies in microseconds. They must not be below any that was added before.
func (h *Histogram) Add(microseconds, count int64) {
	bucket := h.bucket(max(0, microseconds))
	if last := len(h.Buckets) - 1; last >= 0 && h.Buckets[last] == bucket {
		h.Counts[last] += count
		return
	}
	h.Buckets, h.Counts = append(h.Buckets, bucket), append(h.Counts, count)
}

func (h *Histogram) bucket(microseconds int64) int32 {
	per := h.per()
	shift := max(0, bits.Len64(uint64(microseconds))-bits.Len64(uint64(per)))
	return int32(min(Doublings*per-1, int64(shift)*per+microseconds>>shift))
}
