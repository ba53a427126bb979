package report_test

import (
	"bytes"
	"encoding/csv"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// nasty are texts that have a meaning in one of the formats.
var nasty = []string{
	"plain", "", "=1+1", "+1", "-1", "@SUM(A1)", "＝1", "\t=1", "a,b;\"c\"", "a|b\\|c", "`code` *bold* _it_ ~no~ <b>&amp;", "]]>", "<![CDATA[",
	"line\nbreak\r\nand\ttab", "\x1b[31mred\x1b[0m", "\x00", "\xff\xfe", "\u202eesrever", "\ufffe", "```\n# title", "<script>alert(1)</script>", "µ±‰ – 10⁶ 統計",
}

// FuzzFormatsHoldWhateverIsInTheResources: names and reasons come from the API
// server, from Kubernetes' own messages and from saved files.
func FuzzFormatsHoldWhateverIsInTheResources(f *testing.F) {
	for _, text := range nasty {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		document := withText(t, text)
		tableHoldsNoControls(t, written(t, report.Table, document))
		markdownKeepsItsTables(t, written(t, report.Markdown, document), text)
		csvComputesNothing(t, written(t, report.CSV, document))
		xmlIsRead(t, written(t, report.JUnit, document))
	})
}

// withText is the full document with a text everywhere where users can write one.
func withText(t *testing.T, text string) report.Document {
	document := full(t)
	experiment := document.Experiment
	experiment.Name, experiment.Spec.Prices.Currency = text, text
	experiment.Status.Recommendation.Reason, experiment.Status.Recommendation.Changes = text, []string{text}
	experiment.Status.ModelCheck.Message = text
	row := &experiment.Status.Results[4]
	row.Reasons = []v1beta1.Reason{{Type: text, Message: text}}
	row.CPULimit, row.NodePool, row.Hash.Name, row.Price.PerMonth = text, text, text, text
	row.Verdict = v1beta1.VerdictInvalid
	for i := range document.Trials {
		document.Trials[i].Spec.Variant.Hash.Name, document.Trials[i].Spec.Variant.CPULimit = text, text
		document.Trials[i].Spec.Variant.NodePool = &v1beta1.NodePool{Name: text}
		document.Trials[i].Status.Calibration.CPUModel = text
	}
	document.Trials[0].Status.Attempts[0].Message = text
	return report.New(experiment, document.Trials)
}

func tableHoldsNoControls(t *testing.T, table string) {
	if plain := units.Plain(table); plain != table || strings.Contains(table, "\t") {
		t.Errorf("the table contains what controls a terminal:\n%s", cmp.Diff(plain, table))
	}
}

// TestNoFieldWritesControlCharacters puts such characters into each text of the resources in turn, since a
// saved report may say anything.
func TestNoFieldWritesControlCharacters(t *testing.T) {
	const bad = "\x1b[31m\u009b\u202e\u2028\r\x00"
	texts := map[string]bool{}
	find := full(t)
	eachText(reflect.ValueOf(find.Experiment), "experiment", func(path string, _ reflect.Value) { texts[path] = true })
	eachText(reflect.ValueOf(find.Trials), "trials", func(path string, _ reflect.Value) { texts[path] = true })
	if len(texts) < 100 {
		t.Fatalf("the document has only %d kinds of texts", len(texts))
	}
	for text := range texts {
		document := full(t)
		put := func(path string, value reflect.Value) {
			if path == text {
				value.SetString(value.String() + bad)
			}
		}
		eachText(reflect.ValueOf(document.Experiment), "experiment", put)
		eachText(reflect.ValueOf(document.Trials), "trials", put)
		document = report.New(document.Experiment, document.Trials)
		for name, format := range map[string]func(io.Writer, report.Document) error{
			"a table": report.Table, "sizes": report.Sizes, "Markdown": report.Markdown, "CSV": report.CSV, "JSON": report.JSON,
			"JUnit": report.JUnit,
		} {
			if got := written(t, format, document); units.Plain(got) != got {
				t.Errorf("%s with such a text in %s has a character that controls a terminal", name, text)
			}
		}
	}
}

// eachText calls do with each text that can be set, and the way to it.
func eachText(value reflect.Value, path string, do func(path string, value reflect.Value)) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			eachText(value.Elem(), path, do)
		}
	case reflect.Slice:
		for i := range value.Len() {
			eachText(value.Index(i), path, do)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() {
				eachText(value.Field(i), path+"."+field.Name, do)
			}
		}
	case reflect.String:
		if value.CanSet() {
			do(path, value)
		}
	}
}

// A report that was saved has everything that was in the cluster.
func TestSavedReportKeepsEveryCharacter(t *testing.T) {
	const nasty = "\x1b]0;\u009b\u202e\u2028\ufffe\r\x7f"
	document := full(t)
	document.Experiment.Status.Recommendation.Reason = nasty
	read, err := report.Read(strings.NewReader(written(t, report.JSON, document)))
	if err != nil || read.Experiment.Status.Recommendation.Reason != nasty {
		t.Errorf("read %q, %v", read.Experiment.Status.Recommendation.Reason, err)
	}
}

// markdownKeepsItsTables: no text adds a column, a fence or a tag.
func markdownKeepsItsTables(t *testing.T, markdown, text string) {
	columns := 0
	report, _, _ := strings.Cut(markdown, "<details>")
	for line := range strings.Lines(report) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		bars := strings.Count(strings.NewReplacer(`\\`, "", `\|`, "").Replace(line), "|")
		if columns != 0 && bars != columns {
			t.Errorf("with %q a line has %d bars, and the one before %d: %s", text, bars, columns, line)
		}
		columns = bars
	}
	if strings.ContainsAny(report, "<>") {
		t.Errorf("with %q the text before the manifest contains a tag", text)
	}
	if strings.Contains(markdown, "<details>") && strings.Count(markdown, "\n</details>\n") != 1 {
		t.Errorf("with %q the manifest's block does not end", text)
	}
}

func csvComputesNothing(t *testing.T, text string) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("the CSV can't be read: %v", err)
	}
	for _, line := range lines {
		for _, cell := range line {
			if first, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@\t\r＝＋－＠", first) {
				t.Errorf("a spreadsheet computes %q", cell)
			}
		}
	}
}

func xmlIsRead(t *testing.T, text string) {
	if got := readSuites(t, text); len(got.Cases) != 9 {
		t.Errorf("got %d test cases, want that of the objective, and one for each verification and variant", len(got.Cases))
	}
}

// FuzzReadNeverPanics: what is read may be anything.
func FuzzReadNeverPanics(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"hashmark.dev/v1beta1","kind":"SizingReport","experiment":{"metadata":{"name":"x"},"status":{"results":[{"variant":"a"}],"predictions":[{}]}},"trials":[{}]}`))
	f.Add([]byte("kind: List\nitems: [{kind: SizingExperiment}, {kind: SizingTrial}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		document, err := report.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, format := range formats {
			if err := format(io.Discard, document); err != nil {
				t.Errorf("a report that was read can't be written: %v", err)
			}
		}
	})
}

func TestManifestCannotCloseItsFence(t *testing.T) {
	document := changed(t, func(e *experiment, _ []v1beta1.SizingTrial) { e.Spec.Baseline = "```" })
	if markdown := written(t, report.Markdown, document); !strings.Contains(markdown, "\n````yaml\n") || !strings.Contains(markdown, "\n````\n\n</details>") {
		t.Errorf("the fence is not longer than what it holds:\n%s", markdown)
	}
}
