//go:build integration

package controllers_test

import (
	"encoding/json"
	"sync"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// cachedModel runs the simulation only once for each input. Tests that differ only in where
// an operator dies repeat the same inputs hundreds of times.
var cachedModel = lifecycle.Model{
	Predict: func(spec v1beta1.SizingTrialSpec, cal handover.Calibration) *v1beta1.Prediction {
		return fromCache("predict", []any{spec, cal}, func() *v1beta1.Prediction {
			return lifecycle.Simulation().Predict(spec, cal)
		})
	},
	Judge: func(in verdict.Input) verdict.Judgement {
		return fromCache("judge", in, func() verdict.Judgement { return lifecycle.Simulation().Judge(in) })
	},
}

// results holds the results as JSON, so that no caller can change another's copy.
var results sync.Map

func fromCache[A any](kind string, input any, compute func() A) A {
	key := kind + " " + string(mustMarshal(input))
	once, _ := results.LoadOrStore(key, sync.OnceValue(func() []byte { return mustMarshal(compute()) }))
	var result A
	if err := json.Unmarshal(once.(func() []byte)(), &result); err != nil {
		panic(err) // it was marshalled from the same type
	}
	return result
}

func mustMarshal(value any) []byte {
	written, err := json.Marshal(value)
	if err != nil {
		panic(err) // inputs and results are plain structs
	}
	return written
}
