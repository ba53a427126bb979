//go:build browser

package html_test

import (
	"errors"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/report/html"
	"github.com/hashmark-dev/hashmark/test/browser"
)

// screens are the screens and themes that are tested. Widths are in CSS pixels.
var screens = []struct {
	name   string
	width  int64
	scheme string
}{
	{"desktop-light", 1280, "light"}, {"desktop-dark", 1280, "dark"},
	{"phone-light", 390, "light"}, {"phone-dark", 390, "dark"},
}

// gallery returns the reports of real runs in docs/gallery.
func gallery(t *testing.T) map[string]report.Document {
	t.Helper()
	files, err := filepath.Glob("../../../docs/gallery/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("docs/gallery has no saved reports (error %v)", err)
	}
	all := map[string]report.Document{}
	for _, file := range files {
		all["gallery-"+strings.TrimSuffix(filepath.Base(file), ".json")] = saved(t, file)
	}
	return all
}

// TestBrowser opens every report in Chromium without a network. With
// HASHMARK_PICTURES=folder it writes screenshots and a PDF of each to that folder.
func TestBrowser(t *testing.T) {
	chromium := browser.Start(t)
	all := documents()
	maps.Copy(all, gallery(t))
	for name, document := range all {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "report.html")
			write(t, file, document)
			address := (&url.URL{Scheme: "file", Path: file}).String()
			for _, screen := range screens {
				t.Run(screen.name, func(t *testing.T) {
					tab, heard := browser.Open(t, chromium, complaint)
					browser.Do(t, tab,
						chromedp.EmulateViewport(screen.width, 900),
						browser.Call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
							Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: screen.scheme}},
						}),
						chromedp.Navigate(address))
					seen := browser.Get(t, tab, chromedp.Evaluate[sight](inspect))
					judge(t, screen.width, seen)
					if screen.width >= 1280 && strings.HasPrefix(name, "gallery-") && len(seen.Cut) > 0 {
						t.Errorf("tables of a real run are wider than a desktop: %v", seen.Cut)
					}
					browser.Keep(t, name+"-"+screen.name+".png", browser.Get(t, tab, chromedp.FullScreenshot(100)))
					for _, trouble := range heard() {
						t.Errorf("the browser says: %s", trouble)
					}
				})
			}
			tab, _ := browser.Open(t, chromium, complaint)
			browser.Do(t, tab, chromedp.Navigate(address))
			for _, cover := range []struct {
				name          string
				width, height int64
			}{{"-cover.png", 1280, 1500}, {"-phone-cover.png", 390, 1100}} {
				browser.Do(t, tab, chromedp.EmulateViewport(cover.width, cover.height))
				browser.Keep(t, name+cover.name, browser.Get(t, tab, chromedp.CaptureScreenshot()))
			}
			browser.Keep(t, name+".pdf", browser.Get(t, tab, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground())))
		})
	}
}

// TestBrowserOrdersATable chooses the order of the variants by capacity, and back.
func TestBrowserOrdersATable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	write(t, file, quickstart())
	tab, _ := browser.Open(t, browser.Start(t), complaint)
	browser.Do(t, tab, chromedp.EmulateViewport(screens[0].width, 900), chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()))
	planned := "c8-250m c8-500m c8-1 c10-250m c10-500m c10-1"
	for _, test := range []struct{ choose, want string }{
		{"null", planned},
		{"document.querySelector('.ordered .by-0').click()", "c8-1 c8-500m c10-1 c8-250m c10-500m c10-250m"},
		{"document.querySelector('.ordered input').click()", planned},
	} {
		if got := browser.Get(t, tab, chromedp.Evaluate[string](test.choose+"; "+seenVariants)); got != test.want {
			t.Errorf("after %s the rows are %s, want %s", test.choose, got, test.want)
		}
	}
}

// seenVariants lists the variants from top to bottom.
const seenVariants = `[...document.querySelector(".ordered").querySelectorAll("tbody th")]
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(e => e.textContent).join(" ")`

