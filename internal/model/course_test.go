package model_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/internal/model"
)

// constant returns a course with the same factor in many windows.
func constant(factor float64) *model.Course {
	return &model.Course{Every: 130 * ms, Begun: 40 * ms, Factors: slices.Repeat([]float64{factor}, 50)}
}

// all returns all latencies of a step, from the first login on.
func all(s model.Service, a model.Arrivals, phase float64) []time.Duration {
	a.Counted = 0
	return s.Latencies(a, phase, 1)
}

// A CPU that is always slower by a fifth equals a hash that takes a fifth longer, for pools,
// unbounded goroutines and quotas. Each change of the factor can round the rest of a login by
// a nanosecond.
func TestAConstantFactorIsALongerHash(t *testing.T) {
	for name, s := range services() {
		for _, factor := range []float64{1.2, 0.8, 1.0 / 3} {
			longer, slower := s, s
			longer.Hash = time.Duration(math.Round(factor * float64(s.Hash)))
			slower.Course = constant(factor)
			a := step(longer, 0.8, 500, 7)
			want, got := all(longer, a, 0.3), all(slower, a, 0.3)
			for i := range want {
				if off := (got[i] - want[i]).Abs(); off > time.Microsecond {
					t.Errorf("%s at %v: login %d takes %v, want %v", name, factor, i, got[i], want[i])
					break
				}
			}
		}
	}
}

func TestACourseWithoutAChangeChangesNothing(t *testing.T) {
	for name, s := range services() {
		a := step(s, 0.8, 500, 7)
		for what, course := range map[string]*model.Course{"factors of 1": constant(1), "no factors": {Every: time.Second}} {
			still := s
			still.Course = course
			if diff := cmp.Diff(all(s, a, 0.3), all(still, a, 0.3)); diff != "" {
				t.Errorf("%s, %s (-without +with):\n%s", name, what, diff)
			}
		}
	}
}

func TestAChangeOfSpeedMeetsTheLoginsThatAreHashedThen(t *testing.T) {
	const s = time.Second
	pool := model.Service{Pooled: true, Hash: 100 * ms}
	// The second second is slower by half.
	stretch := &model.Course{Every: s, Factors: []float64{1, 1.5, 1}}
	begun := func(begun time.Duration, factors ...float64) *model.Course {
		return &model.Course{Every: s, Begun: begun, Factors: factors}
	}
	tests := map[string]struct {
		service  model.Service
		course   *model.Course
		arrivals model.Arrivals
		want     []time.Duration
	}{
		"only logins in a slow window": {
			pool, stretch, at(0, 800, 900, 1000, 1500, 1850, 2000, 2500), each(100, 100, 100, 150, 150, 150, 100, 100)},
		"the rest of a login when a slow window begins": {
			pool, stretch, at(940), each(60 + 60)},
		"the rest of a login is not slowed when the window ends": {
			// The 90 ms that are left of the window compute 60 ms of the hash.
			pool, stretch, at(1910), each(90 + 40)},
		"logins behind a slow one wait for it": {
			pool, stretch, at(1000, 1000, 1000), each(150, 300, 450)},
		"a slow window without a login has no effect": {
			pool, stretch, at(100, 2100), each(100, 100)},
		"the last factor applies to the end": {
			pool, begun(0, 1, 1.5), at(500, 1500, 90_000), each(100, 150, 150)},
		"a window can begin before the run": {
			pool, begun(600*ms, 1, 1.5, 1), at(0, 400, 1200, 1400), each(100, 150, 150, 100)},
		"with turns both are slowed": {
			model.Service{Hash: 100 * ms}, begun(0, 1.5), at(0, 0), each(290, 300)},
		"a quota is used up by fewer hashes, and a stall is not slowed": {
			// The tick at 52 ms stops the 75 ms that the hash now takes; after the stall until 100 ms,
			// 23 remain.
			model.Service{Pooled: true, Hash: 50 * ms, QuotaMilliCPU: 500}, begun(0, 1.5), at(0), each(100 + 23)},
		"a change of speed in a stall applies after it": {
			model.Service{Pooled: true, Hash: 75 * ms, QuotaMilliCPU: 500}, &model.Course{Every: 80 * ms, Factors: []float64{1, 2}}, at(0), each(100 + 46)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.service.Course = test.course
			got := all(test.service, test.arrivals, 1)
			for i := range got {
				got[i] = got[i].Round(time.Microsecond)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("latencies (-want +got):\n%s", diff)
			}
		})
	}
}

// each returns a latency for each login, in milliseconds.
func each(latencies ...int) []time.Duration {
	var all []time.Duration
	for _, latency := range latencies {
		all = append(all, time.Duration(latency)*ms)
	}
	return all
}

// Every replica has the same course.
func TestEachReplicaMeetsTheCourse(t *testing.T) {
	s := model.Service{Replicas: 3, Pooled: true, Hash: 100 * ms, Course: &model.Course{Every: time.Second, Factors: []float64{1, 1.5}}}
	var moments []int
	for i := range 20 {
		moments = append(moments, 5_000*i+2_000)
	}
	for i, latency := range all(s, at(moments...), 0) {
		if latency != 150*ms {
			t.Errorf("login %d takes %v, want 150ms", i, latency)
		}
	}
}

// A slower course never makes a pool faster.
func TestASlowerCourseNeverHelpsAPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := model.Service{Lanes: rapid.Int32Range(1, 3).Draw(t, "lanes"), Pooled: true, Hash: time.Duration(rapid.IntRange(1, 200).Draw(t, "hash")) * ms}
		a := step(s, rapid.Float64Range(0.1, 1.2).Draw(t, "load"), 60, 5)
		course := &model.Course{Every: time.Duration(rapid.IntRange(1, 2000).Draw(t, "every")) * ms, Begun: time.Duration(rapid.IntRange(0, 3000).Draw(t, "begun")) * ms}
		slower := *course
		for _, factor := range rapid.SliceOfN(rapid.Float64Range(0.5, 2), 1, 20).Draw(t, "factors") {
			course.Factors = append(course.Factors, factor)
			slower.Factors = append(slower.Factors, factor*rapid.Float64Range(1, 1.5).Draw(t, "slower"))
		}
		s.Course = course
		before := all(s, a, 0)
		s.Course = &slower
		for i, latency := range all(s, a, 0) {
			if latency < before[i]-time.Microsecond {
				t.Fatalf("login %d takes %v on a slower CPU, and %v before", i, latency, before[i])
			}
		}
	})
}
