package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// SpeedTitle is the title of the section about the speed of the CPU.
const SpeedTitle = "Speed of the CPU"

func (d Document) speedSection() Section {
	pools := d.Experiment.Status.Speed
	if len(pools) == 0 {
		return Section{}
	}
	s := Section{
		Title: SpeedTitle,
		Paragraphs: []string{"The speed of a CPU varies over time. Each trial measures it from its own hashes, and the rows are " +
			"converted to the reference speed: that of the first trial that ended on a node pool. Typical is the median of the hash time " +
			"over all windows of the experiment, relative to the reference, with its 95 % interval; fast and slow are the 10th and the " +
			"90th percentile. Sizes are chosen for the sizing speed, because a pod that was not measured can be slower."},
		Columns: []string{"Node pool", "Hash of cost 8", "Typical", "Fast", "Slow", "Windows", "Sizing"},
	}
	for _, pool := range pools {
		s.Lines = append(s.Lines, []string{
			pool.NodePool, units.Latency(&pool.HashMicrosecondsAtCost8), typicalWords(pool),
			RelativeHashTime(pool.LowPerMille), RelativeHashTime(pool.HighPerMille), units.Number(float64(pool.Windows)),
			RelativeHashTime(cmp.Or(pool.SizingPerMille, pool.HighPerMille)),
		})
	}
	return s
}

func (d Document) atReferenceWords() []string {
	if len(d.Experiment.Status.Speed) == 0 {
		return nil
	}
	return []string{"Capacity, p95, rate and maximum are at the reference speed of the CPU. Speed is the range of the hash time, relative to the reference."}
}

// RelativeHashTime returns a hash time, given in thousandths of the reference, as a difference: +9 %
// is slower, −7 % is faster.
func RelativeHashTime(perMille int64) string {
	off := perMille - 1000
	return units.Difference(&off)
}

// Speed returns the fast and the slow speed while the variant was measured: −7 % to +9 %.
// It is empty if they are unknown.
func (r Row) Speed() string {
	if r.Result.Speed == nil {
		return ""
	}
	return RelativeHashTime(r.Result.Speed.LowPerMille) + " to " + RelativeHashTime(r.Result.Speed.HighPerMille)
}

// typicalWords returns the median of the hash time, relative to the reference: +1.2 % ± 0.6 %.
func typicalWords(pool v1beta1.PoolSpeed) string {
	if pool.MedianPerMille == 0 {
		return "unknown" // the report of an earlier version
	}
	return RelativeHashTime(pool.MedianPerMille) + " ± " + units.Number(float64(pool.ErrorPerMille)/10) + " %"
}

// speedWords returns the speed of each node pool as text: 14.2ms for a hash of cost 8, typically
// +1.2 % ± 0.6 %, −7 % to +9 %.
func speedWords(pools []v1beta1.PoolSpeed) string {
	var all []string
	for _, pool := range pools {
		text := units.Latency(&pool.HashMicrosecondsAtCost8) + " for a hash of cost 8, typically " + typicalWords(pool) + ", " +
			RelativeHashTime(pool.LowPerMille) + " to " + RelativeHashTime(pool.HighPerMille)
		if pool.NodePool != "" {
			text = pool.NodePool + ": " + text
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// Reference returns the reference speed of the row's node pool, or nil if it is unknown.
func (d Document) Reference(r Row) *v1beta1.PoolSpeed {
	pools := d.Experiment.Status.Speed
	at := slices.IndexFunc(pools, func(p v1beta1.PoolSpeed) bool { return p.NodePool == r.Result.NodePool })
	if at < 0 {
		return nil
	}
	return &pools[at]
}
