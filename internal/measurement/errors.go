package measurement

import (
	"errors"
	"fmt"
)

// ErrAbsent means that the termination message is empty: the generator ended before it
// could write anything.
var ErrAbsent = errors.New("the generator wrote no termination message")

// ErrInvalid means that the message is incomplete or not of this version.
var ErrInvalid = errors.New("the generator's termination message is garbled")

// The reasons of a Failure.
const (
	// GeneratorKilled means that the generator was terminated from outside during the load.
	GeneratorKilled = "GeneratorKilled"
	// GeneratorOOMKilled means that k6 was killed but the load runner was not. Only the kernel
	// does this, because it ran out of memory.
	GeneratorOOMKilled = "GeneratorOOMKilled"
	// BadPlan means that the generator's environment is invalid.
	BadPlan = "BadPlan"
	// ServiceUnreachable means that the login service did not respond before the load.
	ServiceUnreachable = "ServiceUnreachable"
	// DeadlineExceeded means that the load was not finished at its deadline.
	DeadlineExceeded = "DeadlineExceeded"
	// ScriptError means that the k6 script threw an exception or did not compile.
	ScriptError = "ScriptError"
	// BadConfig means that k6 refused its options.
	BadConfig = "BadConfig"
	// K6Failed means that k6 could not be started, or failed in another way.
	K6Failed = "K6Failed"
	// SummaryGarbled means that k6 succeeded but its records are invalid or incomplete.
	SummaryGarbled = "SummaryGarbled"
)

// Failure is the reason why a load has no numbers.
type Failure struct {
	// Reason is one of the constants of this package.
	Reason string
	// Detail is the end of k6's stderr or another explanation, in a few lines.
	Detail string
	// ExitCode of k6, 0 if it has none.
	ExitCode int
}

// Error returns the reason, the exit code and the detail.
func (f *Failure) Error() string {
	if f.Detail == "" {
		return fmt.Sprintf("the load failed: %s (exit code %d)", f.Reason, f.ExitCode)
	}
	return fmt.Sprintf("the load failed: %s (exit code %d): %s", f.Reason, f.ExitCode, f.Detail)
}

func garbled(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, arguments...))
}
