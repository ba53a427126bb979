package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/password"
)

// Measuring returns which variants of an experiment are measured. Without matrix.measure it is Decision if the
// experiment meets the requirements of that and has several variants, or else All.
func Measuring(spec v1beta1.SizingExperimentSpec) v1beta1.Measure {
	if spec.Matrix.Measure != "" {
		return spec.Matrix.Measure
	}
	variants, err := Variants(spec.Matrix)
	other := func(v v1beta1.Variant) bool { return !v.Hash.IsCost() }
	random := spec.Load.Mode() == v1beta1.LoadCapacity && spec.Load.Arrivals() == v1beta1.ArrivalsPoisson
	if err == nil && len(variants) > 1 && spec.Demand != nil && random && spec.Service.Own == nil && spec.Baseline == "" &&
		!slices.ContainsFunc(variants, other) {
		return v1beta1.MeasureDecision
	}
	return v1beta1.MeasureAll
}

// decisions returns the trials of an experiment with measure: Decision: the calibration of each node pool, and the
// loads that status.decision has.
func decisions(exp *v1beta1.SizingExperiment, seed int64) ([]PlannedTrial, error) {
	variants, err := Variants(exp.Spec.Matrix)
	if err != nil {
		return nil, err
	}
	var trials []PlannedTrial
	for _, variant := range calibrated(variants) {
		spec := trialSpec(exp, variant, 1, int32(len(trials)+1), seed)
		spec.Role, spec.Service.Replicas = v1beta1.RoleCalibration, 1
		name := fmt.Sprintf("%s-%s-calibrate-%s", exp.Name, variant.Name, shortUID(exp.UID))
		trials = append(trials, PlannedTrial{Name: name, Spec: spec})
	}
	for _, load := range ptr.Deref(exp.Status.Decision, v1beta1.Decision{}).Loads {
		i := slices.IndexFunc(variants, func(v v1beta1.Variant) bool { return v.Name == load.Variant })
		for repetition := int32(1); i >= 0 && repetition <= ptr.Deref(exp.Spec.Repetitions, 1); repetition++ {
			spec := trialSpec(exp, variants[i], repetition, int32(len(trials)+1), seed)
			if !load.Also {
				spec.Role = v1beta1.RoleDecision
			}
			if load.OfferedMilliPerSecond > 0 {
				spec.OfferedMilliPerSecond = ptr.To(load.OfferedMilliPerSecond)
			}
			trials = append(trials, PlannedTrial{Name: trialName(exp, variants[i], repetition), Spec: spec})
		}
	}
	return trials, nil
}

// Also returns the variants of alsoMeasure that an experiment with measure: Decision has still to load.
func Also(exp *v1beta1.SizingExperiment) []v1beta1.Variant {
	if len(exp.Spec.AlsoMeasure) == 0 || exp.Status.Decision == nil || len(exp.Status.Decision.Loads) >= v1beta1.MaxLoads {
		return nil
	}
	variants, _ := Variants(exp.Spec.Matrix) // an invalid matrix has no decision
	return slices.DeleteFunc(variants, func(v v1beta1.Variant) bool {
		loaded := slices.ContainsFunc(exp.Status.Decision.Loads, func(l v1beta1.DecisionLoad) bool { return l.Variant == v.Name })
		return loaded || !slices.Contains(exp.Spec.AlsoMeasure, v.Name)
	})
}

// CheckAlso returns an error that says what to change if alsoMeasure names what is no variant, or if the experiment
// measures all variants or the corners. Errors include those of Variants.
func CheckAlso(spec v1beta1.SizingExperimentSpec) error {
	if len(spec.AlsoMeasure) == 0 {
		return nil
	}
	if measure := Measuring(spec); measure != v1beta1.MeasureDecision {
		return fmt.Errorf("alsoMeasure adds variants to what measure: Decision measures, and this experiment has measure: %s; remove alsoMeasure", measure)
	}
	variants, err := Variants(spec.Matrix)
	if err != nil {
		return err
	}
	for _, name := range spec.AlsoMeasure {
		if !slices.ContainsFunc(variants, func(v v1beta1.Variant) bool { return v.Name == name }) {
			return fmt.Errorf("alsoMeasure names %q, which is no variant; choose from: %s", name, strings.Join(namesOf(variants), ", "))
		}
	}
	return nil
}

func namesOf(variants []v1beta1.Variant) []string {
	all := make([]string, 0, len(variants))
	for _, v := range variants {
		all = append(all, v.Name)
	}
	return all
}

// slowestCalibrated is the highest cost that a calibration times if there is a lower one: its hashes take a quarter
// of a second, and those of higher costs follow from its line.
const slowestCalibrated = 12

// calibrated returns the variant of each node pool in which hashes are timed: with the largest CPU limit, which takes
// the least time, and the highest cost up to slowestCalibrated. Each calibration also times the reference hash, so
// that it has two points of the line through all costs.
func calibrated(variants []v1beta1.Variant) []v1beta1.Variant {
	var best []v1beta1.Variant
	for _, v := range variants {
		i := slices.IndexFunc(best, func(b v1beta1.Variant) bool { return poolName(b) == poolName(v) })
		switch {
		case i < 0:
			best = append(best, v)
		case quicker(v, best[i]) < 0:
			best[i] = v
		}
	}
	return best
}

// quicker compares two variants and puts the one first whose calibration takes less time or shows more.
func quicker(a, b v1beta1.Variant) int {
	slow := func(v v1beta1.Variant) int32 { return max(0, v.Hash.Cost()-slowestCalibrated) }
	another := func(v v1beta1.Variant) int {
		if v.Hash.Cost() == password.ReferenceCost {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(placeOf(b).milli, placeOf(a).milli),
		cmp.Compare(another(b), another(a)), // a line needs another cost than that of the reference hash
		cmp.Compare(slow(a), slow(b)),
		cmp.Compare(b.Hash.Cost(), a.Hash.Cost()),
	)
}

func poolName(v v1beta1.Variant) string { return ptr.Deref(v.NodePool, v1beta1.NodePool{}).Name }
