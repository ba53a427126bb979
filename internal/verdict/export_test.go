package verdict

import (
	"time"

	"github.com/hashmark-dev/hashmark/internal/simulation"
)

// Model is what a verdict asks of the simulation.
type Model = model

// JudgeBy judges by a model of the test's own.
func JudgeBy(in Input, of func(cpu time.Duration, course *simulation.Course) Model) Judgement {
	return judge(in, of)
}
