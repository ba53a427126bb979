package chart_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// alert is a rule of Prometheus.
type alert struct {
	Alert       string
	Expr        string
	Labels      map[string]string
	Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []alert }
	}
	read(t, "files/rules/hashmark.yaml", &file)
	var all []alert
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) < 4 {
		t.Fatalf("found %d alerts, want at least 4: the test reads the wrong file", len(all))
	}
	return all
}

func TestEachAlertSaysWhatItIsAndWhatToDo(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(readme), -1) {
		anchors[strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-")] = true
	}
	for _, a := range alerts(t) {
		if a.Labels["severity"] == "" || a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s has no severity, summary or description", a.Alert)
		}
		page, anchor, _ := strings.Cut(a.Annotations["runbook_url"], "#")
		if page != "https://github.com/hashmark-dev/hashmark" || !anchors[anchor] {
			t.Errorf("%s links to %q, but README.md has no such heading", a.Alert, a.Annotations["runbook_url"])
		}
	}
}

func TestAlertsAskForSeriesThatAreDocumented(t *testing.T) {
	documented, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	series := regexp.MustCompile(`\bhashmark_[a-z0-9_]+`)
	for _, a := range alerts(t) {
		for _, name := range series.FindAllString(a.Expr, -1) {
			if !strings.Contains(string(documented), "`"+name) {
				t.Errorf("%s queries %s, which is not in docs/metrics.md", a.Alert, name)
			}
		}
	}
}

func TestEachAlertIsTestedByPromtool(t *testing.T) {
	files, err := os.ReadDir("rules")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, file := range files {
		content, err := os.ReadFile("rules/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(content)
	}
	for _, a := range alerts(t) {
		firing := `alertname="` + a.Alert + `", alertstate="firing"`
		if !strings.Contains(tests.String(), firing) || !strings.Contains(tests.String(), "alertname: "+a.Alert) {
			t.Errorf("no test in test/chart/rules lets %s fire, or none checks its texts", a.Alert)
		}
	}
}
