package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

const (
	fine    = v1alpha1.VerdictValid
	suspect = v1alpha1.VerdictSuspect
	invalid = v1alpha1.VerdictInvalid
)

// finding is a reason without its sentence.
type finding struct {
	Type    string
	Verdict v1alpha1.Verdict
}

// The verdict table, a row at a time: just inside each threshold, and just
// beyond it.
func TestVerdictTable(t *testing.T) {
	tests := map[string]struct {
		disturb func(w *world)
		want    v1alpha1.Verdict
		reason  string // the only one; none when empty
	}{
		"an undisturbed run is valid": {func(*world) {}, fine, ""},

		"a lag of 5 % of p95 is allowed": {func(w *world) { w.reported().LagP99Microseconds = ptr.To[int64](10_000) }, fine, ""},
		"more is suspect":                {func(w *world) { w.reported().LagP99Microseconds = ptr.To[int64](10_001) }, suspect, verdict.GeneratorSaturated},
		"20 % is the end of suspicion":   {func(w *world) { w.reported().LagP99Microseconds = ptr.To[int64](40_000) }, suspect, verdict.GeneratorSaturated},
		"more is invalid":                {func(w *world) { w.reported().LagP99Microseconds = ptr.To[int64](40_001) }, invalid, verdict.GeneratorSaturated},
		"5 ms of lag are allowed however fast the service": {func(w *world) {
			w.expected(w.reported(), 15, 20, 29)
			w.reported().LagP99Microseconds = ptr.To[int64](5_000)
		}, fine, ""},
		"20 ms of lag are the end of suspicion however fast": {func(w *world) {
			w.expected(w.reported(), 15, 20, 29)
			w.reported().LagP99Microseconds = ptr.To[int64](20_000)
		}, suspect, verdict.GeneratorSaturated},
		"a lag at a step that is not reported counts as well": {func(w *world) { w.step(85).LagP99Microseconds = ptr.To[int64](90_000) }, invalid, verdict.GeneratorSaturated},
		"a login that was never sent is invalid":              {func(w *world) { fail(w.step(50), 1, &w.step(50).NeverSent) }, invalid, verdict.GeneratorSaturated},
		"half of them never sent is still the generator's fault": {func(w *world) {
			fail(w.step(85), 100, &w.step(85).NeverSent)
		}, invalid, verdict.GeneratorSaturated},
		"a generator at 80 % of its CPU is allowed": {func(w *world) { used(w.step(0).Generator, 400) }, fine, ""},
		"above that it is invalid":                  {func(w *world) { used(w.step(0).Generator, 401) }, invalid, verdict.GeneratorSaturated},
		"without a quota its CPUs are its limit": {func(w *world) {
			w.Run.Generator.QuotaMilliCPU = 0
			used(w.reported().Generator, 801)
		}, invalid, verdict.GeneratorSaturated},

		"1 % of throttling is allowed": {func(w *world) { throttled(w.reported().Generator, 10) }, fine, ""},
		"more is suspect as throttled": {func(w *world) { throttled(w.reported().Generator, 11) }, suspect, verdict.GeneratorThrottled},
		"5 % is suspect as throttled":  {func(w *world) { throttled(w.reported().Generator, 50) }, suspect, verdict.GeneratorThrottled},
		"more is invalid as throttled": {func(w *world) { throttled(w.reported().Generator, 51) }, invalid, verdict.GeneratorThrottled},

		"99 % sent in time is allowed":       {func(w *world) { sent(w.reported(), 990) }, fine, ""},
		"less is suspect as another rate":    {func(w *world) { sent(w.reported(), 989) }, suspect, verdict.RateNotAchieved},
		"less than 95 % is invalid, as such": {func(w *world) { sent(w.reported(), 949) }, invalid, verdict.RateNotAchieved},

		"72 successes are enough": {func(w *world) { samples(w.reported(), 72) }, fine, ""},
		"71 are suspect":          {func(w *world) { samples(w.reported(), 71) }, suspect, verdict.TooFewSamples},
		"20 are suspect":          {func(w *world) { samples(w.reported(), 20) }, suspect, verdict.TooFewSamples},
		"19 are invalid":          {func(w *world) { samples(w.reported(), 19) }, invalid, verdict.TooFewSamples},
		"few samples elsewhere are the step's own affair":    {func(w *world) { samples(w.step(50), 10) }, fine, ""},
		"ten completions make a maximum":                     {func(w *world) { w.step(0).CompletedInWindow = 10 }, fine, ""},
		"nine do not":                                        {func(w *world) { w.step(0).CompletedInWindow = 9 }, suspect, verdict.TooFewSamples},
		"a step that was lost from the hand-over is invalid": {func(w *world) { w.Run.Steps = nil }, invalid, ""},

		"2 % more CPU than the limit allows may be used": {func(w *world) { usesOfItsCPU(w.step(0), 1.0199, 1) }, fine, ""},
		"beyond that it is suspect":                      {func(w *world) { usesOfItsCPU(w.step(0), 1.0201, 1) }, suspect, verdict.AboveCPUBound},
		"5 % more is suspect":                            {func(w *world) { usesOfItsCPU(w.step(0), 1.0499, 1) }, suspect, verdict.AboveCPUBound},
		"beyond that it is invalid":                      {func(w *world) { usesOfItsCPU(w.step(0), 1.0501, 1) }, invalid, verdict.AboveCPUBound},
		"in any step":                                    {func(w *world) { usesOfItsCPU(w.step(50), 1.0501, 1) }, invalid, verdict.AboveCPUBound},
		"a maximum above the bound is a faster CPU": {func(w *world) {
			w.step(0).ThroughputMilliPerSecond, w.step(0).Service.HashMicroseconds = ptr.To[int64](27_000), w.step(0).Service.TimedHashes*18_000
		}, fine, ""},

		"5 % of failures are no overload": {func(w *world) {
			fail(w.step(85), 10, &w.step(85).Refused)
			w.model.capacity = always(20)
		}, fine, ""},
		"an overload at the reported step explains itself and is no verdict": {func(w *world) {
			fail(w.reported(), 20, &w.reported().TimedOut)
			w.model.capacity = always(15)
		}, fine, verdict.Overloaded},
		"a maximum below what was offered is an overload": {func(w *world) {
			for i := range w.Plan.Steps {
				if w.Plan.Steps[i].Reported {
					w.Plan.Steps[i].OfferedMilliPerSecond = *w.step(0).ThroughputMilliPerSecond
				}
			}
		}, fine, verdict.Overloaded},
		"95 % of its CPU is what a saturated pool uses": {func(w *world) { usesOfItsCPU(w.step(0), 0.9501, -1) }, fine, ""},
		"less is suspect": {func(w *world) { usesOfItsCPU(w.step(0), 0.9499, -1) }, suspect, verdict.BelowCPUBound},
		"half of its CPU is the end of that suspicion": {func(w *world) { usesOfItsCPU(w.step(0), 0.5001, -1) }, suspect, ""},
		"less than half is invalid":                    {func(w *world) { usesOfItsCPU(w.step(0), 0.4999, -1) }, invalid, ""},
		"a service that is not saturated uses less":    {func(w *world) { usesOfItsCPU(w.step(50), 0.3, -1) }, fine, ""},
		"a maximum below the bound is a slower CPU": {func(w *world) {
			w.step(0).ThroughputMilliPerSecond, w.step(0).Service.HashMicroseconds = ptr.To[int64](20_500), w.step(0).Service.TimedHashes*23_800
		}, fine, ""},

		"a speed that is not known is suspect": {func(w *world) { w.step(85).Service.TimedHashes = 0 }, suspect, verdict.SpeedUnknown},
		"of a few hashes it need not be": {func(w *world) {
			w.step(85).Service.TimedHashes, w.step(85).Service.Hashes = 0, 19
		}, fine, ""},
		"half as slow again is a drift":        {func(w *world) { w.step(50).Service.HashMicroseconds = 29_999 * w.step(50).Service.TimedHashes }, fine, ""},
		"slower is another machine":            {func(w *world) { w.step(50).Service.HashMicroseconds = 30_001 * w.step(50).Service.TimedHashes }, suspect, verdict.SpeedUnknown},
		"two thirds of the time is a drift":    {func(w *world) { w.step(50).Service.HashMicroseconds = 13_401 * w.step(50).Service.TimedHashes }, fine, ""},
		"faster is another machine":            {func(w *world) { w.step(50).Service.HashMicroseconds = 13_399 * w.step(50).Service.TimedHashes }, suspect, verdict.SpeedUnknown},
		"with sessions the speed rules little": {func(w *world) { w.Spec.Variant.Sessions, w.step(50).Service.TimedHashes = true, 0 }, fine, ""},
		"a lag in an overload is the service's doing": {func(w *world) {
			w.step(0).ThroughputMilliPerSecond = ptr.To[int64](21_500)
			w.step(85).LagP99Microseconds = ptr.To[int64](2_000_000)
			sent(w.step(85), 500)
			fail(w.step(85), 10, &w.step(85).NeverSent)
		}, fine, ""},

		"a generator on CPUs of its own shares nothing": {func(w *world) { w.Run.Generator.Cpuset = "1-3" }, fine, ""},
		"on another machine the same numbers mean nothing": {func(w *world) {
			w.Run.Generator.Cpuset, w.Run.Generator.BootID = "0", "boot-2"
		}, fine, ""},
		"a generator on the service's only CPU is suspect": {func(w *world) { w.Run.Generator.Cpuset = "0-1" }, suspect, verdict.SharedNode},
		"with an idle core beside them it is not":          {func(w *world) { share(w, 4, 1000, 300) }, fine, ""},
		"with less than a core idle it is":                 {func(w *world) { share(w, 4, 999, 300) }, suspect, verdict.SharedNode},
		"others may take 20 % of the service's CPUs":       {func(w *world) { share(w, 4, 1500, 800) }, fine, ""},
		"more is invalid as shared":                        {func(w *world) { share(w, 4, 1500, 801) }, invalid, verdict.SharedNode},

		"2 % of the CPU for other machines is allowed": {func(w *world) { stolen(w, 20) }, fine, ""},
		"more is suspect as stolen":                    {func(w *world) { stolen(w, 21) }, suspect, verdict.NoisyNeighbour},
		"5 % is the end of suspicion as stolen":        {func(w *world) { stolen(w, 50) }, suspect, verdict.NoisyNeighbour},
		"more is invalid as stolen":                    {func(w *world) { stolen(w, 51) }, invalid, verdict.NoisyNeighbour},
		"a neighbour may take a tenth of the CPU":      {func(w *world) { neighbour(w, 1, 300, 100) }, fine, ""},
		"more is suspect as a neighbour":               {func(w *world) { neighbour(w, 1, 300, 101) }, suspect, verdict.NoisyNeighbour},
		"a quarter is the end of that":                 {func(w *world) { neighbour(w, 1, 300, 250) }, suspect, verdict.NoisyNeighbour},
		"more is invalid as a neighbour":               {func(w *world) { neighbour(w, 1, 300, 251) }, invalid, verdict.NoisyNeighbour},
		"however much, with a core idle beside it":     {func(w *world) { neighbour(w, 4, 1000, 2400) }, fine, ""},
		"not with less than a core":                    {func(w *world) { neighbour(w, 4, 999, 2400) }, invalid, verdict.NoisyNeighbour},
		"replicas on one CPU are no strangers":         {func(w *world) { siblings(w, 3, 100, onOne) }, fine, ""},
		"what is beside all of them is one":            {func(w *world) { siblings(w, 3, 101, onOne) }, suspect, verdict.NoisyNeighbour},
		"each on its own CPU has no siblings there":    {func(w *world) { siblings(w, 1, 101, onTheirOwn) }, suspect, verdict.NoisyNeighbour},
		"nor has each on a machine of its own":         {func(w *world) { siblings(w, 1, 101, onTheirMachines) }, suspect, verdict.NoisyNeighbour},

		// At 70 % of 25/s D/(1−ρ)² is 40 ms ÷ 0.09, twenty times that 8.89 s: about ten
		// relaxation times of M/D/1.
		"a step of twenty times D/(1−ρ)² is steady":     {func(w *world) { w.reported().CountedMicroseconds = 8_889_000 }, fine, ""},
		"a shorter one is suspect":                      {func(w *world) { w.reported().CountedMicroseconds = 8_780_000 }, suspect, verdict.NotSteady},
		"a shorter one elsewhere is its own affair":     {func(w *world) { w.step(85).CountedMicroseconds = 1_000_000 }, fine, ""},
		"half as slow again in the second half is fine": {func(w *world) { w.reported().SecondHalfP50Microseconds = ptr.To[int64](90_000) }, fine, ""},
		"slower still is suspect":                       {func(w *world) { w.reported().SecondHalfP50Microseconds = ptr.To[int64](90_001) }, suspect, verdict.NotSteady},
		"unless the arrivals alone make it as slow": {func(w *world) {
			w.reported().SecondHalfP50Microseconds = ptr.To[int64](180_000)
			w.model.slower = 2
		}, fine, ""},
		"and no slower": {func(w *world) {
			w.reported().SecondHalfP50Microseconds = ptr.To[int64](180_001)
			w.model.slower = 2
		}, suspect, verdict.NotSteady},
		"arrivals that make it faster excuse nothing": {func(w *world) {
			w.reported().SecondHalfP50Microseconds = ptr.To[int64](90_000)
			w.model.slower = 0.5
		}, fine, ""},

		"a pool may be a quarter slower than simulated": {func(w *world) { w.model.p95 = 160 * time.Millisecond }, fine, ""},
		"more is suspect, as the model disagrees":       {func(w *world) { w.model.p95 = 159 * time.Millisecond }, suspect, verdict.ModelDisagrees},
		"a pool may take 0.8 of what is simulated":      {func(w *world) { w.model.p95 = 250 * time.Millisecond }, fine, ""},
		"less is suspect, as the model disagrees":       {func(w *world) { w.model.p95 = 251 * time.Millisecond }, suspect, verdict.ModelDisagrees},
		"unless the phase of the quota explains it": {func(w *world) {
			w.model.p95, w.model.sway = 140*time.Millisecond, 0.3 // up to 177.8 ms
		}, fine, ""},
		"as far as it does": {func(w *world) {
			w.model.p95, w.model.sway = 120*time.Millisecond, 0.3 // up to 152.4 ms
		}, suspect, verdict.ModelDisagrees},
		"beyond 90 % load the model is not asked": {func(w *world) {
			w.at(85).OfferedMilliPerSecond = 22_501
			w.model.p95Of[int(w.step(85).Scheduled)] = time.Second
		}, fine, ""},
		"up to 90 % it is": {func(w *world) {
			w.at(85).OfferedMilliPerSecond = 22_500
			w.model.p95Of[int(w.step(85).Scheduled)] = time.Second
		}, suspect, verdict.ModelDisagrees},
		"nor is it of 71 logins": {func(w *world) {
			w.model.p95Of[int(w.step(50).Scheduled)] = time.Second
			samples(w.step(50), 71)
		}, fine, ""},
		"nor of logins that take less CPU than two milliseconds": {func(w *world) {
			w.model.p95 = time.Second
			for i := range w.Run.Steps[:3] {
				used := w.Run.Steps[i].Service
				used.CPUMicroseconds, used.BusyMicroseconds = used.Hashes*1_999, used.Hashes*1_999
			}
		}, fine, ""},
		"nor of a service with sessions": {func(w *world) {
			w.Spec.Variant.Sessions = true
			w.model.p95, w.model.slower = time.Second, 9
			w.reported().CountedMicroseconds = 1_000_000
		}, fine, ""},
		"a quota with other periods is not the model's": {func(w *world) { w.Calibration.QuotaPeriodMicroseconds = 10_000 }, suspect, verdict.ModelDisagrees},
		"nor is one that may burst":                     {func(w *world) { w.Calibration.QuotaBurstMicroseconds = 1 }, suspect, verdict.ModelDisagrees},
		"with sessions the model has no say anyway": {func(w *world) {
			w.Spec.Variant.Sessions, w.Calibration.QuotaPeriodMicroseconds = true, 10_000
		}, fine, ""},

		"a start lag of a tenth of p95 can be told from it": {func(w *world) { w.reported().LagP95Microseconds = ptr.To[int64](20_000) }, fine, ""},
		"a longer one can not":                              {func(w *world) { w.reported().LagP95Microseconds = ptr.To[int64](20_001) }, suspect, verdict.Resolution},
		"of another step it need not":                       {func(w *world) { w.step(50).LagP95Microseconds = ptr.To[int64](90_000) }, fine, ""},

		"a quota 1 % beside the limit is the limit":     {func(w *world) { w.Run.Services[0].QuotaMilliCPU = 505 }, fine, ""},
		"one further away is not":                       {func(w *world) { w.Run.Services[0].QuotaMilliCPU = 506 }, invalid, verdict.LimitNotApplied},
		"a quota that is too small is not the limit":    {func(w *world) { w.Run.Services[0].QuotaMilliCPU = 490 }, invalid, verdict.LimitNotApplied},
		"without a quota a whole CPU is not half a one": {func(w *world) { w.Run.Services[0].QuotaMilliCPU = 0 }, invalid, verdict.LimitNotApplied},
		"an injected container is invalid":              {func(w *world) { w.Placement.Altered = []string{"a pod has 2 containers instead of 1"} }, invalid, verdict.PodAltered},

		"no word of the generator's container":  {func(w *world) { w.Run.Generator = nil }, suspect, verdict.EvidenceMissing},
		"a generator whose CPUs are not known":  {func(w *world) { w.Run.Generator.Cpuset = "" }, suspect, verdict.EvidenceMissing},
		"no word of the service's pod":          {func(w *world) { w.Run.Services = nil }, suspect, verdict.EvidenceMissing},
		"a service pod on an unknown machine":   {func(w *world) { w.Run.Services[0].BootID = "" }, suspect, verdict.EvidenceMissing},
		"a step without the service's CPU":      {func(w *world) { w.step(50).Service = nil }, suspect, verdict.EvidenceMissing},
		"a step without the generator's CPU":    {func(w *world) { w.step(0).Generator = nil }, suspect, verdict.EvidenceMissing},
		"a service that counted no hashes":      {func(w *world) { w.reported().Service.Hashes = 0 }, suspect, verdict.EvidenceMissing},
		"no word of either half of the step":    {func(w *world) { w.reported().FirstHalfP50Microseconds = nil }, suspect, verdict.EvidenceMissing},
		"a step that has no numbers at the end": {func(w *world) { w.Run.Steps = w.Run.Steps[:3] }, suspect, verdict.EvidenceMissing},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t)
			test.disturb(w)
			got := w.judge().Result
			if got.Verdict != test.want {
				t.Errorf("verdict is %s, want %s", got.Verdict, test.want)
			}
			if test.reason == "" && test.want != fine {
				return
			}
			var want []finding
			if test.reason != "" {
				want = []finding{{test.reason, test.want}}
			}
			if test.reason == verdict.Overloaded {
				want[0].Verdict = ""
			}
			if diff := cmp.Diff(want, findings(got.Reasons)); diff != "" {
				t.Errorf("reasons (-want +got):\n%s%v", diff, got.Reasons)
			}
		})
	}
}

