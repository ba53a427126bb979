package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

type recommendation struct {
	cluster      *connection
	file, format string
	changed      change
}

// answer is what recommend and calibrate print as JSON and YAML. Its fields are named as in the API.
type answer struct {
	Experiment     string                     `json:"experiment,omitempty"` // absent in calibrate
	Objective      v1beta1.Objective          `json:"objective"`
	Demand         *v1beta1.Demand            `json:"demand,omitempty"`
	Prices         *v1beta1.Prices            `json:"prices,omitempty"`
	Speed          []v1beta1.PoolSpeed        `json:"speed,omitempty"`     // only in calibrate
	HashTimes      []v1beta1.HashTime         `json:"hashTimes,omitempty"` // only in calibrate
	CostFits       []v1beta1.CostFit          `json:"costFits,omitempty"`  // only in calibrate
	Recommendation *v1beta1.Recommendation    `json:"recommendation,omitempty"`
	Results        []v1beta1.VariantResult    `json:"results,omitempty"`
	Predictions    []v1beta1.PredictedVariant `json:"predictions,omitempty"`
}

var answers = map[string]layout{
	"table": report.Sizes, "json": asJSON(answerOf), "yaml": asYAML(answerOf),
}

func recommendCommand(cluster *connection) *cobra.Command {
	r := &recommendation{cluster: cluster}
	command := &cobra.Command{
		Use:   "recommend NAME",
		Short: "Recommend a size for another demand from stored results, without new load",
		Long: `Shows which size would be recommended for another demand, objective or price, from
the stored measurements. What no flag changes is taken from the experiment; a new
demand has the API's defaults. The operator uses the same code for its own
recommendation.

` + whereFrom + `

Exit codes: 0 if a size is recommended, 1 if none is, 2 if there is no result.`,
		Example: `  kubectl hashmark recommend login-sizing --rate 200 --p95 300ms --min-cost 11
  kubectl hashmark recommend login-sizing --max-total-cpu 8 --max-replicas 20 --headroom 50
  kubectl hashmark recommend login-sizing --rate 200 --per-cpu-hour 0.04 --currency EUR -o yaml
  kubectl hashmark recommend saved.json --rate 500`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cluster.completeNames(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return r.recommend(command.Context(), arguments)
		},
	}
	command.Flags().StringVarP(&r.file, "filename", "f", "", "a saved report, or - for standard input, instead of NAME")
	addFormat(command, &r.format, sorted(answers))
	r.changed.addTo(command.Flags())
	r.changed.addStored(command.Flags())
	return command
}

func (r *recommendation) recommend(ctx context.Context, arguments []string) error {
	stored, err := r.cluster.fromArguments(ctx, arguments, r.file)
	if err != nil {
		return err
	}
	other, err := r.whatIf(stored)
	if err != nil {
		return fmt.Errorf("experiment %s: %w", stored.Experiment.Name, err)
	}
	if err := answers[r.format](r.cluster.program.Streams.Out, other); err != nil {
		return err
	}
	return met(other)
}

// whatIf returns the document that the experiment would have with the changed spec.
func (r *recommendation) whatIf(stored report.Document) (report.Document, error) {
	spec, err := r.changed.applyWithDemand(stored.Experiment.Spec)
	if err != nil {
		return report.Document{}, err
	}
	status, err := sizing.WhatIf(stored.Experiment, stored.Trials, spec)
	if err != nil {
		return report.Document{}, err
	}
	other := stored.Experiment.DeepCopy()
	other.Spec, other.Status = spec, *status
	return report.New(other, stored.Trials), nil
}

func asJSON(of func(report.Document) answer) layout {
	return func(out io.Writer, d report.Document) error { return report.WriteJSON(out, of(d)) }
}

func asYAML(of func(report.Document) answer) layout {
	return func(out io.Writer, d report.Document) error {
		text, _, err := report.PlainYAML(of(d))
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, text)
		return err
	}
}

func answerOf(d report.Document) answer {
	e := d.Experiment
	return answer{
		Experiment: e.Name, Objective: e.Spec.Objective, Demand: e.Spec.Demand, Prices: e.Spec.Prices,
		Recommendation: e.Status.Recommendation, Results: e.Status.Results, Predictions: e.Status.Predictions,
	}
}
