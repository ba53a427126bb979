package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

const (
	fine    = v1beta1.VerdictValid
	suspect = v1beta1.VerdictSuspect
	invalid = v1beta1.VerdictInvalid
)

// finding is a reason without its message.
type finding struct {
	Type    string
	Verdict v1beta1.Verdict
}

// The cases are just inside each threshold and just outside it.
func TestVerdictTable(t *testing.T) {
	tests := map[string]struct {
		disturb func(w *fixture)
		want    v1beta1.Verdict
		reason  string // the only one; none when empty
	}{
		"an undisturbed run is valid": {func(*fixture) {}, fine, ""},

		"a lag of 5 % of p95 is allowed": {func(w *fixture) { w.lag(w.reported(), 10_000, 60_000) }, fine, ""},
		"more is suspect":                {func(w *fixture) { w.lag(w.reported(), 10_001, 60_000) }, suspect, v1beta1.ReasonGeneratorSaturated},
		"20 % is still suspect":          {func(w *fixture) { w.lag(w.step(85), 40_000, 60_000) }, suspect, v1beta1.ReasonGeneratorSaturated},
		"more is invalid":                {func(w *fixture) { w.lag(w.step(85), 40_001, 60_000) }, invalid, v1beta1.ReasonGeneratorSaturated},
		"5 ms of lag are allowed however fast the service": {func(w *fixture) {
			w.expected(w.step(50), 15, 20, 29)
			w.lag(w.step(50), 5_000, 60_000)
		}, fine, ""},
		"20 ms of lag are suspect however fast the service": {func(w *fixture) {
			w.expected(w.step(50), 15, 20, 29)
			w.lag(w.step(50), 20_000, 60_000)
		}, suspect, v1beta1.ReasonGeneratorSaturated},
		"a lag of 6.1 ms in one login of a hundred does not matter for a p95 of 79 ms": {func(w *fixture) {
			w.expected(w.step(50), 70, 79, 90)
			w.lag(w.step(50), 3_000, 6_100)
		}, fine, ""},
		"a lag of 8 ms in one login of twenty does": {func(w *fixture) {
			w.expected(w.step(50), 70, 79, 90)
			w.lag(w.step(50), 8_000, 9_000)
		}, suspect, v1beta1.ReasonGeneratorSaturated},
		"with p99 in the objective, a lag of 5 % of p99 is allowed in one login of a hundred": {func(w *fixture) {
			w.Spec.Objective.P99Milliseconds = ptr.To[int32](2000)
			w.lag(w.reported(), 900, 12_500)
		}, fine, ""},
		"more of it is suspect": {func(w *fixture) {
			w.Spec.Objective.P99Milliseconds = ptr.To[int32](2000)
			w.lag(w.reported(), 900, 12_501)
		}, suspect, v1beta1.ReasonGeneratorSaturated},
		"a login that was never sent is invalid": {func(w *fixture) { fail(w.step(50), 1, &w.step(50).NeverSent) }, invalid, v1beta1.ReasonGeneratorSaturated},
		"half of them never sent is still the generator's fault": {func(w *fixture) {
			fail(w.step(85), 100, &w.step(85).NeverSent)
		}, invalid, v1beta1.ReasonGeneratorSaturated},
		"a generator at 80 % of its CPU is allowed": {func(w *fixture) { used(w.step(0).Generator, 400) }, fine, ""},
		"above that it is invalid":                  {func(w *fixture) { used(w.step(0).Generator, 401) }, invalid, v1beta1.ReasonGeneratorSaturated},
		"without a quota its CPUs are its limit": {func(w *fixture) {
			w.Run.Generator.QuotaMilliCPU = 0
			used(w.reported().Generator, 801)
		}, invalid, v1beta1.ReasonGeneratorSaturated},

		"1 % of throttling is allowed": {func(w *fixture) { throttled(w.reported().Generator, 10) }, fine, ""},
		"more is suspect as throttled": {func(w *fixture) { throttled(w.reported().Generator, 11) }, suspect, v1beta1.ReasonGeneratorThrottled},
		"5 % is suspect as throttled":  {func(w *fixture) { throttled(w.reported().Generator, 50) }, suspect, v1beta1.ReasonGeneratorThrottled},
		"more is invalid as throttled": {func(w *fixture) { throttled(w.reported().Generator, 51) }, invalid, v1beta1.ReasonGeneratorThrottled},

		"99 % sent in time is allowed":   {func(w *fixture) { sent(w.reported(), 990) }, fine, ""},
		"98.9 % sent in time is suspect": {func(w *fixture) { sent(w.reported(), 989) }, suspect, v1beta1.ReasonRateNotAchieved},
		"less than 95 % is invalid":      {func(w *fixture) { sent(w.reported(), 949) }, invalid, v1beta1.ReasonRateNotAchieved},

		"72 successes are enough":                   {func(w *fixture) { samples(w.reported(), 72) }, fine, ""},
		"71 are suspect":                            {func(w *fixture) { samples(w.reported(), 71) }, suspect, v1beta1.ReasonTooFewSamples},
		"20 are suspect":                            {func(w *fixture) { samples(w.reported(), 20) }, suspect, v1beta1.ReasonTooFewSamples},
		"19 are invalid":                            {func(w *fixture) { samples(w.reported(), 19) }, invalid, v1beta1.ReasonTooFewSamples},
		"few samples in another step do not matter": {func(w *fixture) { samples(w.step(50), 10) }, fine, ""},
		"ten completions are enough for a maximum":  {func(w *fixture) { w.step(0).CompletedInWindow = 10 }, fine, ""},
		"nine are not":                              {func(w *fixture) { w.step(0).CompletedInWindow = 9 }, suspect, v1beta1.ReasonTooFewSamples},
		"a handover without steps is invalid":       {func(w *fixture) { w.Run.Steps = nil }, invalid, ""},

		"2 % more CPU than the limit is allowed": {func(w *fixture) { usesOfItsCPU(w.step(0), 1.0199, 1) }, fine, ""},
		"more CPU than that is suspect":          {func(w *fixture) { usesOfItsCPU(w.step(0), 1.0201, 1) }, suspect, v1beta1.ReasonAboveCPUBound},
		"5 % more CPU is suspect":                {func(w *fixture) { usesOfItsCPU(w.step(0), 1.0499, 1) }, suspect, v1beta1.ReasonAboveCPUBound},
		"more CPU than that is invalid":          {func(w *fixture) { usesOfItsCPU(w.step(0), 1.0501, 1) }, invalid, v1beta1.ReasonAboveCPUBound},
		"more CPU in any step is invalid":        {func(w *fixture) { usesOfItsCPU(w.step(50), 1.0501, 1) }, invalid, v1beta1.ReasonAboveCPUBound},
		"a maximum above the bound is a faster CPU": {func(w *fixture) {
			w.step(0).ThroughputMilliPerSecond, w.step(0).Service.HashMicroseconds = ptr.To[int64](27_000), w.step(0).Service.TimedHashes*18_000
		}, fine, ""},

		"5 % of failures are no overload": {func(w *fixture) {
			fail(w.step(85), 10, &w.step(85).Refused)
			w.model.capacity = always(20)
		}, fine, ""},
		"an overload in the reported step is a reason without a verdict": {func(w *fixture) {
			fail(w.reported(), 20, &w.reported().TimedOut)
			w.model.capacity = always(15)
		}, fine, v1beta1.ReasonOverloaded},
		"a maximum below what was offered is an overload": {func(w *fixture) {
			for i := range w.Plan.Steps {
				if w.Plan.Steps[i].Reported {
					w.Plan.Steps[i].OfferedMilliPerSecond = *w.step(0).ThroughputMilliPerSecond
				}
			}
		}, fine, v1beta1.ReasonOverloaded},
		"two liveness probes may fail in a row":           {func(w *fixture) { w.step(85).Alive = &handover.Alive{Probes: 9, Failed: 4, FailedInARow: 2} }, fine, ""},
		"three restart the pod":                           {func(w *fixture) { w.step(85).Alive = &handover.Alive{Probes: 9, Failed: 3, FailedInARow: 3} }, fine, v1beta1.ReasonLivenessFails},
		"an unknown user may take 10 % less time":         {func(w *fixture) { w.unknownUser(900) }, fine, ""},
		"an unknown user may take 10 % more time":         {func(w *fixture) { w.unknownUser(1100) }, fine, ""},
		"less time tells who has an account":              {func(w *fixture) { w.unknownUser(899) }, fine, v1beta1.ReasonUsersDistinguishable},
		"more time does, too":                             {func(w *fixture) { w.unknownUser(1101) }, fine, v1beta1.ReasonUsersDistinguishable},
		"98 % of its quota is what a saturated pool uses": {func(w *fixture) { usesOfItsCPU(w.step(0), 0.9751, 0) }, fine, ""},
		"less than 98 % of its quota is suspect":          {func(w *fixture) { usesOfItsCPU(w.step(0), 0.9749, 0) }, suspect, v1beta1.ReasonBelowCPUBound},
		"half of its CPU is still suspect":                {func(w *fixture) { usesOfItsCPU(w.step(0), 0.5001, -1) }, suspect, ""},
		"less than half is invalid":                       {func(w *fixture) { usesOfItsCPU(w.step(0), 0.4999, -1) }, invalid, ""},
		"a service that is not saturated uses less":       {func(w *fixture) { usesOfItsCPU(w.step(50), 0.3, -1) }, fine, ""},
		"a maximum below the bound is a slower CPU": {func(w *fixture) {
			w.step(0).ThroughputMilliPerSecond, w.step(0).Service.HashMicroseconds = ptr.To[int64](20_500), w.step(0).Service.TimedHashes*23_800
		}, fine, ""},

		"an unknown speed is suspect": {func(w *fixture) { w.step(85).Service.TimedHashes = 0 }, suspect, v1beta1.ReasonSpeedUnknown},
		"an unknown speed of a few hashes does not matter": {func(w *fixture) {
			w.step(85).Service.TimedHashes, w.step(85).Service.Hashes = 0, 19
		}, fine, ""},
		"1.5 times as slow is a drift":            {func(w *fixture) { w.step(50).Service.HashMicroseconds = 29_999 * w.step(50).Service.TimedHashes }, fine, ""},
		"slower is another machine":               {func(w *fixture) { w.step(50).Service.HashMicroseconds = 30_001 * w.step(50).Service.TimedHashes }, suspect, v1beta1.ReasonSpeedUnknown},
		"two thirds of the time is a drift":       {func(w *fixture) { w.step(50).Service.HashMicroseconds = 13_401 * w.step(50).Service.TimedHashes }, fine, ""},
		"faster is another machine":               {func(w *fixture) { w.step(50).Service.HashMicroseconds = 13_399 * w.step(50).Service.TimedHashes }, suspect, v1beta1.ReasonSpeedUnknown},
		"with sessions the speed does not matter": {func(w *fixture) { w.Spec.Variant.Hash.Sessions, w.step(50).Service.TimedHashes = true, 0 }, fine, ""},
		"a lag in an overload is caused by the service": {func(w *fixture) {
			w.step(0).ThroughputMilliPerSecond = ptr.To[int64](21_500)
			w.lag(w.step(85), 1_000_000, 2_000_000)
			sent(w.step(85), 500)
			fail(w.step(85), 10, &w.step(85).NeverSent)
		}, fine, ""},

		"a generator on CPUs of its own shares nothing": {func(w *fixture) { w.Run.Generator.Cpuset = "1-3" }, fine, ""},
		"the same CPU numbers on another machine are not shared": {func(w *fixture) {
			w.Run.Generator.Cpuset, w.Run.Generator.BootID = "0", "boot-2"
		}, fine, ""},
		"a generator on the service's only CPU is suspect": {func(w *fixture) { w.Run.Generator.Cpuset = "0-1" }, suspect, v1beta1.ReasonSharedNode},
		"with an idle core beside them it is not":          {func(w *fixture) { share(w, 4, 1000, 300) }, fine, ""},
		"with less than a core idle it is":                 {func(w *fixture) { share(w, 4, 999, 300) }, suspect, v1beta1.ReasonSharedNode},
		"others may take 20 % of the service's CPUs":       {func(w *fixture) { share(w, 4, 1500, 800) }, fine, ""},
		"more is invalid as shared":                        {func(w *fixture) { share(w, 4, 1500, 801) }, invalid, v1beta1.ReasonSharedNode},

		"2 % of the CPU for other machines is allowed":  {func(w *fixture) { stolen(w, 20) }, fine, ""},
		"more is suspect as stolen":                     {func(w *fixture) { stolen(w, 21) }, suspect, v1beta1.ReasonNoisyNeighbour},
		"5 % is still suspect as stolen":                {func(w *fixture) { stolen(w, 50) }, suspect, v1beta1.ReasonNoisyNeighbour},
		"more is invalid as stolen":                     {func(w *fixture) { stolen(w, 51) }, invalid, v1beta1.ReasonNoisyNeighbour},
		"a neighbour may take a tenth of the CPU":       {func(w *fixture) { neighbour(w, 1, 300, 100) }, fine, ""},
		"more is suspect as a neighbour":                {func(w *fixture) { neighbour(w, 1, 300, 101) }, suspect, v1beta1.ReasonNoisyNeighbour},
		"a quarter is still suspect":                    {func(w *fixture) { neighbour(w, 1, 300, 250) }, suspect, v1beta1.ReasonNoisyNeighbour},
		"more is invalid as a neighbour":                {func(w *fixture) { neighbour(w, 1, 300, 251) }, invalid, v1beta1.ReasonNoisyNeighbour},
		"any amount is allowed if a core is idle":       {func(w *fixture) { neighbour(w, 4, 1000, 2400) }, fine, ""},
		"but not with less than a core idle":            {func(w *fixture) { neighbour(w, 4, 999, 2400) }, invalid, v1beta1.ReasonNoisyNeighbour},
		"replicas on one CPU do not count as others":    {func(w *fixture) { siblings(w, 3, 100, onOne) }, fine, ""},
		"what they do not use counts as others":         {func(w *fixture) { siblings(w, 3, 101, onOne) }, suspect, v1beta1.ReasonNoisyNeighbour},
		"replicas on their own CPUs are not summed":     {func(w *fixture) { siblings(w, 1, 101, onTheirOwn) }, suspect, v1beta1.ReasonNoisyNeighbour},
		"replicas on their own machines are not summed": {func(w *fixture) { siblings(w, 1, 101, onTheirMachines) }, suspect, v1beta1.ReasonNoisyNeighbour},

		// At 70 % of 25/s D/(1−ρ)² is 40 ms ÷ 0.09, twenty times that 8.89 s: about ten
		// relaxation times of M/D/1.
		"a step of twenty times D/(1−ρ)² is steady":    {func(w *fixture) { w.reported().CountedMicroseconds = 8_889_000 }, fine, ""},
		"a shorter one is suspect":                     {func(w *fixture) { w.reported().CountedMicroseconds = 8_780_000 }, suspect, v1beta1.ReasonNotSteady},
		"another step that is shorter does not matter": {func(w *fixture) { w.step(85).CountedMicroseconds = 1_000_000 }, fine, ""},
		"1.5 times as slow in the second half is fine": {func(w *fixture) { w.reported().SecondHalfP50Microseconds = ptr.To[int64](90_000) }, fine, ""},
		"slower still is suspect":                      {func(w *fixture) { w.reported().SecondHalfP50Microseconds = ptr.To[int64](90_001) }, suspect, v1beta1.ReasonNotSteady},
		"unless the arrivals explain it": {func(w *fixture) {
			w.reported().SecondHalfP50Microseconds = ptr.To[int64](180_000)
			w.model.slower = 2
		}, fine, ""},
		"slower than the arrivals explain is suspect": {func(w *fixture) {
			w.reported().SecondHalfP50Microseconds = ptr.To[int64](180_001)
			w.model.slower = 2
		}, suspect, v1beta1.ReasonNotSteady},
		"arrivals that make it faster excuse nothing": {func(w *fixture) {
			w.reported().SecondHalfP50Microseconds = ptr.To[int64](90_000)
			w.model.slower = 0.5
		}, fine, ""},

		"a pool may be a quarter slower than simulated": {func(w *fixture) { w.model.p95 = 160 * time.Millisecond }, fine, ""},
		"more is suspect, as the model disagrees":       {func(w *fixture) { w.model.p95 = 159 * time.Millisecond }, suspect, v1beta1.ReasonModelDisagrees},
		"a pool may take 0.8 of what is simulated":      {func(w *fixture) { w.model.p95 = 250 * time.Millisecond }, fine, ""},
		"less is suspect, as the model disagrees":       {func(w *fixture) { w.model.p95 = 251 * time.Millisecond }, suspect, v1beta1.ReasonModelDisagrees},
		"a decision's step is shorter, and may differ by 1.27": {func(w *fixture) {
			decides(&w.Spec)
			w.drive()
			w.model.p95Of[int(w.reported().Scheduled)] = 158 * time.Millisecond
		}, fine, ""},
		"more is suspect there, too": {func(w *fixture) {
			decides(&w.Spec)
			w.drive()
			w.model.p95Of[int(w.reported().Scheduled)] = 157 * time.Millisecond
		}, suspect, v1beta1.ReasonModelDisagrees},
		"half of the time of a steady state is enough there": {func(w *fixture) {
			decides(&w.Spec)
			w.drive()
			w.reported().CountedMicroseconds = 4_401_000
		}, fine, ""},
		"less is suspect there": {func(w *fixture) {
			decides(&w.Spec)
			w.drive()
			w.reported().CountedMicroseconds = 4_399_000
		}, suspect, v1beta1.ReasonNotSteady},
		"elsewhere a shorter step may not differ more": {func(w *fixture) {
			w.step(50).CountedMicroseconds /= 20
			w.model.p95Of[int(w.step(50).Scheduled)] = 159 * time.Millisecond
		}, suspect, v1beta1.ReasonModelDisagrees},
		"a difference that the phase of the quota explains is fine": {func(w *fixture) {
			w.model.p95, w.model.sway = 140*time.Millisecond, 0.3 // up to 177.8 ms
		}, fine, ""},
		"a larger difference than the phase explains is suspect": {func(w *fixture) {
			w.model.p95, w.model.sway = 120*time.Millisecond, 0.3 // up to 152.4 ms
		}, suspect, v1beta1.ReasonModelDisagrees},
		"above 90 % load the model is not compared": {func(w *fixture) {
			w.at(85).OfferedMilliPerSecond = 22_501
			w.model.p95Of[int(w.step(85).Scheduled)] = time.Second
		}, fine, ""},
		"up to 90 % it is": {func(w *fixture) {
			w.at(85).OfferedMilliPerSecond = 22_500
			w.model.p95Of[int(w.step(85).Scheduled)] = time.Second
		}, suspect, v1beta1.ReasonModelDisagrees},
		"with 71 logins the model is not compared": {func(w *fixture) {
			w.model.p95Of[int(w.step(50).Scheduled)] = time.Second
			samples(w.step(50), 71)
		}, fine, ""},
		"with less than 2 ms of CPU time per login the model is not compared": {func(w *fixture) {
			w.model.p95 = time.Second
			for i := range w.Run.Steps[:3] {
				used := w.Run.Steps[i].Service
				used.CPUMicroseconds, used.BusyMicroseconds = used.Hashes*1_999, used.Hashes*1_999
			}
		}, fine, ""},
		"with sessions the model is not compared": {func(w *fixture) {
			w.Spec.Variant.Hash.Sessions = true
			w.model.p95, w.model.slower = time.Second, 9
			w.reported().CountedMicroseconds = 1_000_000
		}, fine, ""},
		"a quota with other periods is not supported": {func(w *fixture) { w.Calibration.QuotaPeriodMicroseconds = 10_000 }, suspect, v1beta1.ReasonModelDisagrees},
		"a quota with burst is not supported":         {func(w *fixture) { w.Calibration.QuotaBurstMicroseconds = 1 }, suspect, v1beta1.ReasonModelDisagrees},
		"with sessions the quota does not matter": {func(w *fixture) {
			w.Spec.Variant.Hash.Sessions, w.Calibration.QuotaPeriodMicroseconds = true, 10_000
		}, fine, ""},

		"a start lag of a tenth of p95 is fine": {func(w *fixture) {
			w.expected(w.reported(), 15, 20, 29)
			w.lag(w.reported(), 2_000, 2_000)
		}, fine, ""},
		"a longer start lag is suspect": {func(w *fixture) {
			w.expected(w.reported(), 15, 20, 29)
			w.lag(w.reported(), 2_001, 2_001)
		}, suspect, v1beta1.ReasonResolution},
		"a longer start lag in another step is fine": {func(w *fixture) {
			w.expected(w.step(50), 15, 20, 29)
			w.lag(w.step(50), 5_000, 5_000)
		}, fine, ""},

		"a quota within 1 % of the limit is fine":       {func(w *fixture) { w.Run.Services[0].QuotaMilliCPU = 505 }, fine, ""},
		"a quota further from the limit is invalid":     {func(w *fixture) { w.Run.Services[0].QuotaMilliCPU = 506 }, invalid, v1beta1.ReasonLimitNotApplied},
		"a quota that is too small is invalid":          {func(w *fixture) { w.Run.Services[0].QuotaMilliCPU = 490 }, invalid, v1beta1.ReasonLimitNotApplied},
		"a whole CPU instead of half of one is invalid": {func(w *fixture) { w.Run.Services[0].QuotaMilliCPU = 0 }, invalid, v1beta1.ReasonLimitNotApplied},
		"an injected container is invalid":              {func(w *fixture) { w.Placement.Altered = []string{"a pod has 2 containers instead of 1"} }, invalid, v1beta1.ReasonPodAltered},

		"no container of the generator":       {func(w *fixture) { w.Run.Generator = nil }, suspect, v1beta1.ReasonEvidenceMissing},
		"a generator with unknown CPUs":       {func(w *fixture) { w.Run.Generator.Cpuset = "" }, suspect, v1beta1.ReasonEvidenceMissing},
		"no pod of the service":               {func(w *fixture) { w.Run.Services = nil }, suspect, v1beta1.ReasonEvidenceMissing},
		"a service pod on an unknown machine": {func(w *fixture) { w.Run.Services[0].BootID = "" }, suspect, v1beta1.ReasonEvidenceMissing},
		"a step without the service's CPU":    {func(w *fixture) { w.step(50).Service = nil }, suspect, v1beta1.ReasonEvidenceMissing},
		"a step without the generator's CPU":  {func(w *fixture) { w.step(0).Generator = nil }, suspect, v1beta1.ReasonEvidenceMissing},
		"a service that counted no hashes":    {func(w *fixture) { w.reported().Service.Hashes = 0 }, suspect, v1beta1.ReasonEvidenceMissing},
		"no medians of the step's halves":     {func(w *fixture) { w.reported().FirstHalfP50Microseconds = nil }, suspect, v1beta1.ReasonEvidenceMissing},
		"the last step without numbers":       {func(w *fixture) { w.Run.Steps = w.Run.Steps[:3] }, suspect, v1beta1.ReasonEvidenceMissing},
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
			if test.reason == v1beta1.ReasonOverloaded || test.reason == v1beta1.ReasonLivenessFails || test.reason == v1beta1.ReasonUsersDistinguishable {
				want[0].Verdict = ""
			}
			if diff := cmp.Diff(want, findings(got.Reasons)); diff != "" {
				t.Errorf("reasons (-want +got):\n%s%v", diff, got.Reasons)
			}
		})
	}
}

