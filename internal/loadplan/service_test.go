package loadplan

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func mustService(t *testing.T, spec v1beta1.SizingTrialSpec, cal handover.Calibration) service {
	t.Helper()
	s, err := newService(spec, cal)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSettlingAndDrainFollowTheQueue(t *testing.T) {
	tests := map[string]struct {
		hash                 int64
		percent              int64
		wantSettle, wantDrai time.Duration
	}{
		"half a load settles in 20 D":               {20_000, 50, 800 * time.Millisecond, time.Second},
		"at 85 % it takes 222 D, and 53 D to drain": {20_000, 85, 8_888 * time.Millisecond, 2_133 * time.Millisecond},
		"a slow service settles for 30 s at most":   {200_000, 85, 30 * time.Second, 10_500 * time.Millisecond},
		"an overload settles for one timeout":       {20_000, 98, 10 * time.Second, 10_500 * time.Millisecond},
		"so does a load far above the bound":        {20_000, 400, 10 * time.Second, 10_500 * time.Millisecond},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := mustService(t, aTrial(), calibrated(hashTakes(test.hash)))
			offered := s.bound * test.percent / 100
			if got := s.settling(offered).Truncate(time.Millisecond); got != test.wantSettle {
				t.Errorf("settling is %v, want %v", got, test.wantSettle)
			}
			if got := s.drain(offered).Truncate(time.Millisecond); got != test.wantDrai {
				t.Errorf("drain is %v, want %v", got, test.wantDrai)
			}
		})
	}
}

func TestReplicasShareTheLoadButNotTheQueue(t *testing.T) {
	one, three := mustService(t, aTrial(), calibrated()), mustService(t, aTrial(withReplicas(3)), calibrated())
	if one.settling(one.bound*7/10) != three.settling(three.bound*7/10) {
		t.Error("settling at one share of the bound depends on the number of replicas")
	}
	if one.closedSettling(30) != three.closedSettling(90) {
		t.Error("thirty callers a replica settle differently with three replicas")
	}
}

func TestSaturationCallersKeepEveryLaneBusyWithoutGivingUp(t *testing.T) {
	tests := map[string]struct {
		spec v1beta1.SizingTrialSpec
		cal  handover.Calibration
		want int
	}{
		"a pool of one gets 4":                         {aTrial(), calibrated(), 4},
		"an unbounded service gets 2 x GOMAXPROCS + 2": {aTrial(unbounded), calibrated(), 6},
		"every replica gets its own":                   {aTrial(withReplicas(3)), calibrated(), 12},
		"callers wait for at most half the timeout":    {aTrial(withWorkers(8)), calibrated(hashTakes(200_000)), 12},
		"but there is at least one more than lanes":    {aTrial(withWorkers(8)), calibrated(hashTakes(900_000)), 9},
		"with ten replicas of 64 workers":              {aTrial(withWorkers(64), withReplicas(10)), calibrated(hashTakes(900)), 1_300},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := mustService(t, test.spec, test.cal).saturationCallers(); got != test.want {
				t.Errorf("%d callers, want %d", got, test.want)
			}
		})
	}
}

func TestSaturationLastsUntilItsThroughputIsSure(t *testing.T) {
	same := func(*v1beta1.SizingTrialSpec) {}
	tests := map[string]struct {
		hash   int64
		change func(*v1beta1.SizingTrialSpec)
		want   int64
	}{
		"a fast service: five seconds":                 {20_000, same, 5_000},
		"a tiny experiment: its own step":              {20_000, func(s *v1beta1.SizingTrialSpec) { s.Load.StepSeconds = 3 }, 3_000},
		"a slow service: 1.5 times twenty completions": {200_000, same, 12_000},
		"a very slow one: the longest step":            {4_000_000, same, 120_000},
		"logins in batches take no longer":             {200_000, unbounded, 12_000},
		"25 callers: each is answered 1.5 times":       {100_000, withWorkers(16), 7_500},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := aTrial(test.change)
			step := mustService(t, spec, calibrated(hashTakes(test.hash))).saturation(spec.Load)
			if step.CountedMilliseconds != test.want {
				t.Errorf("counted part lasts %d ms, want %d", step.CountedMilliseconds, test.want)
			}
		})
	}
}

func TestWarmupNeverLeavesAQueueBehind(t *testing.T) {
	tests := map[string]struct {
		spec v1beta1.SizingTrialSpec
		cal  handover.Calibration
		want int64
	}{
		"Capacity: half of the first step":                        {aTrial(withOwn), calibrated(), 6_250},
		"Rates: half of the first":                                {aTrial(withOwn, atRates(intstr.FromInt32(10))), calibrated(), 5_000},
		"Rates beyond the bound: half of the bound":               {aTrial(atRates(intstr.FromInt32(100))), calibrated(), 12_500},
		"Users: half of the bound":                                {aTrial(withUsers(9)), calibrated(), 12_500},
		"a very fast service: half of what a generator can drive": {aTrial(withUsers(9)), calibrated(hashTakes(100)), 250_000},
		"a larger generator: at most the fastest warm-up":         {aTrial(withUsers(9), withGenerator("4")), calibrated(hashTakes(100)), 1_000_000},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			first := mustBuild(t, test.spec, test.cal, nil).Steps[0]
			if first.Kind != Warmup || first.Reported {
				t.Fatalf("the first step is %s, reported %v", first.Kind, first.Reported)
			}
			if first.OfferedMilliPerSecond != test.want {
				t.Errorf("warm-up at %d, want %d", first.OfferedMilliPerSecond, test.want)
			}
		})
	}
	for name, spec := range map[string]v1beta1.SizingTrialSpec{"Capacity": aTrial(), "Rates": aTrial(atRates(intstr.FromInt32(10))), "verification": verification("5")} {
		first := mustBuild(t, spec, calibrated(), nil).Steps[0]
		if first.Kind != Open || first.SettleMilliseconds < spec.Load.Warmup().Milliseconds() || first.SettleRequests == 0 {
			t.Errorf("%s of a service that only hashes: the first step is %s and settles for %d ms", name, first.Kind, first.SettleMilliseconds)
		}
	}
	without := mustBuild(t, aTrial(func(s *v1beta1.SizingTrialSpec) { s.Load.WarmupSeconds = ptr.To[int32](0) }), calibrated(), nil)
	if without.Steps[0].Kind != Open {
		t.Errorf("without a warm-up the first step is %s", without.Steps[0].Kind)
	}
}
