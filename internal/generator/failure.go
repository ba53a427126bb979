package generator

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// k6's exit codes with a meaning of their own (errext/exitcodes in k6).
const (
	k6InvalidConfig   = 104
	k6ScriptException = 107
)

// failed returns the failure that ended the load. If the context ended with a failure, it
// is that one, because it caused all other failures.
func failed(ctx context.Context, reason, detail string, exitCode int) *measurement.Failure {
	if cause, ok := errors.AsType[*measurement.Failure](context.Cause(ctx)); ok {
		return cause
	}
	return &measurement.Failure{Reason: reason, Detail: detail, ExitCode: exitCode}
}

func reasonOf(result Result) string {
	switch {
	case result.Signal == syscall.SIGKILL:
		return measurement.GeneratorOOMKilled
	case result.ExitCode == k6ScriptException:
		return measurement.ScriptError
	case result.ExitCode == k6InvalidConfig:
		return measurement.BadConfig
	default:
		return measurement.K6Failed
	}
}

func detailOf(result Result) string {
	switch result.Signal {
	case 0:
		return result.Log.Tail()
	case syscall.SIGKILL:
		return result.Log.Tail() + "\nk6 was killed, most likely by the kernel because it ran out of memory: raise spec.generator.memoryLimit"
	default:
		return fmt.Sprintf("%s\nk6 was terminated by the signal %q", result.Log.Tail(), result.Signal)
	}
}
