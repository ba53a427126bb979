package preview

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Preview is what an experiment would do. If it is refused, only its name and the refusals are known.
type Preview struct {
	// Experiment is its name.
	Experiment string `json:"experiment"`
	// Refusals are those of the API server, or if there are none, those of the operator.
	Refusals []Refusal `json:"refusals,omitempty"`
	// HashMicroseconds is the time of a bcrypt hash at cost 10 that the rest follows from.
	HashMicroseconds int64 `json:"hashMicrosecondsAtCost10,omitempty"`
	// Trials is the number of trials, without a verification.
	Trials int `json:"trials,omitempty"`
	// First is the variant that measure: Decision would measure first, and perhaps alone.
	First string `json:"first,omitempty"`
	// Verifies reports that the recommended size is verified, in one more trial.
	Verifies bool `json:"verifies,omitempty"`
	// EstimatedSeconds is about how long it takes, with one trial at a time.
	EstimatedSeconds int64 `json:"estimatedSeconds,omitempty"`
	// ServiceCPUSeconds and GeneratorCPUSeconds are the CPU limits of the trials' pods, times their estimates. A
	// verification is not included, because its size is unknown.
	ServiceCPUSeconds   int64 `json:"serviceCPUSeconds,omitempty"`
	GeneratorCPUSeconds int64 `json:"generatorCPUSeconds,omitempty"`
	// Variants are those of the matrix.
	Variants []Variant `json:"variants,omitempty"`
	// Notes are sentences about what the experiment can't show, and what its author may not expect.
	Notes []string `json:"notes,omitempty"`
}

// Variant is a variant of the matrix.
type Variant struct {
	Name        string              `json:"name"`
	Hash        string              `json:"hash"`
	CPULimit    string              `json:"cpuLimit"`
	Concurrency v1beta1.Concurrency `json:"concurrency"`
	NodePool    string              `json:"nodePool,omitempty"`
	// Measured is false if the variant is predicted, and with measure: Decision measured only if it can still be
	// recommended then.
	Measured bool `json:"measured"`
	// HashMicroseconds is the assumed time of its hash.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// RuledOut says why it can't be recommended, whatever is measured, if hashes take the assumed time.
	RuledOut string `json:"ruledOut,omitempty"`
}

// cost10 is the hash whose time is assumed.
var cost10 = password.Recipe{Algorithm: password.Bcrypt, Cost: 10}

// UsualHashTime is assumed for a bcrypt hash at cost 10 if nothing else is known.
func UsualHashTime() time.Duration { return cost10.GuessedTime() }

// Of returns the preview of an experiment as it was written, with the types of JSON, if a bcrypt hash at cost 10 takes
// the given time.
func Of(ctx context.Context, written map[string]any, hash time.Duration) (Preview, error) {
	experiment, refusals := accept(ctx, written)
	p := Preview{Experiment: nameOf(written), Refusals: refusals}
	if len(refusals) > 0 {
		return p, nil
	}
	p.HashMicroseconds = hash.Microseconds()
	slower := hash.Seconds() / UsualHashTime().Seconds()
	if err := p.addTrials(experiment, slower); err != nil {
		return p, err
	}
	if err := p.addVariants(experiment.Spec, slower); err != nil {
		return p, err
	}
	p.addNotes(experiment.Spec)
	return p, nil
}

func nameOf(written map[string]any) string {
	meta, _ := written["metadata"].(map[string]any)
	for _, field := range []string{"name", "generateName"} {
		if name, is := meta[field].(string); is && name != "" {
			return name
		}
	}
	return "the experiment"
}

func (p *Preview) addTrials(experiment *v1beta1.SizingExperiment, slower float64) error {
	if err := p.decide(experiment, slower); err != nil {
		return err
	}
	planned, err := matrix.Plan(experiment, matrix.Seed(experiment))
	if err != nil {
		return err
	}
	generator, err := loadplan.GeneratorMilliCPU(experiment.Spec.Generator)
	if err != nil {
		return err
	}
	var total time.Duration
	var serviceMilli, generatorMilli float64
	for _, trial := range planned {
		takes, err := loadplan.Estimate(trial.Spec, slower)
		if err != nil {
			return err
		}
		limit, err := matrix.MilliCPU(trial.Spec.Variant.CPULimit)
		if err != nil {
			return err
		}
		total += takes
		serviceMilli += takes.Seconds() * float64(limit*int64(max(1, trial.Spec.Service.Replicas)))
		generatorMilli += takes.Seconds() * float64(generator)
	}
	p.Trials, p.Verifies = len(planned), results.Verifies(experiment.Spec)
	if p.Verifies {
		total += results.GuessedCheck(experiment.Spec)
	}
	p.EstimatedSeconds = int64(total.Seconds())
	p.ServiceCPUSeconds, p.GeneratorCPUSeconds = int64(serviceMilli/1000), int64(generatorMilli/1000)
	return nil
}

