package prediction

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// overhead is the CPU time of a login in addition to its hash, to accept and answer it. It was
// measured as about a millisecond on an idle service.
const overhead = time.Millisecond

// mostScatter is the upper limit of a login time's relative error.
const mostScatter = 0.5

// FromHashTimes predicts every variant of a matrix of costs from only their hash times. It assumes that
// each pod has its CPU limit as a quota on a node with as many CPUs. It does not set Sizing and Price, and
// leaves out variants whose cost was not timed or whose hash is too short for the model.
//
// It returns the errors of matrix.Variants.
func FromHashTimes(spec v1beta1.SizingExperimentSpec, times []v1beta1.HashTime) ([]v1beta1.PredictedVariant, error) {
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		return nil, err
	}
	var rows []v1beta1.PredictedVariant
	for _, variant := range variants {
		if e, known := fromHashTime(spec, times, variant); known {
			row := e.row()
			e.addP95(&row)
			row.InMatrix = true
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// ServiceFromHashTime returns one replica of a variant that FromHashTimes predicts, or false
// if FromHashTimes leaves it out.
func ServiceFromHashTime(spec v1beta1.SizingExperimentSpec, times []v1beta1.HashTime, variant v1beta1.Variant) (model.Service, bool) {
	e, known := fromHashTime(spec, times, variant)
	return e.service, known
}

func fromHashTime(spec v1beta1.SizingExperimentSpec, times []v1beta1.HashTime, variant v1beta1.Variant) (expectation, bool) {
	limit, err := matrix.MilliCPU(variant.CPULimit)
	if err != nil {
		return expectation{}, false
	}
	for _, timed := range times {
		login := time.Duration(timed.HashMicroseconds) * time.Microsecond
		if !timed.Hash.IsCost() || !variant.Hash.IsCost() || timed.Hash.Cost() != variant.Hash.Cost() || !verdict.Modelled(login) {
			continue
		}
		cal, _ := given(limit, max(2, matrix.WholeCPUs(limit)), true)
		scatter := float64(timed.ErrorMicroseconds)/float64(timed.HashMicroseconds) + overhead.Seconds()/login.Seconds()
		return newExpectation(v1beta1.SizingTrialSpec{
			Variant: variant, Repetition: 1, Load: spec.Load, Objective: spec.Objective, Service: v1beta1.Service{Replicas: 1},
		}, cal, login, min(mostScatter, scatter)), true
	}
	return expectation{}, false
}
