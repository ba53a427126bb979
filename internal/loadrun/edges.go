package loadrun

import (
	"context"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// edges are the readings of one step that is told of.
type edges struct {
	settled, countedEnd, drained reading
}

// edge is a moment at which a reading is due, by the plan's clock.
type edge struct {
	at time.Duration
	// afterLogins tells that the reading may be taken as soon as no login is
	// under way any more.
	afterLogins bool
	into        *reading
}

// edgesOf lists the moments of all steps but the warm-up, in order, and the
// places that their readings go to.
func edgesOf(plan loadplan.Plan) ([]edges, []edge) {
	var reported []loadplan.Step
	for _, step := range plan.Steps {
		if step.Kind != loadplan.Warmup {
			reported = append(reported, step)
		}
	}
	steps := make([]edges, len(reported))
	var moments []edge
	for i, step := range reported {
		settled := time.Duration(step.StartMilliseconds+step.SettleMilliseconds) * time.Millisecond
		countedEnd := settled + time.Duration(step.CountedMilliseconds)*time.Millisecond
		moments = append(moments,
			edge{at: settled, into: &steps[i].settled},
			edge{at: countedEnd, into: &steps[i].countedEnd},
			edge{at: time.Duration(step.EndMilliseconds()) * time.Millisecond, afterLogins: true, into: &steps[i].drained})
	}
	return steps, moments
}

// watch takes each reading when it is due, until waiting ends. A reading that is under way
// then is completed. Once k6 is done no login is under way, and watch does not wait for the
// last drain.
func (w witness) watch(ctx, waiting context.Context, zero time.Time, moments []edge, k6Done <-chan struct{}) {
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
		*moment.into = w.read(ctx)
	}
}

// tell adds to a step's figures what both sides used in its counted part.
func (e edges) tell(step *measurement.StepResult) {
	if before, after := e.settled.generator, e.countedEnd.generator; before != nil && after != nil {
		if used, err := evidence.BetweenReadings(*before, *after); err == nil {
			used.IdleMicroseconds, used.StealMicroseconds, used.BusyMicroseconds = 0, 0, 0
			step.Generator = &used
		}
	}
	step.Service = between(e.settled.services, e.countedEnd.services)
	step.ServiceInFlightAfterDrain = inFlight(e.drained.services)
}

// between sums what all pods used, or is nil when one of them could not be
// read, or was restarted in between: a sum that lacks a pod would flatter.
func between(before, after []*evidence.Service) *evidence.Delta {
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
	total := evidence.Sum(deltas...)
	return &total
}

func inFlight(services []*evidence.Service) *int64 {
	if len(services) == 0 {
		return nil
	}
	var total int64
	for _, service := range services {
		if service == nil {
			return nil
		}
		total += service.InFlight
	}
	return &total
}
