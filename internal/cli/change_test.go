package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func changeOf(t *testing.T, arguments ...string) *change {
	t.Helper()
	c, flags := &change{}, pflag.NewFlagSet("recommend", pflag.ContinueOnError)
	c.addTo(flags)
	c.addStored(flags)
	if err := flags.Parse(arguments); err != nil {
		t.Fatal(err)
	}
	return c
}

func asked() v1beta1.SizingExperimentSpec {
	return v1beta1.SizingExperimentSpec{
		Objective: v1beta1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: ptr.To[int32](1)},
		Load:      v1beta1.Load{RequestTimeoutSeconds: 10},
		Demand:    &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(60), HeadroomPercent: ptr.To[int32](30), MaxTotalCPU: ptr.To(intstr.Parse("4"))},
		Prices:    &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04"))},
		Matrix: v1beta1.Matrix{Hashes: []v1beta1.Hash{
			{Name: "bcrypt", Bcrypt: &v1beta1.Bcrypt{Cost: 10}},
			{Name: "a", Scrypt: &v1beta1.Scrypt{MemoryKiB: 131_072, Parallelism: 1}}, {Name: "b", SHA256: &v1beta1.SHA256{}},
		}},
	}
}

func TestApplyChangesOnlyGivenFlags(t *testing.T) {
	for name, tt := range map[string]struct {
		arguments []string
		want      func(*v1beta1.SizingExperimentSpec)
	}{
		"nothing": {nil, func(*v1beta1.SizingExperimentSpec) {}},
		"the rate": {[]string{"--rate=200"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Demand.LoginsPerSecond = intstr.FromInt32(200)
		}},
		"a rate that is not whole": {[]string{"--rate=0.5"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Demand.LoginsPerSecond = intstr.FromString("0.5")
		}},
		"the objective": {[]string{"--p95=300ms", "--max-error-per-mille=0"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Objective = v1beta1.Objective{P95Milliseconds: 300, MaxErrorPerMille: ptr.To[int32](0)}
		}},
		"every percentile": {[]string{"--p50=100ms", "--p95=300ms", "--p99=2s"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Objective.P50Milliseconds, s.Objective.P95Milliseconds, s.Objective.P99Milliseconds = ptr.To[int32](100), 300, ptr.To[int32](2000)
		}},
		"the bounds": {[]string{"--headroom=0", "--min-cost=11", "--max-total-cpu=7500m", "--max-replicas=20"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Demand.HeadroomPercent, s.Demand.MinimumCost = ptr.To[int32](0), ptr.To[int32](11)
			s.Demand.MaxTotalCPU, s.Demand.MaxReplicas = ptr.To(intstr.Parse("7500m")), ptr.To[int32](20)
		}},
		"the hashes": {[]string{"--hashes=bcrypt,argon2id"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Demand.Hashes = []v1beta1.HashKind{v1beta1.HashBcrypt, v1beta1.HashArgon2id}
		}},
		"what an attacker makes at hashes": {[]string{"--guesses-at=b=2", "--guesses-at=a=1"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Hashes[1].GuessesPerSecond, s.Matrix.Hashes[2].GuessesPerSecond = ptr.To[int64](1), ptr.To[int64](2)
		}},
		"the price of memory": {[]string{"--per-gib-hour=0.005"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Prices.PerGiBHour = ptr.To(intstr.Parse("0.005"))
		}},
		"the prices": {[]string{"--per-cpu-hour=0.05", "--gpu-hour=2", "--guesses-per-second=20000", "--currency=USD"}, func(s *v1beta1.SizingExperimentSpec) {
			s.Prices = &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.05")), GPUHour: ptr.To(intstr.Parse("2")), GuessesPerSecondAtCost10: ptr.To[int64](20000)}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			given, want := asked(), asked()
			tt.want(&want)
			c := changeOf(t, tt.arguments...)
			got, err := c.applyWithDemand(given)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the question (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(asked(), given); diff != "" {
				t.Errorf("the experiment itself was changed:\n%s", diff)
			}
		})
	}
}

func TestApplyAddsDemandAndPrices(t *testing.T) {
	got, err := changeOf(t, "--rate=5", "--per-cpu-hour=0.04", "--currency=EUR").applyWithDemand(v1beta1.SizingExperimentSpec{})
	if err != nil {
		t.Fatal(err)
	}
	want := v1beta1.SizingExperimentSpec{
		Demand: &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5)}, Prices: &v1beta1.Prices{Currency: "EUR", PerCPUHour: ptr.To(intstr.Parse("0.04"))},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the question (-want +got):\n%s", diff)
	}
}

