package matrix

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// PlannedTrial is a trial before it exists in the cluster.
type PlannedTrial struct {
	// Name of the SizingTrial object.
	Name string
	// Spec of the object, suspended until it is the trial's turn.
	Spec v1beta1.SizingTrialSpec
}

// defaultAttempts is attemptsPerTrial if it is absent, as in the schema.
const defaultAttempts = 3

// Plan returns all trials of an experiment in the order in which they are measured: every variant once
// before any again, so that an experiment that ends early has a row for each, and then the verifications.
// With measure: Decision these are the calibrations and what status.decision adds.
//
// The generator's defaults are the operator's and are not filled in here. Errors are those of Variants.
func Plan(exp *v1beta1.SizingExperiment, seed int64) ([]PlannedTrial, error) {
	of := measurements
	if Measuring(exp.Spec) == v1beta1.MeasureDecision {
		of = decisions
	}
	trials, err := of(exp, seed)
	if err != nil {
		return nil, err
	}
	return append(trials, verifications(exp, int32(len(trials)), seed)...), nil
}

func measurements(exp *v1beta1.SizingExperiment, seed int64) ([]PlannedTrial, error) {
	variants, err := Measured(exp.Spec, nil)
	if err != nil {
		return nil, err
	}
	random := newRandom(seed)
	var trials []PlannedTrial
	for repetition := int32(1); repetition <= ptr.Deref(exp.Spec.Repetitions, 1); repetition++ {
		for _, variant := range shuffle(variants, random) {
			trials = append(trials, PlannedTrial{
				Name: trialName(exp, variant, repetition),
				Spec: trialSpec(exp, variant, repetition, int32(len(trials)+1), seed),
			})
		}
	}
	return trials, nil
}

// Seed returns the seed of the experiment's order and arrivals: the spec's, or one that follows from the
// UID, so that an operator that dies before it recorded the seed draws the same one again.
func Seed(exp *v1beta1.SizingExperiment) int64 {
	if exp.Spec.Seed != nil {
		return *exp.Spec.Seed
	}
	sum := sha256.Sum256([]byte(exp.UID))
	return int64(binary.BigEndian.Uint32(sum[:4]))
}

// SamePlan reports whether two specs plan the same trial. Suspend is not part of the plan:
// it changes when it is the trial's turn.
func SamePlan(a, b v1beta1.SizingTrialSpec) bool {
	a.Suspend, b.Suspend = false, false
	// Semantic: a list or map that is empty here is absent after a round trip.
	return equality.Semantic.DeepEqual(a, b)
}

func trialSpec(exp *v1beta1.SizingExperiment, variant v1beta1.Variant, repetition, sequence int32, seed int64) v1beta1.SizingTrialSpec {
	return v1beta1.SizingTrialSpec{
		Role:       v1beta1.RoleMeasurement,
		Variant:    *variant.DeepCopy(),
		Repetition: repetition,
		Sequence:   sequence,
		Service:    exp.Spec.Service,
		Generator:  exp.Spec.Generator,
		Load:       *exp.Spec.Load.DeepCopy(),
		Objective:  exp.Spec.Objective,
		Seed:       seed,
		Attempts:   ptr.Deref(exp.Spec.AttemptsPerTrial, defaultAttempts),
		Suspend:    true,
	}
}

// trialName ends in five characters derived from the UID, so that an experiment that is created again with
// the same name does not collide with the old one's trials.
func trialName(exp *v1beta1.SizingExperiment, variant v1beta1.Variant, repetition int32) string {
	return fmt.Sprintf("%s-%s-%d-%s", exp.Name, variant.Name, repetition, shortUID(exp.UID))
}

// shortUID hashes the UID, because a UID's own digits are not all random.
func shortUID(uid types.UID) string {
	sum := sha256.Sum256([]byte(uid))
	return hex.EncodeToString(sum[:])[:5]
}

// newRandom returns the source of a shuffle (PCG-DXSM). It and the use of its numbers are fixed
// here, so that the same seed gives the same order on every machine and with every version of Go.
func newRandom(seed int64) *rand.PCG {
	const stream = 0x68617368 // "hash": the second half of the seed, which can be any constant
	return rand.NewPCG(uint64(seed), stream)
}

// shuffle is the Fisher-Yates shuffle on a copy. The bias of the remainder is below 64 ÷
// 2^64 and negligible.
func shuffle(variants []v1beta1.Variant, random *rand.PCG) []v1beta1.Variant {
	mixed := slices.Clone(variants)
	for i := len(mixed) - 1; i > 0; i-- {
		j := int(random.Uint64() % uint64(i+1))
		mixed[i], mixed[j] = mixed[j], mixed[i]
	}
	return mixed
}
