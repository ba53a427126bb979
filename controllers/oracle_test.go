//go:build integration

package controllers_test

import (
	"encoding/json"
	"sync"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// rememberingOracle asks the simulation only once for each question: worlds
// that differ only in where an operator dies ask the same hundreds of times.
var rememberingOracle = lifecycle.Oracle{
	Expect: func(spec v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration) *v1alpha1.Prediction {
		return remembered("expect", []any{spec, cal}, func() *v1alpha1.Prediction {
			return lifecycle.Simulation().Expect(spec, cal)
		})
	},
	Judge: func(in verdict.Input) verdict.Judgement {
		return remembered("judge", in, func() verdict.Judgement { return lifecycle.Simulation().Judge(in) })
	},
}

// memory holds answers as JSON, so that nobody can change what another is told.
var memory sync.Map

func remembered[A any](kind string, question any, ask func() A) A {
	key := kind + " " + string(mustWrite(question))
	once, _ := memory.LoadOrStore(key, sync.OnceValue(func() []byte { return mustWrite(ask()) }))
	var answer A
	if err := json.Unmarshal(once.(func() []byte)(), &answer); err != nil {
		panic(err) // it was written from the same type
	}
	return answer
}

func mustWrite(value any) []byte {
	written, err := json.Marshal(value)
	if err != nil {
		panic(err) // questions and answers are plain structs
	}
	return written
}