func TestGuessesAtAHashThatTheMatrixDoesNotHaveAreRefused(t *testing.T) {
	for _, argument := range []string{"--guesses-at=c=1", "--guesses-at=bcrypt=1"} {
		_, err := changeOf(t, argument).applyWithDemand(asked())
		if err == nil || !strings.Contains(err.Error(), "other than bcrypt; name one of matrix.hashes in --guesses-at") {
			t.Errorf("%s: error %v", argument, err)
		}
	}
}

func TestApplyRefusesAnotherCurrency(t *testing.T) {
	if _, err := changeOf(t, "--currency=EUR").applyWithDemand(asked()); err == nil || !strings.Contains(err.Error(), "its prices are in USD") {
		t.Errorf("it says %v", err)
	}
}

func TestApplyRefusesP95AboveTheTimeout(t *testing.T) {
	if got, err := changeOf(t, "--p95=10s").applyWithDemand(asked()); err != nil || got.Objective.P95Milliseconds != 10_000 {
		t.Errorf("a p95 as long as the timeout: %v", err)
	}
	const want = "its logins timed out after 10s, so that a p95 of 10.001s was not measured; " +
		"lower --p95, or measure with a longer load.requestTimeoutSeconds"
	if _, err := changeOf(t, "--p95=10001ms").applyWithDemand(asked()); err == nil || err.Error() != want {
		t.Errorf("it says %v, want %q", err, want)
	}
}

func TestApplyRefusesPercentilesThatDoNotRise(t *testing.T) {
	for _, tt := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"--p99=900ms"}, "a p99 of 900 ms is below the p95 of 1000 ms; raise --p99, or lower --p95"},
		{[]string{"--p50=1001ms"}, "a p50 of 1001 ms is above the p95 of 1000 ms; lower --p50, or raise --p95"},
		{[]string{"--p99=11s"}, "its logins timed out after 10s, so that a p99 of 11s was not measured; " +
			"lower --p99, or measure with a longer load.requestTimeoutSeconds"},
	} {
		if _, err := changeOf(t, tt.arguments...).applyWithDemand(asked()); err == nil || err.Error() != tt.want {
			t.Errorf("%v: it says %v, want %q", tt.arguments, err, tt.want)
		}
	}
}

func TestApplyNeedsARate(t *testing.T) {
	if _, err := changeOf(t, "--headroom=10").applyWithDemand(v1beta1.SizingExperimentSpec{}); err == nil || !strings.Contains(err.Error(), "--rate") {
		t.Errorf("it says %v", err)
	}
}

// TestFlagsAreCheckedBySchema has a flag of each kind. Their limits are those of the API.
func TestFlagsAreCheckedBySchema(t *testing.T) {
	for _, tt := range []struct{ argument, want string }{
		{"--rate=0", `invalid argument "0" for "--rate" flag: must be above 0 and at most 1000000, with up to three decimals`},
		{"--rate=1000001", "must be above 0 and at most 1000000"},
		{"--rate=1000000.001", "must be above 0 and at most 1000000"},
		{"--rate=0.0005", "with up to three decimals"},
		{"--rate=500m", "with up to three decimals"},
		{"--rate=many", "must be above 0 and at most 1000000"},
		{"--headroom=401", "must be between 0 and 400"},
		{"--p95=0s", "must be whole milliseconds, from 1ms to 1m0s"},
		{"--p95=1500us", "must be whole milliseconds"},
		{"--p95=61s", "must be whole milliseconds"},
		{"--hashes=sha1", "must be one or more of [bcrypt argon2id scrypt pbkdf2], each once"},
		{"--hashes=sha256", "must be one or more of"},
		{"--hashes=bcrypt,bcrypt", "each once"},
		{"--guesses-at=argon=0", "must be names of hashes of the matrix"},
		{"--guesses-at=argon=1,argon=2", "each once"},
		{"--guesses-at=argon", "with guesses per second"},
		{"--max-total-cpu=0", "must be a CPU quantity above 0"},
		{"--max-total-cpu=many", "must be a CPU quantity above 0"},
		{"--currency=eur", "must be three capital letters"},
		{"--per-cpu-hour=.04", "must be a decimal such as 0.04"},
		{"--per-cpu-hour=0.000000000000001", "must be a decimal"},
	} {
		t.Run(tt.argument, func(t *testing.T) {
			c, flags := &change{}, pflag.NewFlagSet("recommend", pflag.ContinueOnError)
			c.addTo(flags)
			c.addStored(flags)
			if err := flags.Parse([]string{tt.argument}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("it says %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestEachFlagHasASchema(t *testing.T) {
	for _, f := range changeOf(t).flags {
		if limits := specSchema().field(f.path); limits == nil || f.kind == numbers && limits.Maximum == 0 {
			t.Errorf("--%s: the API has no %s with limits", f.flag, f.path)
		}
	}
}
