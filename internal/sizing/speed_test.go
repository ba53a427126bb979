package sizing_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// between sets the interval of a trial's capacity.
func between(low, high int64) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		t.Status.Result.CapacityInterval = &v1beta1.RateInterval{LowMilliPerSecond: low, HighMilliPerSecond: high}
	}
}

// at sets the speed of a trial: a reference hash of so many microseconds in the calibration
// and for eight seconds of the load, and so many thousandths of that for two seconds.
func at(micros int64, perMille int32) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		cal := t.Status.Calibration
		cal.ReferenceMicroseconds, cal.RatioPerMillion = micros, 1_000_000*cal.HashMicroseconds/micros
		t.Status.Speed = &v1beta1.TrialSpeed{
			ReferenceHashMicrosecondsAtCost8: micros, PlannedHashMicrosecondsAtCost8: micros, WindowMilliseconds: 1000,
			WindowsPerMille: []int32{1000, 1000, 1000, 1000, perMille, 1000, 1000, perMille, 1000, 1000},
		}
	}
}

func changed(trial v1beta1.SizingTrial, changes ...func(*v1beta1.SizingTrial)) v1beta1.SizingTrial {
	for _, change := range changes {
		change(&trial)
	}
	return trial
}

// The demand is 6.5/s with headroom. With the speed of one pod, another one is assumed to be up to 5.6 % slower.
func TestASizeIsMadeFromTheLowerEndAtTheSlowSpeed(t *testing.T) {
	onTwoPools := func(spec *v1beta1.SizingExperimentSpec) {
		spec.Matrix.NodePools = []v1beta1.NodePool{{Name: "steady"}, {Name: "drifting"}}
	}
	for name, test := range map[string]struct {
		spec     v1beta1.SizingExperimentSpec
		variant  string
		capacity int64
		changes  []func(*v1beta1.SizingTrial)
		replicas int32
		load     int64
	}{
		"the capacity if no interval and no speed are known": {small(), "c10-500m", 6600, nil, 1, 757},
		"the lower end of its interval":                      {small(), "c10-500m", 6600, []func(*v1beta1.SizingTrial){between(6000, 7000)}, 2, 416},
		"never more than the capacity itself":                {small(), "c10-500m", 6600, []func(*v1beta1.SizingTrial){between(6700, 7000)}, 1, 757},
		"split among the replicas of the trial":              {small(twoReplicas), "c10-500m", 13_200, []func(*v1beta1.SizingTrial){between(12_000, 14_000)}, 2, 416},
		"at the speed of the slow tenth of the time":         {small(), "c10-500m", 7000, []func(*v1beta1.SizingTrial){at(14_336, 1100)}, 2, 398},
		"the lower end and the slow tenth":                   {small(), "c10-500m", 4000, []func(*v1beta1.SizingTrial){between(3600, 4400), at(14_336, 1200)}, 3, 560},
		"a slow part of less than a tenth is ignored":        {small(), "c10-500m", 7000, []func(*v1beta1.SizingTrial){at(14_336, 1100), func(t *v1beta1.SizingTrial) { t.Status.Speed.WindowsPerMille[4] = 1000 }}, 1, 754},
		"a fast CPU is no reason for a smaller size":         {small(), "c10-500m", 6000, []func(*v1beta1.SizingTrial){at(14_336, 700)}, 2, 440},
		"on a pool that varies":                              {small(onTwoPools), "c10-500m-drifting", 7000, nil, 2, 398},
		"on a pool that does not vary":                       {small(onTwoPools), "c10-500m-steady", 7000, nil, 1, 754},
	} {
		t.Run(name, func(t *testing.T) {
			trials := []v1beta1.SizingTrial{changed(held(t, test.spec, test.variant, test.capacity, v1beta1.VerdictValid), test.changes...)}
			if len(test.spec.Matrix.NodePools) > 0 {
				trials = append(trials,
					changed(held(t, test.spec, "c8-500m-drifting", 1, v1beta1.VerdictValid), at(14_336, 1100)),
					changed(held(t, test.spec, "c8-500m-steady", 1, v1beta1.VerdictValid), at(14_336, 1000)))
			}
			var status v1beta1.SizingExperimentStatus
			if err := sizing.Rows(test.spec, trials, &status); err != nil {
				t.Fatal(err)
			}
			sized := row(t, &status, test.variant)
			if got := sized.Sizing; got == nil || got.Replicas != test.replicas || got.LoadPerMille != test.load {
				t.Errorf("sizing is %+v, want %d replicas with a load of %d ‰", got, test.replicas, test.load)
			}
			if *sized.CapacityMilliPerSecond != test.capacity {
				t.Errorf("the row's capacity is %d, want %d as measured", *sized.CapacityMilliPerSecond, test.capacity)
			}
		})
	}
}

