//go:build grafana

package dashboards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/hashmark-dev/hashmark/test/browser"
)

// view is what a dashboard is drawn of.
type view struct {
	prometheus            string
	namespace, experiment string
	from, to              time.Time
	scrapeInterval        time.Duration
}

// TestGrafanaDrawsTheHistory draws every dashboard with Grafana's components in Chromium.
func TestGrafanaDrawsTheHistory(t *testing.T) {
	s := prometheusWithHistory(t)
	draw(t, "", view{
		prometheus: "http://" + s.address, namespace: "shop", experiment: "login",
		from: historyBegins.Add(5 * time.Minute), to: historyEnds.Add(-scrapeEvery), scrapeInterval: scrapeEvery,
	})
}

// TestGrafanaDrawsTheQuickstart draws what the demo's Prometheus has. It takes the pictures of
// docs/monitoring.md.
func TestGrafanaDrawsTheQuickstart(t *testing.T) {
	address := os.Getenv("HASHMARK_PROMETHEUS_URL")
	if address == "" {
		t.Fatal("HASHMARK_PROMETHEUS_URL must be the address of a Prometheus with the quickstart; run hack/dashboards/render.sh docs")
	}
	v := view{
		prometheus: address, scrapeInterval: 5 * time.Second,
		namespace: cmp.Or(os.Getenv("HASHMARK_NAMESPACE"), "hashmark-demo"), experiment: cmp.Or(os.Getenv("HASHMARK_EXPERIMENT"), "quickstart"),
	}
	v.from = v.moment(t, "start").Add(-10 * v.scrapeInterval)
	v.to = v.moment(t, "completion").Add(4 * v.scrapeInterval)
	draw(t, "demo-", v)
}

// moment returns when the experiment started or was completed.
func (v view) moment(t *testing.T, which string) time.Time {
	t.Helper()
	expr := fmt.Sprintf("max(last_over_time(hashmark_experiment_%s_timestamp_seconds{namespace=%q,experiment=%q}[2d]))", which, v.namespace, v.experiment)
	results := ask(t, v.prometheus, "query", url.Values{"query": {expr}})
	if len(results) != 1 {
		t.Fatalf("Prometheus does not know the %s of %s/%s", which, v.namespace, v.experiment)
	}
	seconds, err := strconv.ParseFloat(results[0].Value[1].(string), 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Unix(int64(seconds), 0)
}

// outcome is what became of a panel: drawn, blank, empty, failed or box.
type outcome struct{ Title, Kind, State, Message string }

// inspection is what the page says about itself.
type inspection struct {
	Panels  []outcome
	Clipped []string
}

// A common laptop's width, and a height at which everything is on the screen: tables draw only
// what is.
const width, height = 1440, 4500

// patience is how long a page may take, even on a machine that does much else.
const patience = 3 * time.Minute

func draw(t *testing.T, prefix string, v view) {
	t.Helper()
	site := serve(t, v.prometheus)
	chromium := browser.Start(t)
	for name, d := range All() {
		for _, theme := range []string{"light", "dark"} {
			t.Run(name+" "+theme, func(t *testing.T) {
				tab, heard := browser.Open(t, chromium, browser.Complaint)
				defer func() {
					for _, trouble := range heard() {
						t.Errorf("the browser says: %s", trouble)
					}
				}()
				tab, stop := context.WithTimeout(tab, patience)
				defer stop()
				browser.Do(t, tab, chromedp.EmulateViewport(width, height), chromedp.Navigate(site+"/?"+v.address(name, theme)),
					chromedp.WaitVisible(`[data-settled="true"]`))
				judge(t, d, browser.Get(t, tab, chromedp.Evaluate[inspection]("inspect()")))
				browser.Keep(t, prefix+name+"-"+theme+".png", browser.Get(t, tab, chromedp.Screenshot(`[data-settled="true"]`)))
			})
		}
	}
}

func (v view) address(dashboard, theme string) string {
	milliseconds := func(n int64) []string { return []string{strconv.FormatInt(n, 10)} }
	return url.Values{
		"dashboard": {dashboard}, "theme": {theme}, "scrapeInterval": milliseconds(v.scrapeInterval.Milliseconds()),
		"from": milliseconds(v.from.UnixMilli()), "to": milliseconds(v.to.UnixMilli()),
		"var-namespace": {v.namespace}, "var-experiment": {v.experiment}, "var-variant": {".+"},
	}.Encode()
}

// judge reports panels that are not drawn, and text that can't be read in full.
func judge(t *testing.T, d Dashboard, seen inspection) {
	t.Helper()
	for _, text := range seen.Clipped {
		t.Errorf("text is clipped: %s", text)
	}
	for _, s := range d.Sections {
		for _, p := range s.panels {
			i := slices.IndexFunc(seen.Panels, func(o outcome) bool { return o.Title == p.Title && o.Kind == p.Type })
			if i < 0 {
				t.Errorf("%s is missing", p.Title)
				continue
			}
			if err := seen.Panels[i].verdict(p); err != nil {
				t.Errorf("%s: %v", p.Title, err)
			}
		}
	}
}

func (o outcome) verdict(p Panel) error {
	mayBeEmpty := !slices.ContainsFunc(p.Targets, func(q target) bool { return q.mayBeEmpty == "" })
	switch {
	case o.State == "empty" && !mayBeEmpty:
		return errors.New("no data")
	case o.State == "blank":
		return errors.New("it is drawn, but shows nothing")
	case o.State == "box":
		return fmt.Errorf("nothing draws a panel of the kind %s", p.Type)
	case o.State == "failed":
		return errors.New(o.Message)
	}
	return nil
}

// serve serves the page, the dashboards, and the API of a Prometheus.
func serve(t *testing.T, prometheus string) string {
	t.Helper()
	page := os.Getenv("HASHMARK_PAGE")
	if page == "" {
		t.Fatal("HASHMARK_PAGE must be the folder of the bundled page; run hack/dashboards/render.sh, which bundles it")
	}
	target, err := url.Parse(prometheus)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(page)))
	mux.Handle("/api/v1/", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
	mux.HandleFunc("/dashboards/{file}", func(w http.ResponseWriter, r *http.Request) {
		d, found := All()[strings.TrimSuffix(r.PathValue("file"), ".json")]
		if !found {
			http.NotFound(w, r)
			return
		}
		text, err := d.JSON()
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(text)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
