package prediction

import (
	"math"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// p95PerScatter is by how many percent p95 at 70 % load rises in the simulation if each login
// takes 1 % longer: logins take longer, and the queue is longer.
const p95PerScatter = 3.4

// inMatrix returns the capacities of the variants of the matrix that were not measured, and what they follow from.
func (f *predictor) inMatrix() (rows []v1beta1.PredictedVariant, from []expectation) {
	leftOut, _ := f.unmeasured()
	for _, variant := range leftOut {
		if e, known := f.expect(variant); known {
			row := e.row()
			row.InMatrix = true
			f.shift(&row, variant)
			rows, from = append(rows, row), append(from, e)
		}
	}
	return rows, from
}

// complete adds p95 to the results of inMatrix, and variants beyond the matrix until there are mostRows.
func (f *predictor) complete(rows []v1beta1.PredictedVariant, from []expectation) []v1beta1.PredictedVariant {
	for i := range rows {
		from[i].addP95(&rows[i])
	}
	_, beyond := f.unmeasured()
	for _, variant := range beyond {
		if e, known := f.expect(variant); known && len(rows) < mostRows {
			row := e.row()
			e.addP95(&row)
			f.shift(&row, variant)
			rows = append(rows, row)
		}
	}
	return rows
}

// row returns the row of a variant without p95.
func (e expectation) row() v1beta1.PredictedVariant {
	variant := e.spec.Variant
	row := v1beta1.PredictedVariant{
		Variant: variant.Name, Cost: variant.Hash.Cost(), CPULimit: variant.CPULimit, Concurrency: variant.Concurrency,
		NodePool:            speed.NodePool(variant),
		HashMicroseconds:    e.cal.HashMicroseconds,
		BoundMilliPerSecond: e.bound(),
	}
	e.addCapacity(&row)
	row.OfferedMilliPerSecond = row.BoundMilliPerSecond * loadplan.ReportedLoadPercent / 100
	return row
}

func (e expectation) bound() int64 {
	return loadplan.BoundMilliPerSecond(max(1, e.spec.Service.Replicas), e.spec.Variant, e.cal)
}

func (e expectation) outlook() *model.Outlook {
	return e.service.NewOutlook(e.uniform(), uint64(e.spec.Seed))
}

func (e expectation) uniform() bool { return e.spec.Load.Arrivals() == v1beta1.ArrivalsUniform }

// capacity returns the highest rate, times 1000, that meets the objective if p95 is p95Factor
// times the model's, and a login takes loginFactor times as long. Slower logins are equal to a
// stricter objective at a lower rate, both by the same factor.
func (e expectation) capacity(outlook *model.Outlook, p95Factor, loginFactor float64) int64 {
	limit := model.LimitOf(e.spec.Objective).Stricter(p95Factor * loginFactor)
	return int64(math.Floor(milliPerCPU * outlook.Capacity(limit) / loginFactor))
}

func (e expectation) addCapacity(row *v1beta1.PredictedVariant) {
	outlook := e.outlook()
	capacity := e.capacity(outlook, 1, 1)
	if capacity < 1 {
		return
	}
	off := verdict.ModelError(e.spec.Variant)
	row.ObjectiveMet, row.CapacityMilliPerSecond = true, &capacity
	row.CapacityInterval = &v1beta1.RateInterval{
		LowMilliPerSecond:  e.capacity(outlook, 1+off, 1+e.scatter),
		HighMilliPerSecond: e.capacity(outlook, 1-off, 1-e.scatter),
	}
}

func (e expectation) addP95(row *v1beta1.PredictedVariant) {
	p95, answered := e.service.SteadyP95(float64(row.OfferedMilliPerSecond)/milliPerCPU, e.uniform(), uint64(e.spec.Seed))
	if !answered {
		return
	}
	micros, off := p95.Microseconds(), verdict.ModelError(e.spec.Variant)+p95PerScatter*e.scatter
	row.P95Microseconds = &micros
	row.P95Interval = &handover.Interval{
		LowMicroseconds:  int64(max(0, 1-off) * float64(micros)),
		HighMicroseconds: int64((1 + off) * float64(micros)),
	}
}
