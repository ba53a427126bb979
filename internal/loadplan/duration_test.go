package loadplan

import (
	"math"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func TestEstimateIsOfTheRightSize(t *testing.T) {
	rates := atRates(intstr.FromInt32(1))
	for name, test := range map[string]struct {
		cost     int32
		limit    string
		p95      int32
		change   func(*v1beta1.SizingTrialSpec)
		least    time.Duration
		greatest time.Duration
	}{
		"cost 8 on a CPU takes half a minute":                 {8, "1", 0, nil, 25 * time.Second, 60 * time.Second},
		"cost 10 on a quarter takes two":                      {10, "250m", 0, nil, 80 * time.Second, 150 * time.Second},
		"cost 16 on a quarter is mostly left out, and ends":   {16, "250m", 0, nil, 60 * time.Second, 300 * time.Second},
		"cost 14 takes 0.9 s, and is measured within 1 s":     {14, "1", 1000, nil, 60 * time.Second, 400 * time.Second},
		"cost 14 is only calibrated if a login may take half": {14, "1", 500, nil, 22 * time.Second, 24 * time.Second},
		"named rates are loaded anyway":                       {14, "1", 500, rates, 40 * time.Second, 90 * time.Second},
		"sessions are loaded anyway":                          {14, "1", 500, withSessions, 60 * time.Second, 400 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Estimate(aTrial(func(s *v1beta1.SizingTrialSpec) {
				s.Variant.Hash, s.Variant.CPULimit, s.Objective.P95Milliseconds = v1beta1.BcryptHash(test.cost), test.limit, test.p95
				if test.change != nil {
					test.change(s)
				}
			}), 1)
			if err != nil {
				t.Fatal(err)
			}
			if got < test.least || got > test.greatest {
				t.Errorf("estimate is %v, want %v to %v", got, test.least, test.greatest)
			}
		})
	}
	if _, err := Estimate(aTrial(func(s *v1beta1.SizingTrialSpec) { s.Variant.CPULimit = "none" }), 1); err == nil {
		t.Error("a variant without a limit was estimated")
	}
}

// Whatever the calibration finds, the plan is within the deadline that was set before it,
// and has the properties that k6 and the verdict need.
func FuzzBuildKeepsItsPromises(f *testing.F) {
	f.Add(int64(20_000), int64(500), int32(1), int32(1), uint8(0), int32(10), int32(100), int32(120), int32(10), int64(20_000))
	f.Add(int64(4_000_000), int64(250), int32(64), int32(10), uint8(1), int32(3), int32(20), int32(3), int32(1), int64(3))
	f.Add(int64(1), int64(64_000), int32(0), int32(1), uint8(2), int32(1800), int32(100_000), int32(1800), int32(60), int64(400_000_000))
	f.Fuzz(func(t *testing.T, hash, quota int64, workers, replicas int32, mode uint8, step, samples, longest, timeout int32, predicted int64) {
		within := func(v *int32, low, high int32) { *v = low + int32(uint32(*v)%uint32(high-low+1)) }
		within(&workers, 0, 64)
		within(&replicas, 1, 10)
		within(&step, 1, 1800)
		within(&samples, 20, 100_000)
		within(&longest, step, 1800)
		within(&timeout, 1, 60)
		hash, quota = 1+int64(uint64(hash)%60_000_000), 1+int64(uint64(quota)%64_000)
		spec := aTrial(withReplicas(replicas), func(s *v1beta1.SizingTrialSpec) {
			s.Load = withLimits(s.Load, samples, longest)
			s.Load.StepSeconds, s.Load.RequestTimeoutSeconds = step, timeout
			s.Variant.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}
			if workers > 0 {
				s.Variant.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: &workers}
			}
			switch mode % 3 {
			case 1:
				atRates(intstr.FromString("0.001"), intstr.FromInt32(3), intstr.FromInt32(2000))(s)
			case 2:
				withUsers(1, 2000)(s)
			}
		})
		plan, err := Build(spec, calibrated(hashTakes(hash), func(c *handover.Calibration) { c.QuotaMilliCPU, c.GoMaxProcs, c.Cpuset = &quota, 64, "0-63" }),
			&v1beta1.Prediction{CapacityMilliPerSecond: new(predicted & math.MaxInt32)})
		if err != nil {
			// A bound below one login in a thousand seconds cannot be planned.
			return
		}
		checkPromises(t, plan)
		if got, deadline := Duration(plan), MaxDuration(spec); got > deadline {
			t.Errorf("the plan takes %v, the deadline before calibration was %v", got, deadline)
		}
	})
}

func checkPromises(t *testing.T, plan Plan) {
	t.Helper()
	var end int64
	reported := 0
	for i, s := range plan.Steps {
		if s.StartMilliseconds < end {
			t.Errorf("step %d begins before the one before it has drained", i)
		}
		end = s.EndMilliseconds()
		checkStep(t, i, s)
		if s.Reported {
			reported++
		}
	}
	if reported > 1 {
		t.Errorf("%d steps are reported", reported)
	}
}

