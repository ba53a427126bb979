package verdict

import (
	"time"

	"github.com/hashmark-dev/hashmark/internal/model"
)

// Model is the part of the simulation that a verdict needs.
type Model = simulator

// JudgeBy judges a run with the test's own model.
func JudgeBy(in Input, newModel func(cpu time.Duration, course *model.Course) Model) Judgement {
	return judge(in, func(login logins, course *model.Course) simulator { return newModel(login.cpu, course) })
}
