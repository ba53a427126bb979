package matrix

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// heldOut is how many variants measure: Corners measures in addition to the corners, for each kind of
// concurrency on each node pool, so that the model can be checked.
const heldOut = 2

// Measured returns the variants that are measured, in the order of Variants. With measure: Corners these
// are the corners, all hashes that are not costs, and what checks the model; with measure: Decision those
// that a trial measures. Errors are those of Variants.
func Measured(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) ([]v1beta1.Variant, error) {
	variants, err := Variants(spec.Matrix)
	if err != nil {
		return nil, err
	}
	switch Measuring(spec) {
	case v1beta1.MeasureDecision:
		return slices.DeleteFunc(variants, func(v v1beta1.Variant) bool {
			return !slices.ContainsFunc(trials, func(t v1beta1.SizingTrial) bool {
				loads := t.Spec.Role == v1beta1.RoleDecision || t.Spec.Role == v1beta1.RoleMeasurement
				return loads && t.Spec.Variant.Name == v.Name
			})
		}), nil
	case v1beta1.MeasureCorners:
		measured := gridOf(variants).measured()
		return slices.DeleteFunc(variants, func(v v1beta1.Variant) bool {
			return v.Hash.IsCost() && !slices.Contains(measured, placeOf(v))
		}), nil
	default:
		return variants, nil
	}
}

// Corners returns the variants that have the lowest or the highest cost and the smallest or
// the largest CPU limit. Other hashes have no cost to compare and are not corners.
func Corners(variants []v1beta1.Variant) []v1beta1.Variant {
	grid := gridOf(variants)
	return slices.DeleteFunc(slices.Clone(variants), func(v v1beta1.Variant) bool {
		return !v.Hash.IsCost() || !grid.corner(placeOf(v))
	})
}

// place is the position of a variant in the grid of costs and limits.
type place struct {
	cost  int32
	milli int64
}

// placeOf ignores the error of a limit, which was parsed when the variant was named.
func placeOf(v v1beta1.Variant) place {
	milli, _ := MilliCPU(v.CPULimit)
	return place{cost: v.Hash.Cost(), milli: milli}
}

// grid has each place of a matrix once, the lowest cost with the smallest limit, and the highest cost with
// the largest limit.
type grid struct {
	places    []place
	low, high place
}

func gridOf(variants []v1beta1.Variant) grid {
	var g grid
	for _, v := range variants {
		at := placeOf(v)
		if !v.Hash.IsCost() || slices.Contains(g.places, at) {
			continue
		}
		if len(g.places) == 0 {
			g.low, g.high = at, at
		}
		g.low = place{cost: min(g.low.cost, at.cost), milli: min(g.low.milli, at.milli)}
		g.high = place{cost: max(g.high.cost, at.cost), milli: max(g.high.milli, at.milli)}
		g.places = append(g.places, at)
	}
	return g
}

// measured returns the corners, the place nearest to the middle of the others, and the place farthest from
// that one: if possible one between the corners on both axes, and one at the border of the grid.
func (g grid) measured() []place {
	others := slices.DeleteFunc(slices.Clone(g.places), g.corner)
	if len(others) <= heldOut {
		return g.places
	}
	corners := slices.DeleteFunc(slices.Clone(g.places), func(at place) bool { return !g.corner(at) })
	middle := slices.MinFunc(others, g.nearer([2]float64{0.5, 0.5}))
	farthest := slices.MaxFunc(others, g.nearer(g.scaled(middle)))
	return append(corners, middle, farthest)
}

func (g grid) corner(at place) bool {
	return (at.cost == g.low.cost || at.cost == g.high.cost) && (at.milli == g.low.milli || at.milli == g.high.milli)
}

// scaled returns a place in a unit square. The hash time doubles with each increment of the
// cost, so the cost is already a logarithm. The logarithm of the limit is taken.
func (g grid) scaled(at place) [2]float64 {
	within := func(value, from, to float64) float64 {
		if from == to {
			return 0.5
		}
		return (value - from) / (to - from)
	}
	return [2]float64{
		within(float64(at.cost), float64(g.low.cost), float64(g.high.cost)),
		within(math.Log(float64(at.milli)), math.Log(float64(g.low.milli)), math.Log(float64(g.high.milli))),
	}
}

// nearer compares the distances of two places to a point of the unit square.
func (g grid) nearer(to [2]float64) func(a, b place) int {
	distance := func(at place) float64 {
		point := g.scaled(at)
		return math.Hypot(point[0]-to[0], point[1]-to[1])
	}
	return func(a, b place) int { return cmp.Compare(distance(a), distance(b)) }
}

// CheckBaseline returns an error if the baseline is set and is not a measured variant, because
// nothing can be compared with a predicted one, or the only one. The schema can't check this, because
// names follow from the whole matrix. Errors include those of Measured.
func CheckBaseline(spec v1beta1.SizingExperimentSpec) error {
	if spec.Baseline == "" {
		return nil
	}
	variants, err := Measured(spec, nil)
	if err != nil {
		return err
	}
	measured := namesOf(variants)
	if len(measured) == 1 {
		return fmt.Errorf("baseline %q has no effect, because %s is the only measured variant; remove baseline, or add a variant", spec.Baseline, measured[0])
	}
	if slices.Contains(measured, spec.Baseline) {
		return nil
	}
	return fmt.Errorf("baseline %q is not a measured variant; choose one of: %s", spec.Baseline, strings.Join(measured, ", "))
}