// The rates of rows depend on which trial was the first to end, but no size does.
func TestASizeDoesNotDependOnTheReference(t *testing.T) {
	sized := func(reference int64) (capacity int64, replicas int32) {
		spec := small()
		trial := changed(held(t, spec, "c10-500m", 6_600*10_000/reference, v1beta1.VerdictValid), at(10_000, 1200), func(t *v1beta1.SizingTrial) {
			known := t.Status.Speed
			known.ReferenceHashMicrosecondsAtCost8 = reference
			for i := range known.WindowsPerMille {
				known.WindowsPerMille[i] = int32(int64(known.WindowsPerMille[i]) * 10_000 / reference)
			}
		})
		var status v1beta1.SizingExperimentStatus
		if err := sizing.Rows(spec, []v1beta1.SizingTrial{trial}, &status); err != nil {
			t.Fatal(err)
		}
		shown := row(t, &status, "c10-500m")
		return *shown.CapacityMilliPerSecond, shown.Sizing.Replicas
	}
	capacity, replicas := sized(10_000)
	for _, reference := range []int64{8_000, 9_000, 11_000, 12_500} {
		if at, size := sized(reference); at == capacity || size != replicas {
			t.Errorf("with a reference of %d µs the row has %d/1000 s and %d replicas; with 10000 µs %d/1000 s and %d", reference, at, size, capacity, replicas)
		}
	}
}

// withSpeeds returns trials that ran on a CPU that is sometimes slower by a tenth.
func withSpeeds(trials []v1beta1.SizingTrial) []v1beta1.SizingTrial {
	var timed []v1beta1.SizingTrial
	for i := range trials {
		trial := *trials[i].DeepCopy()
		at(trial.Status.Calibration.ReferenceMicroseconds, 1100)(&trial)
		for i := range trial.Status.Steps {
			trial.Status.Steps[i].Speed = &v1beta1.StepSpeed{HashMicroseconds: trial.Status.Calibration.HashMicroseconds, PerMille: 1000}
		}
		timed = append(timed, trial)
	}
	return timed
}

func TestWhatIsRecommendedHoldsOnASlowCPU(t *testing.T) {
	experiment, measured := fixture.Quickstart()
	trials := withSpeeds(measured)
	spec := experiment.Spec
	spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(4), MinimumCost: ptr.To[int32](10), MaxTotalCPU: ptr.To(intstr.Parse("1"))}
	status := concluded(t, spec, trials...)
	got, slow := status.Recommendation, status.Speed[0].SizingPerMille
	if got.Variant != "c10-500m" || slow < 1050 {
		t.Fatalf("recommended: %+v; the CPU's slow speed is %d", got, slow)
	}
	low := row(t, status, "c10-500m").CapacityInterval.LowMilliPerSecond
	if want := 1000 * low / slow; *got.CapacityMilliPerSecond != want {
		t.Errorf("its capacity is %d/1000 s, want %d", *got.CapacityMilliPerSecond, want)
	}
	for _, p := range status.Predictions {
		// 5.2/s with headroom, of the lower end at the slow speed.
		if want := int32((5200*slow/1000 + p.CapacityInterval.LowMilliPerSecond) / p.CapacityInterval.LowMilliPerSecond); p.Sizing.Replicas != want {
			t.Errorf("%s needs %d replicas, want %d", p.Variant, p.Sizing.Replicas, want)
		}
	}
}

func TestAReasonTellsWhatOneReplicaWasFoundToHold(t *testing.T) {
	spec := small(twoReplicas)
	trial := changed(held(t, spec, "c10-500m", 13_200, v1beta1.VerdictValid), between(12_000, 14_000))
	const want = "2 replicas of c10-500m (1 CPU in all) meet the objective up to 12/s (the lower end of the interval from 12/s to 14/s around its capacity of 13.2/s)"
	if got := concluded(t, spec, trial).Recommendation; !strings.Contains(got.Reason, want) {
		t.Errorf("the reason is %q, want in it %q", got.Reason, want)
	}
}

func TestWhatTheModelMakesOfEvenLoginsIsSlowedAsWell(t *testing.T) {
	spec := small(evenlySpaced)
	usual := changed(held(t, spec, "c10-500m", 8700, v1beta1.VerdictValid), at(14_336, 1000))
	slowed := changed(held(t, spec, "c10-500m", 8700, v1beta1.VerdictValid), at(14_336, 1200))
	first, second := concluded(t, spec, usual), concluded(t, spec, slowed)
	one, other := first.Recommendation, second.Recommendation
	slower := func(status *v1beta1.SizingExperimentStatus) int64 { return status.Speed[0].SizingPerMille }
	if served := *one.CapacityMilliPerSecond * slower(first) / slower(second); one.Replicas != 1 || other.Replicas != 2 || *other.CapacityMilliPerSecond/2 < served-10 || *other.CapacityMilliPerSecond/2 > served+10 {
		t.Errorf("the model finds %d/1000 s, and %d on a CPU that is slow by a fifth", *one.CapacityMilliPerSecond, *other.CapacityMilliPerSecond)
	}
}

