package html_test

import (
	"encoding/xml"
	"errors"
	htmltext "html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/report/html"
	"github.com/hashmark-dev/hashmark/internal/units"
)

func TestPageOfEachKindOfExperiment(t *testing.T) {
	for name, document := range documents() {
		t.Run(name, func(t *testing.T) {
			page := written(t, document)
			if size := len(page); size >= 1_000_000 {
				t.Errorf("the page has %d bytes; it must stay below a megabyte", size)
			}
			if !strings.Contains(text(page), strings.Join(strings.Fields(document.Answer()), " ")) {
				t.Error("the page does not contain the result")
			}
			if ids := identifiers.FindAllString(page, -1); len(ids) != len(unique(ids)) {
				t.Errorf("identifiers are not unique: %v", ids)
			}
			for _, drawing := range drawings.FindAllString(page, -1) {
				wellFormed(t, drawing)
				if strings.Contains(drawing, "#0102") {
					t.Error("a drawing has a colour that is not in the palette")
				}
			}
			for _, unwanted := range []string{"<script", "http://", "https://", "url(", "NaN", "Inf", "%!"} {
				if strings.Contains(strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, ""), unwanted) {
					t.Errorf("the page has %s", unwanted)
				}
			}
		})
	}
}

func TestNoHeadingWithoutData(t *testing.T) {
	page := written(t, failed())
	for _, heading := range []string{"Variants", "Capacity by cost", "p95 against", "Response times", "Requests under way", "Throttling"} {
		if strings.Contains(page, ">"+heading) {
			t.Errorf("an experiment without results has a section %s", heading)
		}
	}
}

func TestPageSectionsInOrder(t *testing.T) {
	page := written(t, matrix())
	at := 0
	for _, heading := range []string{
		"Why", "Variants", "Capacity by cost and CPU limit", "p95 against the load", "Response times", "Requests under way",
		"Throttling", "Speed of the CPU", "Hash time", "Predicted, not measured", "Reasons for the verdicts", "How it was measured", "Measure it again",
	} {
		next := strings.Index(page[at:], `">`+heading+"</h2>")
		if next < 0 {
			t.Fatalf("no section %s after the one before it", heading)
		}
		at += next
	}
	for _, cell := range []string{"recommended", "predicted", "suspect"} {
		if !strings.Contains(page, "<small>"+cell+"</small>") {
			t.Errorf("no cell of the map is marked as %s", cell)
		}
	}
}

func TestCommandsAreQuoted(t *testing.T) {
	d := quickstart()
	d.Experiment.Namespace, d.Experiment.Name = "team-a", "x; rm -rf ~ #'$(id)"
	page := htmltext.UnescapeString(written(t, d))
	for _, want := range []string{
		`kubectl delete szx -n team-a 'x; rm -rf ~ #'\''$(id)' `,
		`szx/'x; rm -rf ~ #'\''$(id)'`,
		`kubectl hashmark report -n team-a 'x; rm -rf ~ #'\''$(id)' -o html`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %s", want)
		}
	}
}

func FuzzWhateverUsersWriteStaysText(f *testing.F) {
	for _, seed := range []string{
		`</script><script>alert(1)</script>`, `"><svg onload=alert(1)>`, `' onmouseover='x`, `]]></style>`, `{{.}}`, `<!--`, "#010203", "\x00\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := failed()
		mine := quickstart()
		d.Experiment, d.Trials = mine.Experiment, mine.Trials
		d.Experiment.Name, d.Experiment.Status.Conditions[0].Message = text, text
		for i := range d.Experiment.Status.Results {
			row := &d.Experiment.Status.Results[i]
			row.CPULimit, row.NodePool, row.Reasons = text, text, append(row.Reasons, reason(text))
		}
		d.Trials[0].Status.Calibration.CPUModel = text
		page := written(t, report.New(d.Experiment, d.Trials))
		before := tags(written(t, quickstart()))
		for tag := range tags(page) {
			if !before[tag] && !ours[tag] {
				t.Errorf("%q makes the page have <%s>", text, tag)
			}
		}
		for _, drawing := range drawings.FindAllString(page, -1) {
			wellFormed(t, drawing)
		}
	})
}

var (
	identifiers = regexp.MustCompile(` id="[^"]*"`)
	drawings    = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	elements    = regexp.MustCompile(`<([a-zA-Z!][^\s>/]*)`)
	anyTag      = regexp.MustCompile(`<[^>]*>`)
	// ours are elements that other pages have, but not that of the quickstart.
	ours = map[string]bool{"small": true, "ul": true, "li": true}
)

func tags(page string) map[string]bool {
	found := map[string]bool{}
	for _, match := range elements.FindAllStringSubmatch(page, -1) {
		found[match[1]] = true
	}
	return found
}

// text returns the visible text of a page.
func text(page string) string {
	plain := anyTag.ReplaceAllString(page, " ")
	plain = strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&lt;", "<", "&gt;", ">", "&#43;", "+", "&amp;", "&").Replace(plain)
	return strings.Join(strings.Fields(plain), " ")
}

func unique(all []string) map[string]bool {
	found := map[string]bool{}
	for _, one := range all {
		found[one] = true
	}
	return found
}

func wellFormed(t *testing.T, drawing string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(drawing))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("a drawing is no XML: %v", err)
		}
	}
}

func written(t *testing.T, d report.Document) string {
	t.Helper()
	var page strings.Builder
	if err := html.Write(&page, d); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestPageHasNoControlCharacters(t *testing.T) {
	const bad = "\x1b[31m\u009b\u202e\u2028"
	document := matrix()
	e := document.Experiment
	e.Name, e.Spec.Baseline, e.Status.Recommendation.Reason = "a"+bad, "b"+bad, "c"+bad
	for i := range e.Status.Results {
		e.Status.Results[i].Variant += bad
	}
	var page strings.Builder
	if err := html.Write(&page, report.New(e, document.Trials)); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); units.Plain(text) != text || !strings.Contains(text, "c\ufffd[31m\ufffd") {
		t.Error("the page has such a character, or lacks the text around it")
	}
}
