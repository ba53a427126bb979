package verdict_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// ownService is a login service that does more than hash for each login: one worker on one CPU, without a quota. The
// model does not share the code that simulates it.
type ownService struct {
	// work returns the CPU time of a login ÷ that of its hash, and wait how long its response waits for something else,
	// meanwhile the service works for other logins.
	hash time.Duration
	work func(*rand.Rand) float64
	wait func(*rand.Rand) time.Duration
	// The service stands still for pause about once in every.
	every, pause time.Duration
}

// mean returns the CPU time of a login ÷ that of its hash. Pauses are work of the logins that cause them.
func (o ownService) mean() float64 {
	chance, sum := rand.New(rand.NewPCG(5, 5)), 0.0
	const draws = 20_000
	for range draws {
		sum += o.work(chance) / draws
	}
	if o.every > 0 {
		sum /= 1 - o.pause.Seconds()/o.every.Seconds()
	}
	return sum
}

// latencies returns the latencies of logins, and the longest time in which none was answered though some waited.
func (o ownService) latencies(due []time.Duration, chance *rand.Rand) (latencies []time.Duration) {
	draw := func() time.Duration { return time.Duration(float64(o.every) * (0.5 + chance.Float64())) }
	var free time.Duration
	next := time.Duration(chance.Float64() * float64(o.every))
	for _, at := range due {
		begun := max(at, free)
		free = begun + time.Duration(o.work(chance)*float64(o.hash))
		for o.every > 0 && next < free {
			free += max(0, min(o.pause, next+o.pause-begun))
			next += o.pause + draw()
		}
		latencies = append(latencies, free-at+o.wait(chance))
	}
	return latencies
}

// capacity returns the highest rate at which p95 of a long run is at most this.
func (o ownService) capacity(p95 time.Duration) float64 {
	const logins = 200_000
	gaps, chance := make([]float64, logins), rand.New(rand.NewPCG(7, 7))
	for i := range gaps {
		gaps[i] = chance.ExpFloat64()
	}
	low, high := 0.0, 1/(o.mean()*o.hash.Seconds())
	for range 14 {
		rate := (low + high) / 2
		due, now := make([]time.Duration, logins), 0.0
		for i, gap := range gaps {
			now += gap / rate
			due[i] = time.Duration(now * float64(time.Second))
		}
		latencies := o.latencies(due, rand.New(rand.NewPCG(8, 8)))
		slices.Sort(latencies)
		if latencies[logins*95/100] <= p95 {
			low = rate
		} else {
			high = rate
		}
	}
	return low
}

func ownServices() map[string]ownService {
	constant := func(*rand.Rand) float64 { return 1 }
	none := func(*rand.Rand) time.Duration { return 0 }
	exponential := func(mean float64) func(*rand.Rand) float64 {
		return func(c *rand.Rand) float64 { return 1 + mean*c.ExpFloat64() }
	}
	return map[string]ownService{
		"constant":         {work: constant, wait: none},
		"10 % more work":   {work: exponential(0.1), wait: none},
		"30 % more work":   {work: exponential(0.3), wait: none},
		"100 % more work":  {work: exponential(1), wait: none},
		"waits 5 to 50 ms": {work: constant, wait: func(c *rand.Rand) time.Duration { return time.Duration(5+45*c.Float64()) * time.Millisecond }},
		"waits 20 ms":      {work: constant, wait: func(*rand.Rand) time.Duration { return 20 * time.Millisecond }},
		"2 % wait 200 ms": {work: constant, wait: func(c *rand.Rand) time.Duration {
			return map[bool]time.Duration{true: 200, false: 5}[c.Float64() < 0.02] * time.Millisecond
		}},
		"one in ten re-hashes": {work: func(c *rand.Rand) float64 { return map[bool]float64{true: 2, false: 1}[c.Float64() < 0.1] }, wait: none},
		"50 ms every 2 s":      {work: constant, wait: none, every: 2 * time.Second, pause: 50 * time.Millisecond},
		"200 ms every 10 s":    {work: constant, wait: none, every: 10 * time.Second, pause: 200 * time.Millisecond},
		"1 s every minute":     {work: constant, wait: none, every: time.Minute, pause: time.Second},
	}
}

