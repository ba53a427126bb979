package telemetry_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

const page = "../../docs/metrics.md"

// row is a line of a table that begins with a series: its name, and the labels
// in the second column.
var row = regexp.MustCompile("(?m)^\\| `(hashmark_[a-z0-9_]+)` \\|([^|]*)\\|")

// word is a label's name in such a column.
var word = regexp.MustCompile("`([a-z_]+)`")

// family is the line about the labels that all series of a section have.
var family = regexp.MustCompile(`(?m)^Labels of all of them: (.*)\.$`)

func TestDocsListEverySeries(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{
		telemetry.AttemptsTotal: {"outcome", "reason"}, telemetry.StageDurationSeconds: {"stage"},
	}
	for _, series := range telemetry.All() {
		known[series.Name] = slices.Sorted(slices.Values(series.Labels))
	}
	named := map[string][]string{}
	for section := range strings.SplitSeq(string(text), "\n## ") {
		var common []string
		if shared := family.FindStringSubmatch(section); shared != nil {
			common = words(shared[1])
		}
		for _, found := range row.FindAllStringSubmatch(section, -1) {
			if name := found[1]; !strings.HasPrefix(name, "hashmark_login_") {
				named[name] = slices.Sorted(slices.Values(append(words(found[2]), common...)))
			}
		}
	}
	if diff := cmp.Diff(known, named, cmpEmpty); diff != "" {
		t.Errorf("series and labels (-known +documented in docs/metrics.md):\n%s", diff)
	}
}

func words(text string) (labels []string) {
	for _, found := range word.FindAllStringSubmatch(text, -1) {
		labels = append(labels, found[1])
	}
	return labels
}

func TestLargestExperimentStaysBelowTheDocumentedLimit(t *testing.T) {
	e, trials := largest("largest")
	count := 0
	for _, sample := range telemetry.Of(state([]v1beta1.SizingExperiment{e}, trials)) {
		if slices.Contains(sample.Values, "largest") {
			count++
		}
	}
	// The maximum of everything: numbers, verdict and reasons of 64 variants, their sizes,
	// differences and prices, 24 steps each, a trial for each repetition after the first, 64
	// predictions, 64 hash times, and 8 reference speeds.
	const want = 64*(14+1+v1beta1.MaxReasons) + 8*4 + 64*(1+5+3) + 64*23*4 + 64*1*3 + 64*9 + 64*3 + 64*2
	if count < want || count > telemetry.MostPerExperiment {
		t.Errorf("it has %d series, at least %d were expected and at most %d are promised", count, want, telemetry.MostPerExperiment)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "under 9,500 series") {
		t.Error("docs/metrics.md does not say so")
	}
}