// TestPictureOfTheSpeed finds the chart of the speed in a report. It also takes the
// picture of docs/method.md: HASHMARK_SPEED_OF names another saved report,
// HASHMARK_PICTURES the folder.
func TestPictureOfTheSpeed(t *testing.T) {
	document := matrix()
	if name := os.Getenv("HASHMARK_SPEED_OF"); name != "" {
		document = saved(t, name)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	write(t, file, document)
	tab, _ := browser.Open(t, browser.Start(t), complaint)
	browser.Do(t, tab,
		chromedp.EmulateViewport(900, 380),
		chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()))
	if !browser.Get(t, tab, chromedp.Evaluate[bool](speedAlone)) {
		t.Fatal("the report has no figure of the speed")
	}
	browser.Keep(t, "speed.png", browser.Get(t, tab, chromedp.CaptureScreenshot()))
}

// speedAlone leaves the first drawing of the speed on the page.
const speedAlone = `(() => {
  const panel = document.querySelector(".panel.wide");
  if (panel) document.body.replaceChildren(panel);
  return panel != null;
})()`

// judge reports errors of the layout on a screen of the width.
func judge(t *testing.T, width int64, seen sight) {
	t.Helper()
	if len(seen.Wide) > 0 || seen.Body > width {
		t.Errorf("the body is %d pixels wide on a screen of %d; too wide are %s", seen.Body, width, strings.Join(seen.Wide, ", "))
	}
	if seen.SmallestText < 11 {
		t.Errorf("the smallest text is %.1f pixels high: %s; it must be at least 11", seen.SmallestText, seen.Smallest)
	}
	if seen.Unnamed > 0 {
		t.Errorf("%d drawings have no name or no description", seen.Unnamed)
	}
	for _, text := range seen.Overlaps {
		t.Errorf("labels of a drawing overlap: %s", text)
	}
}

// sight is what a look at the page found.
type sight struct {
	Body         int64
	Wide         []string
	SmallestText float64
	Smallest     string
	Unnamed      int
	Overlaps     []string
	// Cut are the tables that have to be scrolled to be seen in full.
	Cut []string
}

// inspect measures the layout of the page. What scrolls in its own box does not count for
// the width of the body. For labels, the boxes of the letters count, which are a little
// lower than those of the lines.
const inspect = `(() => {
  const width = document.documentElement.clientWidth, wide = [];
  let smallest = 99, words = "";
  for (const e of document.querySelectorAll("body *")) {
    if (e.closest(".hidden, .skip, title, desc") || !e.textContent.trim()) continue;
    const box = e.getBoundingClientRect();
    if (box.right > width + 1 && !e.closest(".scroll")) wide.push(e.tagName + " " + e.textContent.slice(0, 40));
    if (e.children.length || !box.height) continue;
    let size = parseFloat(getComputedStyle(e).fontSize);
    const svg = e.closest("svg");
    if (svg) size *= svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    if (size < smallest) { smallest = size; words = e.textContent.slice(0, 40); }
  }
  let unnamed = 0; const overlaps = [];
  for (const svg of document.querySelectorAll("svg")) {
    const named = (svg.getAttribute("aria-labelledby") || "").split(" ").map(i => document.getElementById(i));
    if (named.length != 2 || named.some(e => !e || !e.textContent)) unnamed++;
    const labels = [...svg.querySelectorAll("text")].map(e => [e, e.getBoundingClientRect()]);
    for (const [i, [a, r]] of labels.entries()) for (const [b, s] of labels.slice(i + 1))
      if (r.left < s.right - 1 && s.left < r.right - 1 && r.top + 3 < s.bottom - 3 && s.top + 3 < r.bottom - 3)
        overlaps.push(a.textContent + " and " + b.textContent + " in " + svg.querySelector("title").textContent);
  }
  const cut = [...document.querySelectorAll(".scroll")].filter(e => e.querySelector("table") && !e.closest("details") && e.scrollWidth > e.clientWidth + 1)
    .map(e => e.ariaLabel + " by " + (e.scrollWidth - e.clientWidth) + " pixels");
  return {Cut: cut, Body: document.documentElement.scrollWidth, Wide: wide, SmallestText: smallest, Smallest: words, Unnamed: unnamed, Overlaps: overlaps};
})()`

// complaint returns the text of any message, and of any request other than for the file.
func complaint(event any) string {
	e, asks := event.(*network.EventRequestWillBeSent)
	if asks && e.Type != network.ResourceTypeDocument && !strings.HasPrefix(e.Request.URL, "data:") {
		return "it asks for " + e.Request.URL
	}
	return browser.Complaint(event)
}

func write(t *testing.T, file string, d report.Document) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(html.Write(f, d), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func saved(t *testing.T, name string) report.Document {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d, err := report.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