func findings(reasons []v1beta1.Reason) []finding {
	var all []finding
	for _, r := range reasons {
		all = append(all, finding{r.Type, r.Verdict})
	}
	return all
}

func TestLivenessFailsOfAnOwnServiceDoesNotNameWorkers(t *testing.T) {
	w := ranWell(t)
	w.step(85).Alive = &handover.Alive{Probes: 9, Failed: 3, FailedInARow: 3}
	told := func() string { return w.judge().Result.Reasons[0].Message }
	if message := told(); !strings.Contains(message, "Set workers") {
		t.Errorf("Hashmark's own service: %q", message)
	}
	w.Spec.Service.Own = &v1beta1.OwnService{}
	if message := told(); strings.Contains(message, "workers") || !strings.Contains(message, "event loop") {
		t.Errorf("a user's own service, whose workers nobody can set: %q", message)
	}
}

func TestSharedNodeOfTwoNodesOnOneMachineNamesTheMachine(t *testing.T) {
	w := ranWell(t)
	w.Run.Generator.Cpuset = "0-1"
	told := func() string { return w.judge().Result.Reasons[0].Message }
	if got := told(); !strings.Contains(got, "as with kind") {
		t.Errorf("told on two nodes of a machine: %s", got)
	}
	w.Placement.GeneratorNode = w.Placement.ServiceNodes[0]
	if got := told(); !strings.Contains(got, "add a node") {
		t.Errorf("told on one node: %s", got)
	}
}

