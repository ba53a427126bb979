package model_test

import (
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
)

// step returns a step with a number of logins at a share of the bound, after a settling part
// of a fifth of them.
func step(s model.Service, rho float64, logins int, seed uint32) model.Arrivals {
	const settlingShare = 5
	perSecond := rho * s.MaxPerSecond()
	over := func(n int) time.Duration { return time.Duration(float64(n) / perSecond * float64(time.Second)) }
	settling := over(logins / settlingShare)
	due := loadplan.Poisson(seed+1, logins/settlingShare, settling)
	counted := len(due)
	for _, at := range loadplan.Poisson(seed, logins, over(logins)) {
		due = append(due, settling+at)
	}
	return model.Arrivals{Due: due, Counted: counted}
}

// services returns services at cost 10, as plans and verdicts simulate them.
func services() map[string]model.Service {
	const hash = 56 * time.Millisecond
	return map[string]model.Service{
		"pool on a CPU":               {Lanes: 1, Pooled: true, QueueLength: 100, Hash: hash, Timeout: 10 * time.Second},
		"pool on half a CPU":          {Lanes: 2, Pooled: true, QueueLength: 100, QuotaMilliCPU: 500, Hash: hash, Timeout: 10 * time.Second},
		"unbounded on a CPU":          {Lanes: 1, Hash: hash, Timeout: 10 * time.Second},
		"unbounded on half a CPU":     {Lanes: 2, QuotaMilliCPU: 500, Hash: hash, Timeout: 10 * time.Second},
		"three pools on half a CPU":   {Replicas: 3, Lanes: 2, Pooled: true, QuotaMilliCPU: 500, Hash: hash, Timeout: 10 * time.Second},
		"cost 12 on a quarter of one": {Lanes: 2, Pooled: true, QueueLength: 5, QuotaMilliCPU: 250, Hash: 4 * hash, Timeout: 10 * time.Second},
	}
}

func BenchmarkP95OfAThousandLogins(b *testing.B) {
	for name, service := range services() {
		b.Run(name, func(b *testing.B) {
			a := step(service, 0.8, 1000, 7)
			for b.Loop() {
				service.P95(a, 1)
			}
		})
	}
}

func BenchmarkSpreadOfTwoHundredRuns(b *testing.B) {
	for name, service := range services() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				service.Spread(func(run int) model.Arrivals { return step(service, 0.7, 1000, uint32(2*run)) }, 200, 1, 950)
			}
		})
	}
}

func BenchmarkCapacity(b *testing.B) {
	for name, service := range services() {
		b.Run(name, func(b *testing.B) {
			limit := model.Limit{P95: 8 * service.NoLoadP95(), ErrorShare: 0.001}
			for b.Loop() {
				outlook := service.NewOutlook(false, 1)
				for _, share := range []float64{0.9, 1, 1.1} {
					at := limit
					at.P95 = time.Duration(share * float64(limit.P95))
					outlook.Capacity(at)
				}
			}
		})
	}
}