func checkStep(t *testing.T, i int, s Step) {
	t.Helper()
	if s.Callers < 1 || s.Callers > mostCallers {
		t.Errorf("step %d has %d callers", i, s.Callers)
	}
	if s.CountedMilliseconds < 1 || s.SettleMilliseconds < 0 || s.SettleMilliseconds > longestSettling.Milliseconds() {
		t.Errorf("step %d settles for %d ms and counts for %d ms", i, s.SettleMilliseconds, s.CountedMilliseconds)
	}
	if s.Kind != Open {
		return
	}
	offered := float64(s.Requests) * milli * milli / float64(s.CountedMilliseconds)
	// The only error is that the time is in whole milliseconds.
	if off := offered/float64(s.OfferedMilliPerSecond) - 1; math.Abs(off) > 0.51/float64(s.CountedMilliseconds) {
		t.Errorf("step %d offers %.1f, says %d", i, offered, s.OfferedMilliPerSecond)
	}
}

// The limit is measured variants × repetitions × (60 + warm-up + steps × (step + timeout))
// ≤ 86,400 seconds.
func TestPlansEndWithinADay(t *testing.T) {
	type spec = v1beta1.SizingExperimentSpec
	rates, users := &v1beta1.RatesLoad{}, &v1beta1.UsersLoad{}
	for n := range int32(18) {
		rates.PerSecond, users.Counts = append(rates.PerSecond, intstr.FromInt32(n+1)), append(users.Counts, n+1)
	}
	eighteen := func(load v1beta1.Load, warmup int32) func(*spec) {
		return func(s *spec) {
			s.Repetitions, s.Load = ptr.To[int32](10), load
			s.Load.StepSeconds, s.Load.RequestTimeoutSeconds, s.Load.WarmupSeconds = 466, 10, ptr.To(warmup)
		}
	}
	matrix := func(m v1beta1.Matrix) func(*spec) { return func(s *spec) { s.Matrix = m } }
	repeated := func(n int32) func(*spec) { return func(s *spec) { s.Repetitions = &n } }
	pools := []v1beta1.NodePool{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	costs := []int32{4, 6, 8, 9, 10, 11, 12}
	cornersAndHashes := v1beta1.Matrix{
		Measure: v1beta1.MeasureCorners, Costs: []int32{8, 9, 10}, CPULimits: fixture.Limits("1", "2", "3"), NodePools: pools,
		Hashes: []v1beta1.Hash{{Name: "cheap", SHA256: &v1beta1.SHA256{}}},
	}
	onlyCorners := v1beta1.Matrix{Measure: v1beta1.MeasureCorners, Costs: []int32{8, 12}, CPULimits: fixture.Limits("1", "2")}
	for name, test := range map[string]struct {
		changes []func(*spec)
		refused bool
	}{
		// 1 × 10 × (60 + 12 + 18 × (466 + 10)) = 86,400
		"Rates that take exactly 24 hours":       {[]func(*spec){eighteen(v1beta1.Load{Rates: rates}, 12)}, false},
		"one more second of warm-up":             {[]func(*spec){eighteen(v1beta1.Load{Rates: rates}, 13)}, true},
		"one more second of warm-up, with Users": {[]func(*spec){eighteen(v1beta1.Load{Users: users}, 13)}, true},
		// 27 × (60 + 5 + 24 × (120 + 10)) = 85,995
		"27 variants of Capacity with its defaults": {[]func(*spec){matrix(v1beta1.Matrix{Costs: []int32{8, 10, 12}, CPULimits: fixture.Limits("250m", "500m", "1"), NodePools: pools})}, false},
		"28 variants of Capacity with its defaults": {[]func(*spec){matrix(v1beta1.Matrix{Costs: costs, CPULimits: fixture.Limits("250m", "500m", "1", "2")})}, true},
		"28 variants of shorter steps": {[]func(*spec){matrix(v1beta1.Matrix{Costs: costs, CPULimits: fixture.Limits("250m", "500m", "1", "2")}),
			func(s *spec) { s.Load = withLimits(s.Load, 100, 60) }}, false},
		"the corners of 64 variants": {[]func(*spec){matrix(v1beta1.Matrix{Measure: v1beta1.MeasureCorners,
			Costs: []int32{4, 5, 6, 7, 8, 9, 10, 11}, CPULimits: fixture.Limits("1", "2", "3", "4", "5", "6", "7", "8")})}, false},
		// (6 + 3) × 3 × (60 + 5 + 24 × (120 + 10)) = 85,995
		"corners and hashes on three pools": {[]func(*spec){matrix(cornersAndHashes)}, false},
		"eleven more seconds of warm-up":    {[]func(*spec){matrix(cornersAndHashes), func(s *spec) { s.Load.WarmupSeconds = ptr.To[int32](21) }}, true},
		// 4 × 6 × (60 + 5 + 24 × (120 + 10)) = 76,440, and seven times 89,180
		"nothing but corners, six times":   {[]func(*spec){matrix(onlyCorners), repeated(6)}, false},
		"nothing but corners, seven times": {[]func(*spec){matrix(onlyCorners), repeated(7)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec{
				Matrix:      v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1")},
				Load:        v1beta1.Load{StepSeconds: 10, WarmupSeconds: ptr.To[int32](5), RequestTimeoutSeconds: 10},
				Repetitions: ptr.To[int32](1),
			}
			for _, change := range test.changes {
				change(&s)
			}
			err := CheckDuration(s)
			if (err != nil) != test.refused || err != nil && !strings.Contains(err.Error(), "at most 24 hours; use fewer variants") {
				t.Errorf("refused with %v", err)
			}
		})
	}
}
