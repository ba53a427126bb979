package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// HashTable is a table of hash times: a line for each cost and each control, with a cell
// for each node pool.
type HashTable struct {
	// The names of the node pools. One empty name if the experiment has no node pools.
	Pools []string
	// The costs in ascending order, followed by the controls by name.
	Lines []HashLine
}

// HashLine holds the hash times of one cost or control on each node pool.
type HashLine struct {
	// The bcrypt cost; 0 for a control that has none.
	Cost int32
	// The control's name; empty for a cost of the matrix.
	Control string
	// The hash times in the order of the table's node pools; nil if nothing was timed.
	Cells []*v1alpha1.HashTime
}

func hashTable(times []v1alpha1.HashTime) HashTable {
	var table HashTable
	for i := range times {
		cell := &times[i]
		pool := slices.Index(table.Pools, cell.NodePool)
		if pool < 0 {
			pool = len(table.Pools)
			table.Pools = append(table.Pools, cell.NodePool)
		}
		line := table.line(cell.Cost, cell.Control)
		for len(line.Cells) <= pool {
			line.Cells = append(line.Cells, nil)
		}
		line.Cells[pool] = cell
	}
	for i := range table.Lines {
		for len(table.Lines[i].Cells) < len(table.Pools) {
			table.Lines[i].Cells = append(table.Lines[i].Cells, nil)
		}
	}
	slices.SortFunc(table.Lines, func(a, b HashLine) int {
		return cmp.Or(cmp.Compare(a.Control, b.Control), cmp.Compare(a.Cost, b.Cost))
	})
	return table
}

// line returns the line of a cost or control, which it adds if it is missing.
func (t *HashTable) line(cost int32, control string) *HashLine {
	for i := range t.Lines {
		if t.Lines[i].Cost == cost && t.Lines[i].Control == control {
			return &t.Lines[i]
		}
	}
	t.Lines = append(t.Lines, HashLine{Cost: cost, Control: control})
	return &t.Lines[len(t.Lines)-1]
}

func (d Document) hashTimesSection() Section {
	s := Section{Title: "Hash time", Columns: []string{"Hash"}}
	for _, pool := range d.HashTimes.Pools {
		if pool == "" {
			pool = "CPU time"
		}
		s.Columns = append(s.Columns, pool)
	}
	for _, line := range d.HashTimes.Lines {
		cells := []string{line.Name()}
		for _, cell := range line.Cells {
			cells = append(cells, cellWords(cell))
		}
		s.Lines = append(s.Lines, cells)
	}
	if slices.ContainsFunc(d.Experiment.Status.HashTimes, func(h v1alpha1.HashTime) bool { return h.LowMicroseconds > 0 }) {
		s.Paragraphs = []string{"Mean CPU time ± its 99.9 % interval; in brackets the 10th to the 90th percentile, as the speed of the CPU varied."}
	}
	for _, fit := range d.Experiment.Status.CostFits {
		s.Items = append(s.Items, fitWords(fit))
	}
	return s
}

// Name returns "cost 10", or the control's name.
func (l HashLine) Name() string {
	if l.Control != "" {
		return l.Control
	}
	return "cost " + strconv.Itoa(int(l.Cost))
}

// cellWords returns a hash time as text: 60.1ms ± 410µs (55.9ms–65.4ms). It is the mean
// with its interval, and the fast and the slow time that were observed.
func cellWords(cell *v1alpha1.HashTime) string {
	if cell == nil {
		return ""
	}
	text := units.Latency(&cell.HashMicroseconds) + " ± " + units.Latency(&cell.ErrorMicroseconds)
	if cell.LowMicroseconds <= 0 || cell.HighMicroseconds <= 0 {
		return text
	}
	return withInterval(text, latencies(&handover.Interval{LowMicroseconds: cell.LowMicroseconds, HighMicroseconds: cell.HighMicroseconds}))
}

// fitWords returns how the hash time grows with the cost, as a sentence.
func fitWords(fit v1alpha1.CostFit) string {
	text := fmt.Sprintf("A hash takes %s + 2^cost × %s", micro(fit.ConstantNanoseconds), micro(fit.RoundNanoseconds))
	if fit.NodePool != "" {
		text += " on " + fit.NodePool
	}
	return text + "."
}

// micro returns a time in nanoseconds as microseconds.
func micro(nanoseconds int64) string {
	return units.Number(float64(nanoseconds)/1e3) + "µs"
}
