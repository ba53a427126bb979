package generator

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// stepReadings are the readings of one step.
type stepReadings struct {
	settled, countedEnd, drained reading
}

// dueReading is a reading with its due time on the plan's clock.
type dueReading struct {
	at time.Duration
	// afterLogins means that the reading can be taken earlier, as soon as no login is under
	// way.
	afterLogins bool
	into        *reading
}

// readingsOf returns the empty readings of all steps except the warm-up, and their due times
// in order.
func readingsOf(plan loadplan.Plan) ([]stepReadings, []dueReading) {
	reported := plan.WithoutWarmup()
	steps := make([]stepReadings, len(reported))
	var moments []dueReading
	for i, step := range reported {
		settled := time.Duration(step.StartMilliseconds+step.SettleMilliseconds) * time.Millisecond
		countedEnd := settled + time.Duration(step.CountedMilliseconds)*time.Millisecond
		moments = append(moments,
			dueReading{at: settled, into: &steps[i].settled},
			dueReading{at: countedEnd, into: &steps[i].countedEnd},
			dueReading{at: time.Duration(step.EndMilliseconds()) * time.Millisecond, afterLogins: true, into: &steps[i].drained})
	}
	return steps, moments
}

// watch takes each reading when it is due, until waiting ends. A reading that is under way
// then is completed. Once k6 has ended, no login is under way, and watch does not wait for
// the last drain.
func (c collector) watch(ctx, waiting context.Context, zero time.Time, moments []dueReading, k6Done <-chan struct{}) {
	for _, moment := range moments {
		early := k6Done
		if !moment.afterLogins {
			early = nil
		}
		timer := time.NewTimer(time.Until(zero.Add(moment.at)))
		select {
		case <-waiting.Done():
			timer.Stop()
			return
		case <-early:
			timer.Stop()
		case <-timer.C:
		}
		*moment.into = c.read(ctx)
	}
}

// addTo adds to a step's result what service and generator used in its counted part.
func (r stepReadings) addTo(step *measurement.StepResult, open bool) {
	if before, after := r.settled.generator, r.countedEnd.generator; before != nil && after != nil {
		if used, err := evidence.Between(evidence.Service{Reading: *before}, evidence.Service{Reading: *after}); err == nil {
			used.IdleMicroseconds, used.StealMicroseconds, used.BusyMicroseconds = 0, 0, 0
			step.Generator = &used
		}
	}
	deltas := between(r.settled.services, r.countedEnd.services)
	if deltas != nil {
		total := evidence.Sum(deltas...)
		step.Service = &total
	}
	if open {
		step.ReplicaSpreadPerMille = spread(deltas)
	}
	step.ServiceInFlightAfterDrain = inFlight(r.drained.services)
}

// between returns what each pod used. It returns nil if a pod could not be read
// or was restarted in between: a sum without one pod would be too small.
func between(before, after []*evidence.Service) []evidence.Delta {
	if len(before) == 0 || len(before) != len(after) {
		return nil
	}
	deltas := make([]evidence.Delta, len(before))
	for i := range before {
		if before[i] == nil || after[i] == nil {
			return nil
		}
		used, err := evidence.Between(*before[i], *after[i])
		if err != nil {
			return nil
		}
		deltas[i] = used
	}
	return deltas
}

// mostSpread is far above what a random choice can give, and takes two bytes in the message.
const mostSpread = 10_000

// spread returns the variance of the pods' numbers of hashes ÷ their mean, times 1000. It returns nil for one pod, and
// without hashes.
func spread(pods []evidence.Delta) *int64 {
	var hashes []float64
	for _, pod := range pods {
		hashes = append(hashes, float64(pod.Hashes))
	}
	if len(hashes) < 2 {
		return nil
	}
	mean, variance := stat.MeanVariance(hashes, nil)
	if mean <= 0 {
		return nil
	}
	perMille := int64(math.Round(min(mostSpread, 1000*variance/mean)))
	return &perMille
}

// mostInFlight is more logins than any service holds at a time.
const mostInFlight = 1_000_000_000

// inFlight returns the logins that all pods hold. It returns nil if a pod could not be read, or
// has an impossible number.
func inFlight(services []*evidence.Service) *int64 {
	if len(services) == 0 {
		return nil
	}
	var total int64
	for _, service := range services {
		if service == nil || service.InFlight < 0 || service.InFlight > mostInFlight {
			return nil
		}
		total += service.InFlight
	}
	return &total
}
