package verdict_test

import (
	"math"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// loadedCapacity returns the capacity of a service whose hashes take longer the busier it is: the highest rate that
// meets the objective with the hash time at that rate.
func (m machine) loadedCapacity(service model.Service, limit model.Limit) float64 {
	low, high, idle := 0.0, m.cpus()/service.Hash.Seconds(), service.Hash
	for range 20 {
		rate := (low + high) / 2
		busy := rate * idle.Seconds() / m.cpus()
		loaded := service
		loaded.Hash = time.Duration((1 + m.loaded*min(1, busy/math.Max(1e-9, 1-m.loaded*busy))) * float64(idle))
		if m.loaded*busy < 1 && loaded.NewOutlook(false, 99).Capacity(limit) >= rate {
			low = rate
		} else {
			high = rate
		}
	}
	return low
}

// What a hash takes longer because the service is busy stays in its capacity, and at the reference speed, whatever
// that is, the capacity is the true one. A reference of an idle CPU made it up to 46 % too high.
func TestSlownessThatTheLoadCausesIsNotDrift(t *testing.T) {
	for _, loaded := range []float64{0, 0.1, 0.3, 0.45} {
		for _, quota := range []int64{0, 500} {
			m := newMachine(v1beta1.ConcurrencyWorkerPool, quota, 3)
			m.loaded, m.wakesUp = loaded, true
			in := m.input(t)
			in.Calibration.CoreCpuset = "0,4"
			for _, reference := range []float64{0, 14_200, 15_200} {
				in.Reference = reference
				judged := verdict.Judge(in)
				slower := float64(judged.Speed.ReferenceHashMicrosecondsAtCost8) / float64(trueHash.Microseconds())
				truth, found := m.capacity(in, slower), float64(ptr.Deref(judged.Result.CapacityMilliPerSecond, 0))/1000
				t.Logf("%g %% on %dm, reference %g: %s, capacity %.4g/s, true %.4g/s, %v", 100*loaded, quota, reference, judged.Result.Verdict, found, truth, findings(judged.Result.Reasons))
				if math.Abs(found/truth-1) > 0.05 {
					t.Errorf("%g %% on %dm: capacity %.4g/s, true %.4g/s", 100*loaded, quota, found, truth)
				}
				if said := hasReason(judged, v1beta1.ReasonSlowerUnderLoad); said != (loaded > 0) || (judged.Speed.UnderLoad != nil) != said {
					t.Errorf("%g %% on %dm: %+v, %+v", 100*loaded, quota, judged.Result.Reasons, judged.Speed.UnderLoad)
				}
				// A step at 70 % of the idle service's bound is a longer queue for this one.
				longQueue := loaded > 0 && hasReason(judged, v1beta1.ReasonNotSteady)
				if judged.Result.Verdict != fine && !longQueue {
					t.Errorf("%g %% on %dm is %s: %+v", 100*loaded, quota, judged.Result.Verdict, judged.Result.Reasons)
				}
			}
		}
	}
}

// A quota of the pod or the node that leaves a container a little less than its own shows in the CPU that the saturated
// service used.
func TestAQuotaAboveTheContainersIsFound(t *testing.T) {
	for _, test := range []struct {
		quota int64
		share float64
		want  bool
	}{{500, 1, false}, {500, 0.97, true}, {500, 0.95, true}, {0, 0.98, false}, {0, 0.94, true}} {
		m := newMachine(v1beta1.ConcurrencyWorkerPool, test.quota, 3)
		m.wakesUp = true
		in := m.input(t)
		s := saturation(&in)
		for _, n := range []*int64{s.ThroughputMilliPerSecond, &s.Service.Hashes, &s.Service.TimedHashes, &s.Service.HashMicroseconds, &s.Service.CPUMicroseconds, &s.Service.BusyMicroseconds} {
			longer(n, test.share)
		}
		if judged := verdict.Judge(in); hasReason(judged, v1beta1.ReasonBelowCPUBound) != test.want {
			t.Errorf("%g of a quota of %dm: %s, %+v", test.share, test.quota, judged.Result.Verdict, judged.Result.Reasons)
		}
	}
}

// A CPU drifts that becomes slower when the load begins and stays slow, that is as slow before or after the load, or
// that is slow in one step alone.
func TestDriftIsNotSlownessThatTheLoadCauses(t *testing.T) {
	loads := loadplan.Duration(newMachine(v1beta1.ConcurrencyWorkerPool, 0, 3).input(t).Plan)
	for name, speed := range map[string]func(at time.Duration) float64{
		"from the load on": func(at time.Duration) float64 {
			if at < 0 {
				return 1
			}
			return 1.2
		},
		"a sawtooth of 100 s": func(at time.Duration) float64 { return 0.85 + 0.3*math.Mod(at.Seconds()+50, 100)/100 },
		"a sawtooth of 80 s":  func(at time.Duration) float64 { return 0.85 + 0.3*math.Mod(at.Seconds()+40, 80)/80 },
		"a tooth that ends with the load": func(at time.Duration) float64 {
			if at > loads-time.Second {
				return 0.87
			}
			return 1 + 0.15*max(0, at.Seconds())/(loads.Seconds()-1)
		},
		"slow only while it is full": func(at time.Duration) float64 {
			if at > loads-11*time.Second && at < loads-time.Second {
				return 1.12
			}
			return 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(v1beta1.ConcurrencyWorkerPool, 0, 3)
			m.speed = speed
			in := m.input(t)
			in.Reference = float64(trueHash.Microseconds())
			judged := verdict.Judge(in)
			truth, found := m.capacity(in, 1), float64(ptr.Deref(judged.Result.CapacityMilliPerSecond, 0))/1000
			if judged.Speed.UnderLoad != nil || math.Abs(found/truth-1) > 0.05 {
				t.Errorf("capacity %.4g/s, true %.4g/s, %+v", found, truth, judged.Speed.UnderLoad)
			}
		})
	}
}
