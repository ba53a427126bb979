package telemetry

import (
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// ofSpeed are the labels of the reference speed of a node pool.
var ofSpeed = []string{"namespace", "experiment", "pool"}

var speedReadings = []reading[*v1alpha1.PoolSpeed]{
	{define("pool_reference_hash_seconds", "CPU time of a bcrypt hash of cost 8 at the reference speed, to which results are converted.", ofSpeed),
		func(p *v1alpha1.PoolSpeed) (float64, bool) { return seconds(&p.HashMicrosecondsAtCost8) }},
	{define("pool_reference_error_ratio", "Half the width of the 95 % interval of the reference hash time, divided by that time.", ofSpeed),
		func(p *v1alpha1.PoolSpeed) (float64, bool) { return perMille(p.ErrorPerMille) }},
	{define("pool_speed_low_ratio", "The 10th percentile of the hash time during the experiment, divided by the reference: the fast speed.", ofSpeed),
		func(p *v1alpha1.PoolSpeed) (float64, bool) { return perMille(p.LowPerMille) }},
	{define("pool_speed_high_ratio", "The 90th percentile of the hash time during the experiment, divided by the reference: the slow speed.", ofSpeed),
		func(p *v1alpha1.PoolSpeed) (float64, bool) { return perMille(p.HighPerMille) }},
}

// speeds adds the reference speed of each node pool.
func (g *gathering) speeds(e *v1alpha1.SizingExperiment) {
	var added []string
	for i := range e.Status.Speed {
		pool := &e.Status.Speed[i]
		// Duplicate series would make the whole scrape fail.
		if slices.Contains(added, pool.NodePool) {
			continue
		}
		added = append(added, pool.NodePool)
		read(g, speedReadings, pool, []string{e.Namespace, e.Name, pool.NodePool})
	}
}

// rowSpeed returns a function that reads a number of the speed while a variant was measured.
func rowSpeed(field func(*v1alpha1.RowSpeed) int64) func(outcome) (float64, bool) {
	return func(o outcome) (float64, bool) {
		if o.Speed == nil {
			return 0, false
		}
		return perMille(field(o.Speed))
	}
}
