package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// Order is another order of a table's lines, for formats in which a reader can choose one.
type Order struct {
	// What comes first, such as "highest capacity".
	Label string
	// The position of each line, from 0.
	Ranks []int
}

// leastLines is how many lines a table has for which another order is useful.
const leastLines = 3

func variantOrders(rows []Row) []Order {
	return useful(
		ordered("highest capacity", rows, func(r Row) float64 { return -number(r.Result.CapacityMilliPerSecond) }),
		ordered("lowest p95", rows, func(r Row) float64 { return number(r.Result.P95Microseconds) }),
		ordered("highest maximum", rows, func(r Row) float64 { return -number(r.Result.MaxThroughputMilliPerSecond) }),
	)
}

func sizeOrders(rows []Row) []Order {
	return useful(
		ordered("lowest price per month", rows, func(r Row) float64 {
			if r.Result.Price == nil {
				return math.NaN()
			}
			price, err := strconv.ParseFloat(r.Result.Price.PerMonth, 64)
			if err != nil {
				return math.NaN()
			}
			return price
		}),
		ordered("least CPU", rows, func(r Row) float64 {
			if r.Result.Sizing == nil {
				return math.NaN()
			}
			return totalMilliCPU(r.Result)
		}),
	)
}

// number returns a number that can be missing as one that can be NaN.
func number(value *int64) float64 {
	if value == nil {
		return math.NaN()
	}
	return float64(*value)
}

// ordered returns the order of rows by a key, the lowest first. Rows whose key is NaN come last.
// The order has no ranks if fewer than leastLines rows have a key.
func ordered(label string, rows []Row, key func(Row) float64) Order {
	keys, lines, known := make([]float64, len(rows)), make([]int, len(rows)), 0
	for i, row := range rows {
		keys[i], lines[i] = key(row), i
		if !math.IsNaN(keys[i]) {
			known++
		}
	}
	if known < leastLines {
		return Order{}
	}
	slices.SortStableFunc(lines, func(a, b int) int {
		if math.IsNaN(keys[a]) != math.IsNaN(keys[b]) {
			return cmp.Compare(keys[b], keys[a]) // cmp.Compare has NaN first
		}
		return cmp.Compare(keys[a], keys[b])
	})
	ranks := make([]int, len(rows))
	for rank, line := range lines {
		ranks[line] = rank
	}
	return Order{Label: label, Ranks: ranks}
}

func useful(orders ...Order) []Order {
	return slices.DeleteFunc(orders, func(o Order) bool { return len(o.Ranks) == 0 })
}
