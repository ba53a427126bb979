package html_test

import (
	"fmt"
	"math"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// documents are all kinds of experiments that can have a report.
func documents() map[string]report.Document {
	return map[string]report.Document{
		"quickstart": quickstart(), "matrix": matrix(), "failed": failed(), "running": running(),
		"users": users(), "other hashes": otherHashes(), "none fits": noneFits(), "most variants": mostVariants(),
	}
}

// quickstart is the quickstart as it was measured, without a demand.
func quickstart() report.Document { return report.New(fixture.Quickstart()) }

// question returns an experiment with everything that a report can show.
func question(name string) *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
		Spec: v1beta1.SizingExperimentSpec{
			Objective: v1beta1.Objective{P95Milliseconds: 500, MaxErrorPerMille: ptr.To[int32](1)},
			Load:      v1beta1.Load{StepSeconds: 10, WarmupSeconds: ptr.To[int32](5)},
			Baseline:  "c10-500m-epyc",
			Demand:    &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(40), HeadroomPercent: ptr.To[int32](30), MinimumCost: ptr.To[int32](10), MaxTotalCPU: ptr.To(intstr.Parse("16"))},
			Prices:    &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04"))},
		},
		Status: v1beta1.SizingExperimentStatus{
			Phase: v1beta1.ExperimentSucceeded, Seed: ptr.To[int64](42),
			Progress: &v1beta1.Progress{Trials: 24, Finished: 24},
		},
	}
}

// add adds a variant to the experiment, and its trial with steps as in a queue.
func add(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial, cost int32, limit string, cpus float64, pool string) []v1beta1.SizingTrial {
	hash := 57e3 * math.Pow(2, float64(cost-10))
	bound := cpus * 1e6 / hash
	name := fmt.Sprintf("c%d-%s-%s", cost, limit, pool)
	result := v1beta1.VariantResult{
		Variant: name, TrialName: e.Name + "-" + name,
		Hash: v1beta1.BcryptHash(cost), CPULimit: limit, NodePool: pool,
		Verdict: v1beta1.VerdictValid, ObjectiveMet: ptr.To(hash < 400e3), Trials: 1,
		Calibration:           &handover.CalibrationResult{HashMicroseconds: int64(hash), ErrorMicroseconds: int64(hash / 200), Samples: 60},
		BoundMilliPerSecond:   ptr.To(int64(bound * 1000)),
		OfferedMilliPerSecond: ptr.To(int64(bound * 700)), ReportedLoadPerMille: ptr.To[int64](700),
		P95Microseconds: ptr.To(int64(3.3 * hash)), P95Interval: &handover.Interval{LowMicroseconds: int64(2.7 * hash), HighMicroseconds: int64(4.1 * hash)},
		ThrottledPerMille:           ptr.To(int64(200 + 100/cpus)),
		MaxThroughputMilliPerSecond: ptr.To(int64(bound * 990)),
		Price:                       &v1beta1.Price{PerMillionLogins: "0.64", PerMonth: "58.40", AttackerPerBillionGuesses: attacked(cost)},
	}
	if *result.ObjectiveMet {
		result.CapacityMilliPerSecond, result.CapacityMethod = ptr.To(int64(bound*850)), v1beta1.CapacityBoth
		result.CapacityInterval = &v1beta1.RateInterval{LowMilliPerSecond: int64(bound * 820), HighMilliPerSecond: int64(bound * 880)}
		result.Sizing = &v1beta1.Sizing{Replicas: int32(math.Ceil(52 / (bound * .85))), TotalCPU: "4", LoadPerMille: 760}
	}
	e.Status.Results = append(e.Status.Results, result)
	trial := v1beta1.SizingTrial{
		ObjectMeta: metav1.ObjectMeta{Name: e.Name + "-" + name, Namespace: e.Namespace},
		Spec: v1beta1.SizingTrialSpec{
			Sequence: int32(len(trials) + 1), Repetition: 1,
			Variant: v1beta1.Variant{
				Name: name, Hash: v1beta1.BcryptHash(cost), CPULimit: limit,
				Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}, NodePool: &v1beta1.NodePool{Name: pool},
			},
		},
		Status: v1beta1.SizingTrialStatus{Result: result.DeepCopy(), Phase: v1beta1.TrialSucceeded},
	}
	for _, share := range []float64{.5, .7, .85} {
		p95 := hash * (1 + 1/(1-share))
		trial.Status.Steps = append(trial.Status.Steps, v1beta1.Step{
			Kind: v1beta1.StepOpen, Outcome: v1beta1.StepMet, Reported: share == .7, CountedMilliseconds: 12000, OfferedMilliPerSecond: ptr.To(int64(bound * share * 1000)),
			StepResult: handover.StepResult{
				P95Microseconds: ptr.To(int64(p95)), P95Interval: &handover.Interval{LowMicroseconds: int64(p95 * .8), HighMicroseconds: int64(p95 * 1.3)},
			},
		})
	}
	trial.Status.Steps = append(trial.Status.Steps, v1beta1.Step{
		Kind: v1beta1.StepOpen, Outcome: v1beta1.StepOverloaded, CountedMilliseconds: 12000, OfferedMilliPerSecond: ptr.To(int64(bound * 1050)),
	})
	latencies := &handover.Histogram{BucketsPerDoubling: 256}
	for i := range 320 {
		latencies.Add(int64(hash*(1+float64(i)/64)), int64(1+12*math.Exp(-float64(i)/60)))
	}
	loadplan.ReportedStep(&trial.Status).Latencies = latencies
	for i := range 60 {
		trial.Status.UnderWay = append(trial.Status.UnderWay, int32(i*7%5))
	}
	return append(trials, trial)
}