// The pod of a verification counts in the sizing speed, but does not take back the size that met the objective there. The demand
// is 6.5/s with headroom. One pod is assumed to be up to 5.6 % slower than another one.
func TestThePodOfAVerificationCounts(t *testing.T) {
	const met, undecided = v1beta1.VerificationMet, v1beta1.VerificationUndecided
	for name, test := range map[string]struct {
		perMille   int64
		capacity   int64
		outcome    v1beta1.VerificationOutcome
		verdict    v1beta1.Verdict
		replicas   int32
		confidence v1beta1.Confidence
		says       string
	}{
		"a pod that agrees makes a size no smaller":          {1000, 6800, met, v1beta1.VerdictValid, 2, v1beta1.ConfidenceHigh, "met the objective in its verification"},
		"a pod that agrees makes no size larger":             {1000, 7000, met, v1beta1.VerdictValid, 1, v1beta1.ConfidenceHigh, "met the objective in its verification"},
		"a slower pod that met the objective keeps its size": {1100, 7000, met, v1beta1.VerdictValid, 1, v1beta1.ConfidenceMedium, "the headroom takes 2×c10-500m"},
		"a faster pod makes no size larger":                  {850, 7000, met, v1beta1.VerdictValid, 1, v1beta1.ConfidenceHigh, "met the objective in its verification"},
		"a pod that is slower within the errors":             {1040, 7000, met, v1beta1.VerdictValid, 1, v1beta1.ConfidenceHigh, "met the objective in its verification"},
		"a slower pod that did not decide does not count":    {1100, 7000, undecided, v1beta1.VerdictValid, 1, v1beta1.ConfidenceMedium, "the verification of this size is Undecided"},
		"a pod that was disturbed does not count":            {1100, 7000, undecided, v1beta1.VerdictInvalid, 1, v1beta1.ConfidenceMedium, "the verification of this size is Undecided"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := small(func(s *v1beta1.SizingExperimentSpec) { s.Demand.Verify = v1beta1.VerifyReplica })
			measured := changed(held(t, spec, "c10-500m", test.capacity, v1beta1.VerdictValid), at(14_336, 1000))
			verified := changed(held(t, spec, "c10-500m", test.capacity, test.verdict), at(14_336, 1000), func(t *v1beta1.SizingTrial) {
				t.Name, t.Spec.Role, t.Status.Calibration.ReferenceMicroseconds = "verified", v1beta1.RoleVerification, 14_336*test.perMille/1000
				t.Status.Verification = &v1beta1.VerificationCounts{Outcome: test.outcome}
				if test.verdict == v1beta1.VerdictInvalid {
					t.Status.Verification.Outcome = met // by its logins, as if it had not been disturbed
				}
				for i := range t.Status.Speed.WindowsPerMille {
					t.Status.Speed.WindowsPerMille[i] = int32(test.perMille)
				}
			})
			e := &v1beta1.SizingExperiment{Spec: spec}
			conclude := func(trials ...v1beta1.SizingTrial) {
				if err := sizing.Conclude(spec, trials, &e.Status); err != nil {
					t.Fatal(err)
				}
			}
			conclude(measured)
			next, needed := sizing.NextVerification(e, nil)
			next.TrialName, next.Outcome = verified.Name, test.outcome
			if !needed {
				t.Fatal("the size is not verified")
			}
			e.Status.Verifications = append(e.Status.Verifications, next)
			conclude(measured, verified)
			if got := e.Status.Recommendation; got.Replicas != test.replicas || got.Confidence != test.confidence || !strings.Contains(got.Reason, test.says) {
				t.Errorf("%d replicas with confidence %s, want %d with %s, because %q: %s", got.Replicas, got.Confidence, test.replicas, test.confidence, test.says, got.Reason)
			}
			if _, again := sizing.NextVerification(e, nil); again != (test.replicas != next.Replicas) {
				t.Errorf("verified again: %t, with %d replicas after %d", again, test.replicas, next.Replicas)
			}
			asked, err := sizing.WhatIf(e, []v1beta1.SizingTrial{measured, verified}, spec)
			if err != nil {
				t.Fatal(err)
			}
			// No size met the objective of another question, so that all pods count.
			another := *spec.DeepCopy()
			another.Demand.HeadroomPercent = ptr.To[int32](32)
			elsewhere, err := sizing.WhatIf(e, []v1beta1.SizingTrial{measured, verified}, another)
			if err != nil {
				t.Fatal(err)
			}
			if counts := strings.Contains(test.says, "takes"); counts != (elsewhere.Recommendation.Replicas > test.replicas) {
				t.Errorf("with other headroom: %d replicas, and %d with that of the verification", elsewhere.Recommendation.Replicas, test.replicas)
			}
			if asked.Recommendation.Reason != e.Status.Recommendation.Reason {
				t.Errorf("asked later: %s, and not %s", asked.Recommendation.Reason, e.Status.Recommendation.Reason)
			}
		})
	}
}
