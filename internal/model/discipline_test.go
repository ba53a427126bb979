package model_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/model"
)

// byRank returns a percentile by sorting everything.
func byRank(latencies []time.Duration, percent int) time.Duration {
	sorted := slices.Clone(latencies)
	slices.Sort(sorted)
	return sorted[max(1, (percent*len(sorted)+99)/100)-1]
}

func at(moments ...int) model.Arrivals {
	a := model.Arrivals{}
	for _, moment := range moments {
		a.Due = append(a.Due, time.Duration(moment)*ms)
	}
	return a
}

func TestEachDisciplineServesInItsOwnOrder(t *testing.T) {
	const failed = -1
	tests := map[string]struct {
		service model.Service
		due     model.Arrivals
		want    []int
	}{
		"a pool serves first come first served": {
			model.Service{Pooled: true, Hash: 30 * ms}, at(0, 10, 20, 200), []int{30, 50, 70, 30},
		},
		"two lanes serve two at a time": {
			model.Service{Lanes: 2, Pooled: true, Hash: 30 * ms}, at(0, 10, 20), []int{30, 30, 40},
		},
		"unbounded logins take turns of 20 ms": {
			model.Service{Hash: 30 * ms}, at(0, 0), []int{50, 60},
		},
		"a hash shorter than a turn is not interrupted": {
			model.Service{Hash: 8 * ms}, at(0, 0, 0), []int{8, 16, 24},
		},
		"a single login keeps its lane, and yields at the end of a turn": {
			model.Service{Hash: 50 * ms}, at(0, 25), []int{70, 75},
		},
		"a login that arrives while two take turns is third": {
			model.Service{Hash: 30 * ms}, at(0, 0, 5), []int{70, 80, 85},
		},
		"a turn that begins between two checks of the runtime ends at the second one": {
			model.Service{Hash: 16 * ms}, at(0, 0, 0), []int{16, 48, 46},
		},
		"a full queue refuses": {
			model.Service{Pooled: true, QueueLength: 1, Hash: 30 * ms}, at(0, 1, 2, 31), []int{30, 59, failed, 59},
		},
		"a place in the queue is free as soon as a login starts": {
			model.Service{Pooled: true, QueueLength: 1, Hash: 30 * ms}, at(0, 1, 30), []int{30, 59, 60},
		},
		"a login whose caller gave up is skipped without a hash": {
			model.Service{Pooled: true, Hash: 50 * ms, Timeout: 60 * ms}, at(0, 1, 2, 30, 95), []int{50, failed, failed, failed, 55},
		},
		"a hash is completed even if its caller gives up meanwhile": {
			model.Service{Pooled: true, Hash: 50 * ms, Timeout: 60 * ms}, at(0, 20, 60), []int{50, failed, failed},
		},
		"unbounded logins are hashed even if their callers gave up": {
			model.Service{Hash: 40 * ms, Timeout: 50 * ms}, at(0, 0, 100), []int{failed, failed, 40},
		},
		"a pool with more workers than lanes takes turns": {
			model.Service{Pooled: true, Workers: 2, Hash: 30 * ms}, at(0, 0, 0), []int{50, 60, 90},
		},
		"started logins of a pool do not count for its queue": {
			model.Service{Pooled: true, Workers: 2, QueueLength: 1, Hash: 30 * ms}, at(0, 0, 0, 0), []int{50, 60, 90, failed},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []int
			for _, latency := range test.service.Latencies(test.due, 0, 1) {
				if latency == model.Failed {
					got = append(got, failed)
					continue
				}
				got = append(got, int(latency/ms))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("latencies in ms (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyCountedLoginsHaveLatencies(t *testing.T) {
	s := model.Service{Pooled: true, Hash: 30 * ms}
	a := at(0, 0, 100, 200)
	a.Counted = 2
	if diff := cmp.Diff([]time.Duration{30 * ms, 30 * ms}, s.Latencies(a, 0, 1)); diff != "" {
		t.Errorf("latencies (-want +got):\n%s", diff)
	}
	if p95, ok := s.P95(a, 1); !ok || p95 != 30*ms {
		t.Errorf("p95 is %v, %v", p95, ok)
	}
	a.Counted = 4
	if _, ok := s.P95(a, 1); ok {
		t.Error("p95 of no login")
	}
}

func TestFailuresAreSlowerThanEverySuccess(t *testing.T) {
	s := model.Service{Pooled: true, QueueLength: 18, Hash: 10 * ms}
	if _, ok := s.P95(model.Arrivals{Due: make([]time.Duration, 20)}, 1); !ok {
		t.Error("one failure of twenty takes p95 away")
	}
	s.QueueLength = 17
	if p95, ok := s.P95(model.Arrivals{Due: make([]time.Duration, 20)}, 1); ok {
		t.Errorf("two failures of twenty leave a p95 of %v", p95)
	}
}

func TestReplicasShareLoginsByChance(t *testing.T) {
	s := model.Service{Replicas: 2, Pooled: true, Hash: 30 * ms}
	due := model.Arrivals{Due: make([]time.Duration, 100)}
	first, second := s.Latencies(due, 0, 1), s.Latencies(due, 0, 2)
	if cmp.Equal(first, second) {
		t.Error("another seed shares the logins in the same way")
	}
	longest := slices.Max(first)
	if longest < 50*30*ms || longest > 70*30*ms {
		t.Errorf("the last of 100 logins took %v, want about half of 3 s", longest)
	}
	// Random sharing makes queues that one queue in front of both would not have.
	together := model.Service{Lanes: 2, Pooled: true, Hash: 30 * ms}
	apart, _ := s.SteadyP95(0.7*s.MaxPerSecond(), false, 1)
	in1, _ := together.SteadyP95(0.7*together.MaxPerSecond(), false, 1)
	if apart < in1*3/2 {
		t.Errorf("p95 is %v behind two queues and %v behind one", apart, in1)
	}
}

func TestReplicasAtAMultipleOfTheRateAnswerAsOneDoesAtTheRate(t *testing.T) {
	for name, one := range map[string]model.Service{
		"a pool":                  {Pooled: true, Hash: 14 * ms},
		"a pool on a quarter CPU": {Pooled: true, QuotaMilliCPU: 250, Hash: 14 * ms},
		"goroutines":              {Hash: 14 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			alone, ok := one.SteadyP95(0.7*one.MaxPerSecond(), false, 1)
			if !ok {
				t.Fatal("one replica fails")
			}
			three := one
			three.Replicas = 3
			// One stream of logins, each of which goes to one of the three at random.
			shared, ok := three.P95(step(three, 0.7, 60_000, 1), 1)
			if ratio := float64(shared) / float64(alone); !ok || ratio < 0.93 || ratio > 1.07 {
				t.Errorf("p95 of three is %v, of one %v: %.3g times", shared, alone, ratio)
			}
		})
	}
}