func findings(reasons []v1alpha1.Reason) []finding {
	var all []finding
	for _, r := range reasons {
		all = append(all, finding{r.Type, r.Verdict})
	}
	return all
}

func TestAQuotaThatTheModelDoesNotKnowIsToldInASentence(t *testing.T) {
	w := ranWell(t)
	w.Calibration.QuotaPeriodMicroseconds, w.Calibration.QuotaBurstMicroseconds = 10_000, 2_500
	want := []v1alpha1.Reason{{Type: verdict.ModelDisagrees, Verdict: suspect, Message: "The service's CPU quota has periods of 10ms and saves up to 2.5ms of unused time (CFS burst), " +
		"and the model knows periods of 100ms without a burst only; what follows from the model may be off. " +
		"Measure on nodes whose kubelet has cpuCFSQuotaPeriod: 100ms, and where nothing sets a burst"}}
	if diff := cmp.Diff(want, w.judge().Result.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestUnboundedGoroutinesMayLieFurtherFromTheModel(t *testing.T) {
	for p95, want := range map[time.Duration]v1alpha1.Verdict{
		134 * time.Millisecond: fine, 133 * time.Millisecond: suspect,
		300 * time.Millisecond: fine, 301 * time.Millisecond: suspect,
	} {
		w := ranWell(t, unbounded)
		w.model.p95 = p95
		if got := w.judge().Result; got.Verdict != want {
			t.Errorf("200 ms where %s were simulated are %s, want %s: %v", p95, got.Verdict, want, got.Reasons)
		}
	}
}

func TestEveryReasonIsASentenceThatFitsTheAPI(t *testing.T) {
	w := ranWell(t)
	for range 40 {
		w.Placement.Altered = append(w.Placement.Altered, "container sidecar runs image registry.example/a-long-name/of-an-image:v1.2.3")
	}
	w.Run.Generator, w.Run.Services = nil, nil
	for i := range w.Run.Steps {
		s := &w.Run.Steps[i]
		s.Service = nil
		s.LagP99Microseconds = ptr.To[int64](900_000)
		fail(s, s.OK/2, &s.NeverSent)
		samples(s, 12)
	}
	for _, r := range w.judge().Result.Reasons {
		if letters := len([]rune(r.Message)); letters > 512 || letters < 40 || !strings.Contains(r.Message, " ") {
			t.Errorf("%s: %d letters: %s", r.Type, letters, r.Message)
		}
	}
}

func TestTheGeneratorsShortageIsTriedAgainAndNothingElseIs(t *testing.T) {
	tests := map[string]struct {
		reasons []v1alpha1.Reason
		want    bool
	}{
		"a saturated generator":           {[]v1alpha1.Reason{{Type: verdict.GeneratorSaturated, Verdict: invalid}}, true},
		"a throttled generator":           {[]v1alpha1.Reason{{Type: verdict.GeneratorThrottled, Verdict: invalid}}, true},
		"a rate that was not achieved":    {[]v1alpha1.Reason{{Type: verdict.RateNotAchieved, Verdict: invalid}}, true},
		"a generator that is suspect":     {[]v1alpha1.Reason{{Type: verdict.GeneratorSaturated, Verdict: suspect}}, false},
		"something else that is invalid":  {[]v1alpha1.Reason{{Type: verdict.LimitNotApplied, Verdict: invalid}}, false},
		"a suspect one beside an invalid": {[]v1alpha1.Reason{{Type: verdict.GeneratorSaturated, Verdict: suspect}, {Type: verdict.SharedNode, Verdict: invalid}}, false},
		"nothing":                         {nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := verdict.ForGeneratorsSake(v1alpha1.VariantResult{Reasons: test.reasons}); got != test.want {
				t.Errorf("tried again: %v, want %v", got, test.want)
			}
		})
	}
}

func TestAReplicaThatIsNotHeardOfIsMissingEvidence(t *testing.T) {
	w := ranWell(t, withReplicas(2))
	w.step(0).ThroughputMilliPerSecond = ptr.To[int64](49_000)
	usesOfItsCPU(w.step(0), 0.97, -1)
	w.model.capacity = always(45)
	if got := w.judge().Result.Verdict; got != fine {
		t.Fatalf("two replicas that ran well are %s", got)
	}
	w.Run.Services = w.Run.Services[:1]
	if got := findings(w.judge().Result.Reasons); !cmp.Equal(got, []finding{{verdict.EvidenceMissing, suspect}}) {
		t.Errorf("reasons are %v", got)
	}
}

// Each pod has callers of its own in a saturation, so that none of several replicas is
// idle for want of logins.
func TestASaturationThatLeavesReplicasIdleIsSuspect(t *testing.T) {
	w := ranWell(t, withReplicas(3))
	w.step(0).ThroughputMilliPerSecond = ptr.To[int64](68_000)
	usesOfItsCPU(w.step(0), 0.93, -1)
	w.model.capacity = always(65)
	if got := findings(w.judge().Result.Reasons); !cmp.Equal(got, []finding{{verdict.BelowCPUBound, suspect}}) {
		t.Errorf("reasons are %v", got)
	}
}

// A step that was too slow to run takes p95 away, and the row says why; what
// the saturation found stands, and feeds the model.
func TestAReportedStepThatWasLeftOutLeavesTheMaximum(t *testing.T) {
	w := ranWell(t)
	w.Calibration.HashMicroseconds = 800_000
	w.drive()
	w.step(0).CompletedInWindow, w.step(0).ThroughputMilliPerSecond = 29, ptr.To[int64](610)
	w.model.capacity = always(0.3)
	judged := w.judge()
	if diff := cmp.Diff([]finding{{verdict.TooFewSamples, suspect}}, findings(judged.Result.Reasons)); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if r := judged.Result; r.P95Microseconds != nil || r.MaxThroughputMilliPerSecond == nil || r.CapacityMethod != v1alpha1.CapacityPredicted {
		t.Errorf("p95 %v, maximum %v, capacity %v %s", r.P95Microseconds, r.MaxThroughputMilliPerSecond, r.CapacityMilliPerSecond, r.CapacityMethod)
	}
	notRun := 0
	for _, step := range judged.Steps {
		if step.Outcome == v1alpha1.StepNotRun {
			notRun++
		}
	}
	if notRun != 3 {
		t.Errorf("%d steps are shown as not run, want 3", notRun)
	}
}
