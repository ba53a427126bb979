package loopback

import (
	"context"
	"fmt"

	"github.com/hashmark-dev/hashmark/internal/generator"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// K6 runs a plan of one step with Hashmark's own script, and returns the records of its
// counted logins.
func K6(ctx context.Context, binary, url string, step loadplan.Step, timeoutMilliseconds int64) ([]measurement.Record, error) {
	plan := loadplan.Plan{Version: loadplan.Version, TimeoutMilliseconds: timeoutMilliseconds, Steps: []loadplan.Step{step}}
	result, err := generator.Command{Binary: binary, Plan: plan, Environment: []string{
		"HASHMARK_TARGET=" + url, "HASHMARK_USER=" + User, "HASHMARK_PASSWORD=" + Password, "HASHMARK_REPLICAS=1",
	}}.Run(ctx)
	if err != nil {
		return nil, err
	}
	if result.ExitCode != 0 {
		return nil, fmt.Errorf("k6 ended with %d: %s", result.ExitCode, result.Log.Tail())
	}
	records, err := result.Log.Records()
	if err != nil {
		return nil, err
	}
	var counted []measurement.Record
	for _, record := range records {
		if record.Index >= step.SettleRequests {
			counted = append(counted, record)
		}
	}
	return counted, nil
}
