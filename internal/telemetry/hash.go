package telemetry

import (
	"slices"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// ofPool are the labels of the table of hash times.
var ofPool = []string{"namespace", "experiment", "pool", "cpu_model", "cost", "control"}

var poolReadings = []reading[*v1alpha1.HashTime]{
	{define("pool_hash_seconds", "CPU time of one hash on a node pool, independent of the CPU limit.", ofPool),
		func(h *v1alpha1.HashTime) (float64, bool) { return seconds(&h.HashMicroseconds) }},
	{define("pool_hash_error_seconds", "Half the width of the 99.9 % interval of the hash time on a node pool.", ofPool),
		func(h *v1alpha1.HashTime) (float64, bool) { return seconds(&h.ErrorMicroseconds) }},
}

// hashTimes adds the hash times of each node pool.
func (g *gathering) hashTimes(e *v1alpha1.SizingExperiment) {
	var added [][]string
	for i := range e.Status.HashTimes {
		h := &e.Status.HashTimes[i]
		cost := ""
		if h.Cost > 0 {
			cost = strconv.Itoa(int(h.Cost))
		}
		values := []string{e.Namespace, e.Name, h.NodePool, h.CPUModel, cost, h.Control}
		// Duplicate series would make the whole scrape fail.
		if slices.ContainsFunc(added, func(other []string) bool { return slices.Equal(other, values) }) {
			continue
		}
		added = append(added, values)
		read(g, poolReadings, h, values)
	}
}
