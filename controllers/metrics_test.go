package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// fakeCache is a cache that holds one experiment, returns an error, or does not answer until
// the context ends.
type fakeCache struct {
	client.Reader
	err    error
	silent bool
}

func (s fakeCache) List(ctx context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if _, bounded := ctx.Deadline(); !bounded {
		return errors.New("the list has no deadline")
	}
	if s.silent {
		<-ctx.Done()
		return ctx.Err()
	}
	if to, is := list.(*v1beta1.SizingExperimentList); is {
		to.Items = []v1beta1.SizingExperiment{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "sizing", UID: "a"},
			Status:     v1beta1.SizingExperimentStatus{Phase: v1beta1.ExperimentRunning},
		}}
	}
	return s.err
}

// metrics returns the metrics of an operator that leads.
func metrics(cache client.Reader) *controllers.Metrics {
	elected := make(chan struct{})
	close(elected)
	return &controllers.Metrics{
		Cache: cache, Clock: clock.RealClock{}, Elected: elected, Tally: controllers.NewCounts(),
		MaxExperiments: 100, Queue: &controllers.Queue{}, StartTimeout: time.Minute,
	}
}

func TestMetricsOfTheLeaderHaveTheClustersStateAndTheCounts(t *testing.T) {
	t.Parallel()
	m := metrics(fakeCache{})
	m.Tally.AttemptEnded(v1beta1.OutcomeBroken, "JobDeleted")
	m.Tally.StageTook(telemetry.StageDeploying, 3*time.Second)
	for _, name := range []string{"hashmark_experiment_phase", telemetry.StageDurationSeconds} {
		if n := testutil.CollectAndCount(m, name); n != 1 {
			t.Errorf("%s has %d series, want 1", name, n)
		}
	}
	want := `# HELP hashmark_attempts_total Attempts that ended while this operator was the leader, by outcome and reason.
# TYPE hashmark_attempts_total counter
hashmark_attempts_total{outcome="Broken",reason="JobDeleted"} 1
hashmark_attempts_total{outcome="Invalid",reason="GeneratorSaturated"} 0
hashmark_attempts_total{outcome="Invalid",reason="GeneratorThrottled"} 0
hashmark_attempts_total{outcome="Invalid",reason="RateNotAchieved"} 0
hashmark_attempts_total{outcome="Kept",reason="Measured"} 0
`
	if err := testutil.CollectAndCompare(m, strings.NewReader(want), telemetry.AttemptsTotal); err != nil {
		t.Error(err)
	}
	if problems, err := testutil.CollectAndLint(m); err != nil || len(problems) > 0 {
		t.Errorf("the linter returned %v, error %v", problems, err)
	}
}

func TestAReplicaThatDoesNotLeadExportsNoMetrics(t *testing.T) {
	t.Parallel()
	m := metrics(fakeCache{})
	m.Elected = make(chan struct{})
	m.Tally.AttemptEnded(v1beta1.OutcomeBroken, "JobDeleted")
	if n := testutil.CollectAndCount(m); n != 0 {
		t.Errorf("%d series are exported, want none", n)
	}
}

func TestACacheThatCannotBeReadFailsTheScrape(t *testing.T) {
	t.Parallel()
	for name, cache := range map[string]fakeCache{
		"it answers with an error": {err: errors.New("the cache is not started")},
		"it does not answer":       {silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			registry := prometheus.NewRegistry()
			registry.MustRegister(metrics(cache))
			if _, err := registry.Gather(); err == nil || !strings.Contains(err.Error(), "for the metrics") {
				t.Errorf("the scrape ended with %v", err)
			}
		})
	}
}

func TestReasonsThatSomebodyInventsAreCountedTogether(t *testing.T) {
	t.Parallel()
	m := metrics(fakeCache{})
	for n := range 1000 {
		m.Tally.AttemptEnded(v1beta1.OutcomeBroken, fmt.Sprintf("Invented%d", n))
	}
	m.Tally.AttemptEnded(v1beta1.OutcomeBroken, "Invented0")
	if n := testutil.CollectAndCount(m, telemetry.AttemptsTotal); n != 101 {
		t.Errorf("%d pairs are exported, want 100 and Other", n)
	}
}

func TestScrapesAndReconcilersDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	m := metrics(fakeCache{})
	registry := prometheus.NewRegistry()
	registry.MustRegister(m)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for n := range 100 {
				m.Tally.AttemptEnded(v1beta1.OutcomeBroken, fmt.Sprintf("Reason%d", (worker+n)%7))
				m.Tally.StageTook(telemetry.StageDriving, time.Second)
			}
		})
		all.Go(func() {
			for range 10 {
				if _, err := registry.Gather(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
