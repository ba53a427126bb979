package dashboards

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Filters of series by the variables at the top of the page.
const (
	inNamespaces  = `namespace=~"$namespace"`
	ofExperiment  = `namespace="$namespace",experiment="$experiment"`
	ofVariants    = ofExperiment + `,variant=~"$variant"`
	ofControllers = `controller=~"sizing.+"`
)

// join joins label matchers.
func join(matchers ...string) string { return strings.Join(matchers, ",") }

// best returns the largest sample for each set of the named labels. Only one operator
// exports results, but while the leader changes there can be two.
func best(labels, series, filter string) string {
	if labels == "" {
		return fmt.Sprintf("max(%s{%s})", series, filter)
	}
	return fmt.Sprintf("max by (%s) (%s{%s})", labels, series, filter)
}

// rate returns the rate of a counter per second, summed by the named labels.
func rate(labels, counter, filter string) string {
	return fmt.Sprintf("sum by (%s) (rate(%s{%s}[$__rate_interval]))", labels, counter, filter)
}

// coded converts a series with its state in a label to a number for each state, starting
// at 1, as in [words].
func coded(labels, series, filter, label string, states []word) string {
	var either []string
	for i, state := range states {
		either = append(either, fmt.Sprintf("%d * %s{%s}", i+1, series, join(filter, fmt.Sprintf("%s=%q", label, state.Text))))
	}
	return fmt.Sprintf("max by (%s) (%s)", labels, strings.Join(either, " or "))
}

// relabelled adds labels to the values of an expression.
func relabelled(expr string, labels ...[2]string) string {
	for _, label := range labels {
		expr = fmt.Sprintf("label_replace(%s, %q, %q, \"\", \"\")", expr, label[0], label[1])
	}
	return expr
}

// marked appends a word to a label of all samples of an expression, so that they differ from
// those of another expression.
func marked(label, word, expr string) string {
	return fmt.Sprintf("max without (mark) (label_join(%s, %q, \" \", %q, \"mark\"))",
		relabelled(expr, [2]string{"mark", word}), label, label)
}

// The phases of experiments and trials, the confidences and the verdicts, with their
// colours.
var (
	phases = []word{
		{Text: string(v1beta1.ExperimentPending), Color: grey},
		{Text: string(v1beta1.ExperimentQueued), Color: purple},
		{Text: string(v1beta1.ExperimentRunning), Color: blue},
		{Text: string(v1beta1.ExperimentSuspended), Color: yellow},
		{Text: string(v1beta1.ExperimentSucceeded), Color: green},
		{Text: string(v1beta1.ExperimentFailed), Color: red},
		{Text: string(v1beta1.ExperimentCancelled), Color: orange},
	}
	trialPhases = []word{
		{Text: string(v1beta1.TrialRunning), Color: blue},
		{Text: string(v1beta1.TrialSuspended), Color: yellow},
		{Text: string(v1beta1.TrialFailed), Color: red},
	}
	confidences = []word{
		{Text: string(v1beta1.ConfidenceHigh), Color: green},
		{Text: string(v1beta1.ConfidenceMedium), Color: yellow},
		{Text: string(v1beta1.ConfidenceLow), Color: orange},
	}
	verdicts = []word{
		{Text: string(v1beta1.VerdictPending), Color: grey},
		{Text: string(v1beta1.VerdictValid), Color: green},
		{Text: string(v1beta1.VerdictSuspect), Color: orange},
		{Text: string(v1beta1.VerdictInvalid), Color: red},
	}
)