// A service of the user's own that does more than hash has a capacity within 10 % of that of a long run, or its row says that
// it stood still.
func TestOwnServicesThatDoMoreThanHash(t *testing.T) {
	for name, own := range ownServices() {
		for hash, objective := range map[time.Duration]int32{12 * time.Millisecond: 200, 48 * time.Millisecond: 1000} {
			t.Run(fmt.Sprintf("%s, hash of %s", name, hash), func(t *testing.T) {
				t.Parallel()
				own := own
				own.hash = hash
				truth := own.capacity(time.Duration(objective) * time.Millisecond)
				for seed := range int64(4) {
					m := newMachine(v1beta1.ConcurrencyWorkerPool, 0, seed)
					m.hash, m.own = time.Duration(own.mean()*float64(hash)/1.01), &own // the machine adds 1 % to each login
					m.objective = float64(objective) / trueHash.Seconds() / 1000
					judged := verdict.Judge(m.input(t))
					off := float64(ptr.Deref(judged.Result.CapacityMilliPerSecond, 0))/1000/truth - 1
					t.Logf("seed %d: %s, capacity off by %+.3f, %v", seed, judged.Result.Verdict, off, findings(judged.Result.Reasons))
					if judged.Result.Verdict == fine && math.Abs(off) > 0.1 {
						t.Errorf("seed %d: the capacity is off by %+.3f: %s", seed, off, judged.Capacity.Message)
					}
					if own.every == 0 && math.Abs(off) > 0.1 || hasReason(judged, v1beta1.ReasonModelDisagrees) {
						t.Errorf("seed %d: the capacity is off by %+.3f, %+v", seed, off, judged.Result.Reasons)
					}
					waits := time.Duration(judged.Steps[0].Model.WaitMicroseconds) * time.Microsecond
					if name == "waits 20 ms" && (waits-20*time.Millisecond).Abs() > 3*time.Millisecond || name == "constant" && waits > 0 {
						t.Errorf("seed %d: a login is found to wait %s", seed, waits)
					}
					longest := 2*own.pause > time.Duration(objective)*time.Millisecond
					if paused := hasReason(judged, v1beta1.ReasonServicePaused); own.every == 0 && name != "100 % more work" && paused || longest && own.every < time.Minute && !paused {
						t.Errorf("seed %d: %+v", seed, judged.Result.Reasons)
					}
				}
			})
		}
	}
}

// A companion without CPU left makes a row Invalid, and one whose CPU time is unknown makes it Suspect.
func TestCompanionsAreChecked(t *testing.T) {
	for name, test := range map[string]struct {
		use  []handover.CompanionUse
		want string
	}{
		"nine tenths of its limit": {[]handover.CompanionUse{{Name: "database", BusiestPerMille: 900}}, ""},
		"more of its limit":        {[]handover.CompanionUse{{Name: "database", BusiestPerMille: 901}}, v1beta1.ReasonCompanionSaturated},
		"unknown":                  {nil, v1beta1.ReasonEvidenceMissing},
	} {
		w := ranWell(t)
		w.Spec.Service.Own = &v1beta1.OwnService{Companions: []v1beta1.Companion{{Name: "database"}}}
		w.Run.Companions = test.use
		judged := w.judge()
		for _, reason := range []string{v1beta1.ReasonCompanionSaturated, v1beta1.ReasonEvidenceMissing} {
			if hasReason(judged, reason) != (reason == test.want) {
				t.Errorf("%s: %+v, want %q", name, judged.Result.Reasons, test.want)
			}
		}
		if saturated := test.want == v1beta1.ReasonCompanionSaturated; saturated != (judged.Result.Verdict == v1beta1.VerdictInvalid) {
			t.Errorf("%s: the verdict is %s", name, judged.Result.Verdict)
		}
	}
}
