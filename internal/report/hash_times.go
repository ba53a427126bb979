package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// hashTimesSection has a line for each hash, costs without a name first, and a column for each node pool.
func (d Document) hashTimesSection() Section {
	s := Section{Title: "Hash time", Columns: []string{"Hash"}}
	var pools []string
	for _, h := range d.Experiment.Status.HashTimes {
		if !slices.Contains(pools, h.NodePool) {
			pools = append(pools, h.NodePool)
			s.Columns = append(s.Columns, cmp.Or(h.NodePool, "CPU time"))
		}
		if h.LowMicroseconds > 0 {
			s.Paragraphs = []string{"Mean CPU time ± its 99.9 % interval; in brackets the 10th to the 90th percentile, as the speed of the CPU varied."}
		}
	}
	times := slices.SortedStableFunc(slices.Values(d.Experiment.Status.HashTimes), func(a, b v1beta1.HashTime) int {
		return cmp.Or(cmp.Compare(a.Hash.Name, b.Hash.Name), cmp.Compare(a.Hash.Cost(), b.Hash.Cost()))
	})
	for i, h := range times {
		if i == 0 || h.Hash.Name != times[i-1].Hash.Name || h.Hash.Cost() != times[i-1].Hash.Cost() {
			line := make([]string, len(s.Columns))
			line[0] = cmp.Or(h.Hash.Name, "cost "+strconv.Itoa(int(h.Hash.Cost())))
			s.Lines = append(s.Lines, line)
		}
		s.Lines[len(s.Lines)-1][1+slices.Index(pools, h.NodePool)] = hashTimeWords(h)
	}
	for _, fit := range d.Experiment.Status.CostFits {
		s.Items = append(s.Items, d.fitWords(fit))
	}
	return s
}

// hashTimeWords returns a hash time as text: 60.1ms ± 410µs (55.9ms–65.4ms). It is the mean
// with its interval, and the fast and the slow time that were observed.
func hashTimeWords(h v1beta1.HashTime) string {
	text := units.Latency(&h.HashMicroseconds) + " ± " + units.Latency(&h.ErrorMicroseconds)
	if h.LowMicroseconds <= 0 || h.HighMicroseconds <= 0 {
		return text
	}
	return withInterval(text, latencies(&handover.Interval{LowMicroseconds: h.LowMicroseconds, HighMicroseconds: h.HighMicroseconds}))
}

func (d Document) fitWords(fit v1beta1.CostFit) string {
	subject := "A hash"
	if d.Experiment.Spec.Service.Own != nil {
		subject = "A login"
	}
	text := fmt.Sprintf("%s takes %s + 2^cost × %s", subject, micro(fit.ConstantNanoseconds), micro(fit.RoundNanoseconds))
	if fit.NodePool != "" {
		text += " on " + fit.NodePool
	}
	return text + "."
}

func micro(nanoseconds int64) string {
	if micros := (nanoseconds + 500) / 1000; micros >= 1000 {
		return units.Latency(&micros)
	}
	return units.Number(float64(nanoseconds)/1e3) + "µs"
}