func TestMessageOfAnUnsupportedQuota(t *testing.T) {
	w := ranWell(t)
	w.Calibration.QuotaPeriodMicroseconds, w.Calibration.QuotaBurstMicroseconds = 10_000, 2_500
	want := []v1beta1.Reason{{Type: v1beta1.ReasonModelDisagrees, Verdict: suspect, Message: "The service's CPU quota has periods of 10ms and saves up to 2.5ms of unused time (CFS burst), " +
		"but the model supports only periods of 100ms without burst; predictions may be wrong. " +
		"Measure on nodes whose kubelet has cpuCFSQuotaPeriod: 100ms, and without CFS burst"}}
	if diff := cmp.Diff(want, w.judge().Result.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestUnboundedMayDifferMoreFromTheModel(t *testing.T) {
	for p95, want := range map[time.Duration]v1beta1.Verdict{
		134 * time.Millisecond: fine, 133 * time.Millisecond: suspect,
		300 * time.Millisecond: fine, 301 * time.Millisecond: suspect,
	} {
		w := ranWell(t, unbounded)
		w.model.p95 = p95
		if got := w.judge().Result; got.Verdict != want {
			t.Errorf("200 ms measured and %s simulated are %s, want %s: %v", p95, got.Verdict, want, got.Reasons)
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
		w.lag(s, 900_000, 900_000)
		fail(s, s.OK/2, &s.NeverSent)
		samples(s, 12)
	}
	for _, r := range w.judge().Result.Reasons {
		if letters := len([]rune(r.Message)); letters > 512 || letters < 40 || !strings.Contains(r.Message, " ") {
			t.Errorf("%s: %d letters: %s", r.Type, letters, r.Message)
		}
	}
}

func TestDisturbed(t *testing.T) {
	tests := map[string]struct {
		reasons []v1beta1.Reason
		want    bool
	}{
		"a saturated generator":            {[]v1beta1.Reason{{Type: v1beta1.ReasonGeneratorSaturated, Verdict: invalid}}, true},
		"a throttled generator":            {[]v1beta1.Reason{{Type: v1beta1.ReasonGeneratorThrottled, Verdict: invalid}}, true},
		"a rate that was not achieved":     {[]v1beta1.Reason{{Type: v1beta1.ReasonRateNotAchieved, Verdict: invalid}}, true},
		"a generator that is suspect":      {[]v1beta1.Reason{{Type: v1beta1.ReasonGeneratorSaturated, Verdict: suspect}}, false},
		"something else that is invalid":   {[]v1beta1.Reason{{Type: v1beta1.ReasonLimitNotApplied, Verdict: invalid}}, false},
		"a noisy neighbour":                {[]v1beta1.Reason{{Type: v1beta1.ReasonNoisyNeighbour, Verdict: invalid}}, true},
		"other work on the service's node": {[]v1beta1.Reason{{Type: v1beta1.ReasonSharedNode, Verdict: invalid}}, true},
		"a suspect one and an invalid one": {[]v1beta1.Reason{{Type: v1beta1.ReasonGeneratorSaturated, Verdict: suspect}, {Type: v1beta1.ReasonLimitNotApplied, Verdict: invalid}}, false},
		"nothing":                          {nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := verdict.Disturbed(v1beta1.VariantResult{Reasons: test.reasons}); got != test.want {
				t.Errorf("tried again: %v, want %v", got, test.want)
			}
		})
	}
}

func TestAnUnreadReplicaIsMissingEvidence(t *testing.T) {
	w := ranWell(t, withReplicas(2))
	w.step(0).ThroughputMilliPerSecond = ptr.To[int64](49_000)
	usesOfItsCPU(w.step(0), 0.97, -1)
	w.model.capacity = always(45)
	if got := w.judge().Result.Verdict; got != fine {
		t.Fatalf("two replicas that ran well are %s", got)
	}
	w.Run.Services = w.Run.Services[:1]
	if got := findings(w.judge().Result.Reasons); !cmp.Equal(got, []finding{{v1beta1.ReasonEvidenceMissing, suspect}}) {
		t.Errorf("reasons are %v", got)
	}
}

// In a saturation, each pod has callers of its own, so that none of several replicas is
// idle because of missing logins.
func TestASaturationThatLeavesReplicasIdleIsSuspect(t *testing.T) {
	w := ranWell(t, withReplicas(3))
	w.step(0).ThroughputMilliPerSecond = ptr.To[int64](68_000)
	usesOfItsCPU(w.step(0), 0.93, -1)
	w.model.capacity = always(65)
	if got := findings(w.judge().Result.Reasons); !cmp.Equal(got, []finding{{v1beta1.ReasonBelowCPUBound, suspect}}) {
		t.Errorf("reasons are %v", got)
	}
}

// A step that is too slow to run has no p95, and the row says why. The maximum of the
// saturation remains and is the input of the model.
func TestAReportedStepThatWasLeftOutLeavesTheMaximum(t *testing.T) {
	w := ranWell(t)
	w.Calibration.HashMicroseconds = 800_000
	w.drive()
	w.step(0).CompletedInWindow, w.step(0).ThroughputMilliPerSecond = 29, ptr.To[int64](610)
	w.model.capacity = always(0.3)
	judged := w.judge()
	if diff := cmp.Diff([]finding{{v1beta1.ReasonTooFewSamples, suspect}}, findings(judged.Result.Reasons)); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if r := judged.Result; r.P95Microseconds != nil || r.MaxThroughputMilliPerSecond == nil || r.CapacityMethod != v1beta1.CapacityPredicted {
		t.Errorf("p95 %v, maximum %v, capacity %v %s", r.P95Microseconds, r.MaxThroughputMilliPerSecond, r.CapacityMilliPerSecond, r.CapacityMethod)
	}
	notRun := 0
	for _, step := range judged.Steps {
		if step.Outcome == v1beta1.StepNotRun {
			notRun++
		}
	}
	if notRun != 3 {
		t.Errorf("%d steps are shown as not run, want 3", notRun)
	}
}

func TestTheLowestLoadUnderWhichAProbeWouldRestartAPodIsNamed(t *testing.T) {
	w := ranWell(t)
	w.reported().Alive = &handover.Alive{Probes: 20, P95Microseconds: ptr.To[int64](4000)}
	for _, percent := range []int32{0, 85} {
		w.step(percent).Alive = &handover.Alive{Probes: 20, Failed: 7, FailedInARow: 5}
	}
	got := w.judge()
	want := "In the step at 85 % of the bound a pod did not answer 5 liveness probes in a row within 1s: a probe with timeoutSeconds: 1 and " +
		"periodSeconds: 1 would have restarted it. Set workers, so that logins wait in a queue and not on the CPU, or allow the probe more time"
	if len(got.Result.Reasons) != 1 || got.Result.Reasons[0].Message != want {
		t.Errorf("the reasons are %+v", got.Result.Reasons)
	}
	if alive := got.Result.Alive; alive == nil || alive.Probes != 20 || ptr.Deref(alive.P95Microseconds, 0) != 4000 {
		t.Errorf("the row has %+v, and not the probes of the reported step", alive)
	}
	if alive := got.Steps[0].Alive; (alive == nil) != (w.Run.Steps[0].Alive == nil) {
		t.Errorf("the first step has %+v", alive)
	}
}
