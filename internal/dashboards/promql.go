package dashboards

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Filters of series by what was chosen at the top of the page.
const (
	inNamespaces  = `namespace=~"$namespace"`
	ofExperiment  = `namespace="$namespace",experiment="$experiment"`
	ofVariants    = ofExperiment + `,variant=~"$variant"`
	ofControllers = `controller=~"sizing.+"`
)

// join puts label matchers together.
func join(matchers ...string) string { return strings.Join(matchers, ",") }

// best is the largest of the samples that have the same labels, of those named:
// one operator tells results at a time, but while the lead goes over two may.
func best(labels, series, filter string) string {
	if labels == "" {
		return fmt.Sprintf("max(%s{%s})", series, filter)
	}
	return fmt.Sprintf("max by (%s) (%s{%s})", labels, series, filter)
}

// rate per second of a counter, summed over all but the labels named.
func rate(labels, counter, filter string) string {
	return fmt.Sprintf("sum by (%s) (rate(%s{%s}[$__rate_interval]))", labels, counter, filter)
}

// coded turns a series whose label tells a state into a number for each state,
// from 1 on, as [words] reads them.
func coded(labels, series, filter, label string, states []word) string {
	var either []string
	for i, state := range states {
		either = append(either, fmt.Sprintf("%d * %s{%s}", i+1, series, join(filter, fmt.Sprintf("%s=%q", label, state.Text))))
	}
	return fmt.Sprintf("max by (%s) (%s)", labels, strings.Join(either, " or "))
}

// relabelled gives the one value of an expression labels of its own.
func relabelled(expr string, labels ...[2]string) string {
	for _, label := range labels {
		expr = fmt.Sprintf("label_replace(%s, %q, %q, \"\", \"\")", expr, label[0], label[1])
	}
	return expr
}

// marked adds a word to a label of each of an expression's samples, so that they
// are told apart from those of another.
func marked(label, word, expr string) string {
	return fmt.Sprintf("max without (mark) (label_join(%s, %q, \" \", %q, \"mark\"))",
		relabelled(expr, [2]string{"mark", word}), label, label)
}

// phases of an experiment and of the trials that have a series, how far an answer
// can be relied on, and verdicts, in their colours.
var (
	phases = []word{
		{Text: string(v1alpha1.ExperimentPending), Color: grey},
		{Text: string(v1alpha1.ExperimentQueued), Color: purple},
		{Text: string(v1alpha1.ExperimentRunning), Color: blue},
		{Text: string(v1alpha1.ExperimentSuspended), Color: yellow},
		{Text: string(v1alpha1.ExperimentSucceeded), Color: green},
		{Text: string(v1alpha1.ExperimentFailed), Color: red},
		{Text: string(v1alpha1.ExperimentCancelled), Color: orange},
	}
	trialPhases = []word{
		{Text: string(v1alpha1.TrialRunning), Color: blue},
		{Text: string(v1alpha1.TrialSuspended), Color: yellow},
		{Text: string(v1alpha1.TrialFailed), Color: red},
	}
	confidences = []word{
		{Text: string(v1alpha1.ConfidenceHigh), Color: green},
		{Text: string(v1alpha1.ConfidenceMedium), Color: yellow},
		{Text: string(v1alpha1.ConfidenceLow), Color: orange},
	}
	verdicts = []word{
		{Text: string(v1alpha1.VerdictPending), Color: grey},
		{Text: string(v1alpha1.VerdictValid), Color: green},
		{Text: string(v1alpha1.VerdictSuspect), Color: orange},
		{Text: string(v1alpha1.VerdictInvalid), Color: red},
	}
)
