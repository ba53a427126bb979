//go:build e2e

package e2e

import (
	"cmp"
	"os"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"sigs.k8s.io/yaml"
)

const (
	// scrape is the scrape interval of the local cluster's Prometheus.
	scrape = 5 * time.Second
	// noticed is how long Prometheus takes at most to load a new target.
	noticed = time.Minute
)

// prometheus returns a client of the local cluster's Prometheus, which make demo
// MONITORING=true installs.
func prometheus(t *testing.T) promv1.API {
	t.Helper()
	address := cmp.Or(os.Getenv("HASHMARK_PROMETHEUS_URL"), "http://198.19.0.90:9090")
	connection, err := api.NewClient(api.Config{Address: address})
	must(t, err)
	prometheus := promv1.NewAPI(connection)
	if _, err := prometheus.Buildinfo(t.Context()); err != nil {
		t.Fatalf("Prometheus does not respond; run make demo MONITORING=true: %v", err)
	}
	return prometheus
}

// instant returns the current result of a query.
func instant(t *testing.T, api promv1.API, query string) model.Vector {
	t.Helper()
	value, _, _, err := api.Query(t.Context(), query, time.Now())
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	vector, is := value.(model.Vector)
	if !is {
		t.Fatalf("the result of %s is a %s", query, value.Type())
	}
	return vector
}

// installedWorks scales up the installed operator, which Prometheus scrapes, until the test
// ends.
func installedWorks(t *testing.T) {
	t.Helper()
	must(t, scaleInstalled(1))
	t.Cleanup(func() {
		if err := scaleInstalled(0); err != nil {
			t.Error(err)
		}
	})
}

// An experiment's results are series while it exists, and its login service and k6 export
// theirs while they run. The operator is found without anything but its ServiceMonitor.
func TestPrometheusScrapesAnExperimentUntilItIsDeleted(t *testing.T) {
	prometheus := prometheus(t)
	installedWorks(t)
	e := create(t, tiny(namespace(t), "watched", longer(15)))
	underLoad(t, e)
	trial := theTrial(t, e)
	until(t, noticed, "the login service to be scraped, and k6 to write", func() (bool, string) {
		service := instant(t, prometheus, `hashmark_login_requests_total{namespace="`+e.Namespace+`"}`)
		k6 := instant(t, prometheus, `k6_http_reqs_total{testid="`+trial.Name+`"}`)
		return len(service) > 0 && len(k6) > 0, service.String() + k6.String()
	})
	finished(t, e, 2*time.Minute)
	ofIt := `{__name__=~"hashmark_.+", namespace="` + e.Namespace + `", experiment="watched"}`
	until(t, noticed, "its results to be scraped", func() (bool, string) {
		seen := instant(t, prometheus, `hashmark_variant_p95_seconds{namespace="`+e.Namespace+`"}`)
		return len(seen) == 1 && float64(seen[0].Value) == float64(*e.Status.Results[0].P95Microseconds)/1e6, seen.String()
	})
	must(t, cluster.Delete(t.Context(), e))
	kubectl(t, "wait", "--for=delete", "--timeout=30s", "-n", e.Namespace, "szx/"+e.Name)
	until(t, 3*scrape, "its series to end", func() (bool, string) {
		left := instant(t, prometheus, ofIt)
		return len(left) == 0, left.String()
	})
}

func TestPrometheusLoadsEveryAlert(t *testing.T) {
	text, err := os.ReadFile(chart + "/files/rules/hashmark.yaml")
	must(t, err)
	var file struct {
		Groups []struct{ Rules []struct{ Alert string } }
	}
	must(t, yaml.Unmarshal(text, &file))
	rules, err := prometheus(t).Rules(t.Context(), nil)
	must(t, err)
	loaded := map[string]promv1.RuleHealth{}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if alert, is := rule.(promv1.AlertingRule); is {
				loaded[alert.Name] = alert.Health
			}
		}
	}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if health, is := loaded[rule.Alert]; !is || health == promv1.RuleHealthBad {
				t.Errorf("the alert %s is %q", rule.Alert, health)
			}
		}
	}
	if len(loaded) == 0 {
		t.Error("no alert is loaded")
	}
}
