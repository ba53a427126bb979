package queue_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/internal/queue"
)

func TestHistoryRoundTrip(t *testing.T) {
	h := queue.History{
		Used: map[string]int64{"a": 70_000, "b": 61_000, "c": 60_000, "d": 1}, Floor: 60_000,
		Given: map[string]time.Time{"a/login": noon}, Counted: noon.Add(time.Minute),
	}
	want := h
	want.Used = map[string]int64{"a": 70_000, "b": 61_000} // the others have used the floor
	if diff := cmp.Diff(want, queue.ReadHistory(h.String())); diff != "" {
		t.Errorf("the history (-want +got):\n%s", diff)
	}
}

func TestReadHistoryIgnoresInvalidText(t *testing.T) {
	for _, text := range []string{"", "nonsense", `{"floor":-1}`, `{"floor":9223372036854775807}`, `{"used":{"a":"b"}}`, `[]`} {
		if diff := cmp.Diff(queue.History{}, queue.ReadHistory(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	h := queue.History{Used: map[string]int64{}}
	for i := range int64(5000) {
		h.Used[strings.Repeat("x", 50)+fmt.Sprint(i)] = 1_000_000_000_000 + i
	}
	text := h.String()
	if got := queue.ReadHistory(text); len(got.Used) != 1000 || got.Used[strings.Repeat("x", 50)+"4999"] == 0 {
		t.Errorf("it keeps %d namespaces, want the 1000 that used the most", len(got.Used))
	}
	if len(text) > 100_000 {
		t.Errorf("it has %d bytes", len(text))
	}
}

// A turn counts by its time, and for a minute at least, whatever becomes of its trial.
func TestTurnsAreChargedByTheirTime(t *testing.T) {
	c := &cluster{}
	c.add("a", "one", 1, waits)
	s := queue.Situation{Experiments: c.experiments, Trials: c.trials, Limit: 1, Now: noon, History: queue.History{}.Count(nil, noon)}
	given := queue.Decide(s).History
	for after, want := range map[time.Duration]int64{0: 60_000, 59 * time.Second: 60_000, 61 * time.Second: 61_000, time.Hour: 3_600_000, 100 * time.Hour: 90_060_000} {
		if got := given.Count(names("a/one-1"), noon.Add(after)).Used["a"]; got != want {
			t.Errorf("after %s it has used %d ms, want %d", after, got, want)
		}
	}
	if got := given.Count(nil, noon.Add(time.Hour)).Used["a"]; got != 60_000 {
		t.Errorf("a turn that was not held counts %d ms, want 60000", got)
	}
}

func TestIdleNamespaceSavesNoTurns(t *testing.T) {
	h := queue.History{Floor: 3_600_000, Used: map[string]int64{"busy": 3_700_000}}
	c := &cluster{history: h}
	c.add("new", "late", 1, waits)
	got := queue.Decide(queue.Situation{Experiments: c.experiments, Trials: c.trials, Limit: 1, Now: noon, History: h.Count(nil, noon)}).History
	if got.Used["new"] != 3_660_000 || got.Floor != 3_600_000 {
		t.Errorf("after its first turn the new namespace has used %d ms, and the floor is %d", got.Used["new"], got.Floor)
	}
}

// tenant is a namespace whose experiments are created, deleted, suspended and edited by a strategy.
type tenant struct {
	name  string
	turns int
	time  time.Duration
}

// TestTenantsShareTurnsFairly lets one tenant do what it likes for a hundred hours: it creates,
// deletes, suspends, resumes and recreates experiments at random, and ends its turns when it likes. With
// the rights to edit objects, it also leaves generators behind that run on for up to an hour without a
// trial. The other tenant's trials take a minute each, and always wait for the next turn. It has at least
// 45 % of the time and of the turns.
func TestTenantsShareTurnsFairly(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 37))
			honest, hostile, edits := &tenant{name: "honest"}, &tenant{name: "hostile"}, seed%2 == 1
			// longest is how long a turn of the hostile tenant takes at most in this run.
			longest := []time.Duration{time.Second, time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour}[random.IntN(5)]
			now, h, lease := noon, queue.History{}, []types.NamespacedName(nil)
			for n := 0; now.Sub(noon) < 100*time.Hour; n++ {
				c := &cluster{}
				c.add(honest.name, "login", 0, waits)
				for i := range 1 + random.IntN(3) { // experiments that were recreated since, or are older
					waits := c.add(hostile.name, fmt.Sprintf("e%d-%d", n, i), -random.IntN(100), waits)
					waits.Spec.Suspend = ptr.To(i > 0 && random.IntN(3) == 0)
				}
				h = queue.ReadHistory(h.String()).Count(lease, now)
				turns := queue.Decide(queue.Situation{Experiments: c.experiments, Trials: c.trials, Limit: 1, Now: now, History: h})
				h, lease = turns.History, turns.Held
				took := time.Minute
				who := honest
				if turns.Start[0].Namespace == hostile.name {
					who, took = hostile, time.Duration(random.Int64N(int64(longest)))+1
				}
				who.turns, who.time = who.turns+1, who.time+took
				now = now.Add(took)
				if stray := time.Duration(random.Int64N(int64(time.Hour))); edits && who == hostile && random.IntN(5) == 0 {
					h = h.Count(lease, now)
					lease = names("hostile/hm-0123456789-load")
					if got := queue.Decide(queue.Situation{Experiments: c.experiments, Trials: c.trials, Held: lease, Limit: 1, Now: now, History: h}); len(got.Start) > 0 {
						t.Fatalf("a turn was given beside the stray load: %v", got.Start)
					}
					who.time, now = who.time+stray, now.Add(stray)
				}
			}
			share := float64(honest.time) / float64(honest.time+hostile.time)
			ofTurns := float64(honest.turns) / float64(honest.turns+hostile.turns)
			if share < 0.45 || ofTurns < 0.45 {
				t.Errorf("with turns of at most %s, the other tenant had %.1f %% of the time and %.1f %% of the turns", longest, 100*share, 100*ofTurns)
			}
		})
	}
}
