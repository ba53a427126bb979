package measurement

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// ErrRecords means that the records contradict the plan or each other, so that no numbers
// can be computed from them.
var ErrRecords = errors.New("the records of logins contradict the plan")

// Summarise returns the part of a run that follows from the records: Steps, Reported and UnderWay. The
// records can be in any order. The error is ErrRecords, wrapped with the cause.
func Summarise(plan loadplan.Plan, records []Record) (Run, error) {
	perStep := make([][]Record, len(plan.Steps))
	for _, r := range records {
		if r.Step < 0 || r.Step >= len(plan.Steps) {
			return Run{}, fmt.Errorf("%w: a login is of step %d, but the plan has %d steps", ErrRecords, r.Step, len(plan.Steps))
		}
		perStep[r.Step] = append(perStep[r.Step], r)
	}
	run := Run{Reported: -1}
	for i, step := range plan.Steps {
		window := windowOf(step)
		if err := window.check(i, perStep[i]); err != nil {
			return Run{}, err
		}
		if step.Kind == loadplan.Warmup {
			continue
		}
		result, successes := window.result(perStep[i])
		result.Latencies = histogram(successes, bucketsPerDoubling(step))
		if plan.Objective != nil {
			result.SlowerThanP50 = slower(result, successes, plan.Objective.P50Milliseconds)
			result.SlowerThanP95 = slower(result, successes, &plan.Objective.P95Milliseconds)
			result.SlowerThanP99 = slower(result, successes, plan.Objective.P99Milliseconds)
		}
		if step.Reported {
			run.Reported = len(run.Steps)
			run.UnderWay = underWay(perStep[i], window.from, window.to-window.from)
		}
		run.Steps = append(run.Steps, result)
	}
	return run, nil
}

func bucketsPerDoubling(step loadplan.Step) int32 {
	if step.Reported || step.Purpose == v1beta1.PurposeMaximum || step.Purpose == v1beta1.PurposeVerification {
		return finest
	}
	return finer
}

// slower returns the number of logins that failed or took longer than a limit, or nil
// without a limit. The successes are sorted.
func slower(r StepResult, successes []int64, milliseconds *int32) *int64 {
	if milliseconds == nil {
		return nil
	}
	within, _ := slices.BinarySearch(successes, int64(*milliseconds)*1000+1)
	longer := r.Scheduled - int64(within)
	return &longer
}