// attacked returns the default price of a billion guesses at a cost: 200/9 USD at cost 10.
func attacked(cost int32) string { return fmt.Sprintf("%.2f", math.Ldexp(200./9, int(cost-10))) }

// predicted adds a variant to the experiment that was only predicted.
func predicted(e *v1beta1.SizingExperiment, cost int32, limit, pool string, inMatrix bool) {
	e.Status.Predictions = append(e.Status.Predictions, v1beta1.PredictedVariant{
		Variant: fmt.Sprintf("c%d-%s-%s", cost, limit, pool), Cost: cost, CPULimit: limit, NodePool: pool, InMatrix: inMatrix,
		Concurrency:      v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded},
		HashMicroseconds: 114000, BoundMilliPerSecond: 8700, ObjectiveMet: true,
		CapacityMilliPerSecond: ptr.To[int64](6900), CapacityInterval: &v1beta1.RateInterval{LowMilliPerSecond: 6500, HighMilliPerSecond: 7300},
		OfferedMilliPerSecond: 6100, P95Microseconds: ptr.To[int64](410000), P95Interval: &handover.Interval{LowMicroseconds: 350000, HighMicroseconds: 480000},
		Sizing: &v1beta1.Sizing{Replicas: 8, TotalCPU: "8", LoadPerMille: 730},
		Price:  &v1beta1.Price{PerMillionLogins: "1.61", PerMonth: "233.60", AttackerPerBillionGuesses: attacked(cost)},
	})
}

// matrix is three costs on four limits and two node pools, with everything that a result
// can have.
func matrix() report.Document {
	e := question("launch")
	var trials []v1beta1.SizingTrial
	for _, pool := range []string{"epyc", "graviton"} {
		for _, cost := range []int32{10, 11, 12} {
			trials = add(e, trials, cost, "500m", .5, pool)
			trials = add(e, trials, cost, "1", 1, pool)
			trials = add(e, trials, cost, "2", 2, pool)
			if cost != 11 {
				trials = add(e, trials, cost, "4", 4, pool)
			} else {
				predicted(e, cost, "4", pool, true)
			}
			e.Status.HashTimes = append(e.Status.HashTimes, v1beta1.HashTime{
				NodePool: pool, Hash: v1beta1.BcryptHash(cost), HashMicroseconds: 57000 << (cost - 10), ErrorMicroseconds: 400, Samples: 60, Trials: 4,
			})
		}
		predicted(e, 13, "4", pool, false)
	}
	e.Status.Results[3].Verdict = v1beta1.VerdictSuspect
	e.Status.Results[3].Reasons = []v1beta1.Reason{{Type: "NoisyNeighbour", Verdict: v1beta1.VerdictSuspect, Message: "The hypervisor gave 3 % of the service's CPUs to other machines"}}
	e.Status.Results[5].Comparison = &v1beta1.Comparison{Against: e.Spec.Baseline, P95: &v1beta1.Difference{PerMille: 980}, Capacity: &v1beta1.Difference{PerMille: -490}}
	e.Status.ModelCheck = &v1beta1.ModelCheck{Passed: true, Message: "2 variants were held out; capacity is within 4.1 %, p95 within 11 %"}
	size := v1beta1.Size{
		Variant: "c11-1-epyc", Cost: 11, CPULimit: "1", NodePool: "epyc", Replicas: 7, TotalCPU: "7", CapacityMilliPerSecond: ptr.To[int64](52100),
		LoadPerMille: ptr.To[int64](770), PricePerMonth: "204.40", PricePerMillionLogins: "1.94", AttackerPricePerBillionGuesses: attacked(11),
	}
	e.Status.Recommendation = &v1beta1.Recommendation{
		Size: size, P95Microseconds: ptr.To[int64](402000), Confidence: v1beta1.ConfidenceHigh,
		Reason:  "Cost 11 is the highest that 16 CPUs carry; 7 replicas share the logins at random, and each meets the objective up to 7.4/s",
		Changes: []string{"Cost 12 needs 3.9 more CPUs"}, RunnerUp: &v1beta1.Size{Variant: "c11-2-epyc", Cost: 11, CPULimit: "2", Replicas: 4, TotalCPU: "8"},
	}
	drifted(e, trials)
	return report.New(e, trials)
}