// decide adds to an experiment with measure: Decision the first variant that it would measure if hashes take the assumed
// time.
func (p *Preview) decide(experiment *v1beta1.SizingExperiment, slower float64) error {
	if matrix.Measuring(experiment.Spec) != v1beta1.MeasureDecision {
		return nil
	}
	times := map[int32]*handover.Calibration{}
	for _, cost := range matrix.Costs(experiment.Spec.Matrix) {
		cal, err := loadplan.Guess(v1beta1.Variant{Hash: v1beta1.BcryptHash(cost), CPULimit: "1"}, slower)
		if err != nil {
			return err
		}
		times[cost] = &cal
	}
	status, err := sizing.Calibrated(experiment.Spec, times)
	if err != nil {
		return err
	}
	load, needed, err := sizing.Decide(experiment.Spec, nil, status)
	if needed {
		status.Decision.Loads = append(status.Decision.Loads, load)
		p.First = load.Variant
	}
	experiment.Status.Decision = status.Decision
	return err
}

func (p *Preview) addVariants(spec v1beta1.SizingExperimentSpec, slower float64) error {
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		return err
	}
	measured, err := matrix.Measured(spec, nil)
	if err != nil {
		return err
	}
	tariff, err := pricing.Of(spec.Prices, spec.Matrix.NodePools)
	if err != nil {
		return err
	}
	question, asked := sizing.QuestionOf(spec, tariff, nil)
	for _, variant := range variants {
		cal, err := loadplan.Guess(variant, slower)
		if err != nil {
			return err
		}
		row := Variant{
			Name: variant.Name, Hash: matrix.Hashing(variant), CPULimit: variant.CPULimit, Concurrency: variant.Concurrency,
			NodePool: speed.NodePool(variant), HashMicroseconds: cal.HashMicroseconds,
			Measured: variant.Name == p.First || slices.ContainsFunc(measured, func(m v1beta1.Variant) bool { return m.Name == variant.Name }),
		}
		var reasons []string
		if slow := tooSlow(spec, variant, cal); slow != "" {
			reasons = append(reasons, slow)
		}
		if never := question.Never(variant, loadplan.BoundMilliPerSecond(1, variant, cal)); asked && never != "" {
			reasons = append(reasons, never)
		}
		row.RuledOut = strings.Join(reasons, " and ")
		p.Variants = append(p.Variants, row)
	}
	return nil
}

// tooSlow says how long a login on an idle service takes, if that is above the objective. It returns "" if it is not, and
// if logins don't take the time of the hash.
func tooSlow(spec v1beta1.SizingExperimentSpec, variant v1beta1.Variant, cal handover.Calibration) string {
	if variant.Hash.Sessions || variant.Hash.Other != nil {
		return ""
	}
	trial := v1beta1.SizingTrialSpec{Variant: variant, Service: v1beta1.Service{Replicas: 1}, Load: spec.Load, Objective: spec.Objective}
	idle := model.NewService(trial, cal, 0).NoLoadP95().Microseconds()
	if !model.Infeasible(trial, &v1beta1.Prediction{NoLoadP95Microseconds: idle}) {
		return ""
	}
	return fmt.Sprintf("takes %s for a login on an idle service, above p95Milliseconds %d", units.Latency(&idle), spec.Objective.P95Milliseconds)
}

func (p *Preview) addNotes(spec v1beta1.SizingExperimentSpec) {
	note := func(applies bool, sentence string) {
		if applies {
			p.Notes = append(p.Notes, sentence)
		}
	}
	none := !slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.RuledOut == "" })
	note(spec.Demand == nil, "Nothing is recommended without a demand; set demand.loginsPerSecond to the logins per second of the busiest minutes")
	note(none && spec.Demand != nil, "No variant of the matrix can be recommended for this demand; change the matrix, the objective or the demand")
	note(p.First != "", fmt.Sprintf("Every variant is predicted from the time of a hash, and only those are measured that can still be recommended: %s first, and often no other. To measure every variant, set matrix.measure: All", p.First))
	note(none && spec.Demand == nil, "No variant of the matrix can meet the objective; change the matrix or the objective")
	other := slices.ContainsFunc(spec.Matrix.Hashes, func(h v1beta1.Hash) bool { return h.Other != nil })
	note(other, "Logins compute another hash than bcrypt, so they may take another time than is assumed here")
	note(spec.Service.Own != nil, "The image of service.own must be in a repository that the operator's loginService.allowedImages admits")
	parallelism := ptr.Deref(spec.Parallelism, 1)
	note(parallelism > 1, fmt.Sprintf("It takes less time if the operator's trials.maxConcurrent, by default 1, allows %d trials at a time", parallelism))
	for _, sentence := range matrix.AllUnused(spec.Matrix) {
		note(true, sentence)
	}
}
