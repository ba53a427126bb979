package telemetry

import (
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// ofSpeed are the labels of the reference speed of a node pool.
var ofSpeed = []string{"namespace", "experiment", "pool"}

var speedReadings = []reading[*v1alpha1.PoolSpeed]{
	{define("pool_reference_hash_seconds", "CPU time of a bcrypt hash of cost 8 at the reference speed, which results are converted to.", ofSpeed),
		func(p *v1alpha1.PoolSpeed) (float64, bool) { return seconds(&p.HashMicrosecondsAtCost8) }},
	{define("pool_reference_error_ratio", "Half the width of that time's 95 % interval, as a share of it.", ofSpeed),
		func(p *v1alpha1.PoolSpeed) (float64, bool) { return perMille(p.ErrorPerMille) }},
	{define("pool_speed_low_ratio", "The 10th percentile of the time per hash while the experiment ran, divided by the reference: the fast speed.", ofSpeed),
		func(p *v1alpha1.PoolSpeed) (float64, bool) { return perMille(p.LowPerMille) }},
	{define("pool_speed_high_ratio", "The 90th percentile of the time per hash while the experiment ran, divided by the reference: the slow speed.", ofSpeed),
		func(p *v1alpha1.PoolSpeed) (float64, bool) { return perMille(p.HighPerMille) }},
}

// speeds adds the reference speed of each node pool.
func (g *gathering) speeds(e *v1alpha1.SizingExperiment) {
	var told []string
	for i := range e.Status.Speed {
		pool := &e.Status.Speed[i]
		// Two equal series would make the whole scrape fail.
		if slices.Contains(told, pool.NodePool) {
			continue
		}
		told = append(told, pool.NodePool)
		read(g, speedReadings, pool, []string{e.Namespace, e.Name, pool.NodePool})
	}
}

// rowSpeed is a number of how the speed varied while a variant was measured.
func rowSpeed(of func(*v1alpha1.RowSpeed) int64) func(outcome) (float64, bool) {
	return func(o outcome) (float64, bool) {
		if o.Speed == nil {
			return 0, false
		}
		return perMille(of(o.Speed))
	}
}
