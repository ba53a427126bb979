package report

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

func (d Document) differencesSection() Section {
	s := Section{
		Title:   "Difference from the baseline",
		Columns: []string{"Variant", "p95", "Capacity", "Maximum", "Price of logins"},
	}
	for _, row := range d.Rows {
		if c := row.Result.Comparison; c != nil {
			s.Lines = append(s.Lines, []string{
				row.Result.Variant, difference(c.P95), difference(c.Capacity), difference(c.MaxThroughput), difference(c.PricePerMillionLogins),
			})
		}
	}
	if floor := d.Experiment.Status.NoiseFloor; floor != nil {
		s.Items = append(s.Items, d.noiseWords(floor)...)
	}
	if len(s.Lines) == 0 {
		s.Title = "Noise"
		return s
	}
	s.Paragraphs = []string{"The baseline is " + d.Experiment.Spec.Baseline + "."}
	if d.Experiment.Spec.Repetitions > 1 {
		s.Paragraphs[0] += " Chance is the probability of a difference at least as large without a real difference."
	}
	return s
}

// noiseWords returns by how much two measurements of the same configuration differ.
func (d Document) noiseWords(floor *v1alpha1.NoiseFloor) []string {
	var texts []string
	for _, repeated := range []struct {
		words string
		noise *v1alpha1.Noise
	}{
		{"with equal arrivals", floor.EqualSeeds},
		{"with different arrivals", floor.DifferentSeeds},
	} {
		if repeated.noise != nil {
			texts = append(texts, fmt.Sprintf("%s measure the same configuration; %s they differ by %s.",
				strings.Join(floor.Pair, " and "), repeated.words, noiseFigures(*repeated.noise)))
		}
	}
	return texts
}

func noiseFigures(n v1alpha1.Noise) string {
	var texts []string
	for _, figure := range []struct {
		words    string
		perMille *int64
	}{{"in p95", n.P95PerMille}, {"in capacity", n.CapacityPerMille}, {"in maximum", n.MaxThroughputPerMille}} {
		if figure.perMille != nil {
			texts = append(texts, units.Number(float64(*figure.perMille)/10)+" % "+figure.words)
		}
	}
	return strings.Join(texts, ", ")
}