// noneFits has a demand that no variant can serve.
func noneFits() report.Document {
	d := matrix()
	d.Experiment.Status.Recommendation = &v1beta1.Recommendation{
		Reason: "The nearest size takes 31 CPUs", BrokenBound: v1beta1.BoundMaxTotalCPU,
		Nearest: &v1beta1.Size{Variant: "c10-1-epyc", Cost: 10, CPULimit: "1", Replicas: 31, TotalCPU: "31"},
	}
	return report.New(d.Experiment, d.Trials)
}

// failed never measured anything.
func failed() report.Document {
	e := question("broken")
	e.Status = v1beta1.SizingExperimentStatus{
		Phase:      v1beta1.ExperimentFailed,
		Conditions: []metav1.Condition{{Type: v1beta1.ConditionFinished, Status: metav1.ConditionTrue, Message: "No node has the labels of the pool graviton"}},
	}
	return report.New(e, nil)
}

// running has measured two variants of many.
func running() report.Document {
	d := matrix()
	e := d.Experiment
	e.Status.Phase, e.Status.Recommendation, e.Status.Predictions, e.Status.ModelCheck = v1beta1.ExperimentRunning, nil, nil, nil
	e.Status.Progress = &v1beta1.Progress{Trials: 24, Finished: 2, Running: []string{"c10-2-epyc"}}
	for i := range e.Status.Results[2:] {
		e.Status.Results[i+2] = v1beta1.VariantResult{
			Variant: e.Status.Results[i+2].Variant, Hash: v1beta1.BcryptHash(e.Status.Results[i+2].Hash.Cost()),
			CPULimit: e.Status.Results[i+2].CPULimit, NodePool: e.Status.Results[i+2].NodePool, Verdict: v1beta1.VerdictPending,
		}
		d.Trials[i+2].Status = v1beta1.SizingTrialStatus{}
	}
	return report.New(e, d.Trials)
}

// users is the quickstart with users instead of rates.
func users() report.Document {
	d := quickstart()
	d.Experiment.Spec.Load.Capacity, d.Experiment.Spec.Load.Users = nil, &v1beta1.UsersLoad{}
	for i := range d.Trials {
		for s := range d.Trials[i].Status.Steps {
			step := &d.Trials[i].Status.Steps[s]
			step.Kind, step.OfferedMilliPerSecond, step.Users = v1beta1.StepClosed, nil, ptr.To(int32(s+1))
		}
		d.Trials[i].Status.Result.OfferedMilliPerSecond, d.Trials[i].Status.Result.Users = nil, ptr.To[int32](2)
	}
	for i := range d.Experiment.Status.Results {
		row := &d.Experiment.Status.Results[i]
		row.OfferedMilliPerSecond, row.Users, row.CapacityMilliPerSecond, row.CapacityInterval = nil, ptr.To[int32](2), nil, nil
	}
	return report.New(d.Experiment, d.Trials)
}

// otherHashes has no costs.
func otherHashes() report.Document {
	d := quickstart()
	d.Experiment.Spec.Matrix.Costs = nil
	for i := range d.Experiment.Status.Results {
		row := &d.Experiment.Status.Results[i]
		row.Hash = v1beta1.Hash{Name: fmt.Sprintf("argon-%d", i%2), Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}}
	}
	d.Experiment.Status.CostFits = nil
	return report.New(d.Experiment, d.Trials)
}

// mostVariants is the largest possible matrix.
func mostVariants() report.Document {
	e := question("large")
	var trials []v1beta1.SizingTrial
	for cost := int32(6); cost < 14; cost++ {
		for i, limit := range []string{"250m", "500m", "750m", "1", "1500m", "2", "3", "4"} {
			trials = add(e, trials, cost, limit, []float64{.25, .5, .75, 1, 1.5, 2, 3, 4}[i], "epyc")
		}
	}
	drifted(e, trials)
	return report.New(e, trials)
}

func reason(text string) v1beta1.Reason {
	return v1beta1.Reason{Type: text, Verdict: v1beta1.VerdictSuspect, Message: text}
}
