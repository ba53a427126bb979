package handover

import (
	"errors"
	"fmt"
)

// ErrAbsent means that the termination message is empty: the generator was ended
// before it could write anything.
var ErrAbsent = errors.New("the generator left no termination message")

// ErrGarbled means that the message is not a whole one of this version.
var ErrGarbled = errors.New("the generator's termination message is garbled")

// The reasons of a Failure.
const (
	// GeneratorKilled means that the generator was ended from outside in mid-load.
	GeneratorKilled = "GeneratorKilled"
	// GeneratorOOMKilled means that k6 was killed and the load runner was not, which
	// only the kernel does, for want of memory.
	GeneratorOOMKilled = "GeneratorOOMKilled"
	// BadPlan means that the generator could not make sense of its environment.
	BadPlan = "BadPlan"
	// ServiceUnreachable means that the login service did not answer before the load.
	ServiceUnreachable = "ServiceUnreachable"
	// DeadlineExceeded means that the load was not over at its deadline.
	DeadlineExceeded = "DeadlineExceeded"
	// ScriptError means that the k6 script threw an exception or would not compile.
	ScriptError = "ScriptError"
	// BadConfig means that k6 refused its options.
	BadConfig = "BadConfig"
	// K6Failed means that k6 could not be run, or failed in another way.
	K6Failed = "K6Failed"
	// SummaryGarbled means that k6 ended well and its records do not add up.
	SummaryGarbled = "SummaryGarbled"
)

// Failure is why a load gave no numbers.
type Failure struct {
	// Reason in one word, one of the constants of this package.
	Reason string
	// Detail is the end of k6's stderr, or what else is known, in a few lines.
	Detail string
	// ExitCode of k6, 0 when it did not come to one.
	ExitCode int
}

// Error says the reason, and the last of the detail.
func (f *Failure) Error() string {
	if f.Detail == "" {
		return fmt.Sprintf("the load failed: %s (exit code %d)", f.Reason, f.ExitCode)
	}
	return fmt.Sprintf("the load failed: %s (exit code %d): %s", f.Reason, f.ExitCode, f.Detail)
}

func garbled(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", ErrGarbled, fmt.Sprintf(format, arguments...))
}
