//go:build e2e && chaos

package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// outage is how long the API server is down. It is longer than the lease of a leader.
const outage = time.Minute

func operatorKilled(t *testing.T, c *chaos) {
	const kills = 30
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	// Without a lease, which the next operator would wait for longer than it lives.
	o := startOperator(t, "leaderElection: {enabled: false}")
	var killed []*v1beta1.SizingExperiment
	for kill := range kills {
		if n := len(killed); n == 0 || over(t, killed[n-1]) {
			killed = append(killed, c.experiment(t, fmt.Sprintf("killed-%d", n), costs(4, 6)))
		}
		// The operator is killed at a random time, so there is no condition to wait for.
		<-time.After(time.Duration(500+random.IntN(3500)) * time.Millisecond)
		o.kill()
		o.start()
		t.Logf("kill %d during %s", kill+1, standing(t, killed[len(killed)-1]))
	}
	for _, e := range killed {
		c.holds(t, e, 3*time.Minute)
	}
	t.Logf("%d kills in %d experiments", kills, len(killed))
}

// over reports whether an experiment has finished.
func over(t *testing.T, e *v1beta1.SizingExperiment) bool {
	t.Helper()
	refresh(t, e)
	return e.Status.Phase.Finished()
}

// The load ends while the API server is down, so that its result can be read only afterwards.
func apiServerDownDuringLoad(t *testing.T, c *chaos) {
	o := startOperator(t)
	e := c.experiment(t, "outage-load", costs(4, 6), longer(20))
	underLoad(t, e)
	apiServerDown(t, o)
	c.holds(t, e, 3*time.Minute)
}

// A frozen operator is thawed once the API server is down. It then learns from its watch, which
// has the event already, that the generator has ended, and can't write that.
func apiServerDownDuringHarvest(t *testing.T, c *chaos) {
	o := startOperator(t)
	e := c.experiment(t, "outage-harvest", costs(4, 6))
	generator := underLoad(t, e)
	o.freeze()
	until(t, time.Minute, "the generator to end", func() (bool, string) {
		refresh(t, generator)
		return generator.Status.Phase == corev1.PodSucceeded, string(generator.Status.Phase)
	})
	crash(t, "crash", "kube-apiserver")
	o.thaw()
	apiServerComesBack(t, o)
	c.holds(t, e, 3*time.Minute)
}

func apiServerDown(t *testing.T, o *operator) {
	t.Helper()
	crash(t, "crash", "kube-apiserver")
	apiServerComesBack(t, o)
}

// apiServerComesBack starts the API server after the outage, and the operator if it ended.
func apiServerComesBack(t *testing.T, o *operator) {
	t.Helper()
	<-time.After(outage) // the length of the fault, not a wait for a condition
	begun := time.Now()
	clusterScript(t, "up")
	t.Logf("the API server was down for %s, and the cluster healthy %s later; the operator ended: %t", outage, time.Since(begun).Round(time.Second), o.ended())
	if o.ended() {
		o.restart()
	}
}

func etcdKilled(t *testing.T, c *chaos) {
	o := startOperator(t)
	e := c.experiment(t, "etcd", costs(4, 6), longer(10))
	underLoad(t, e)
	begun := time.Now()
	crash(t, "crash", "etcd")
	clusterScript(t, "up")
	t.Logf("the cluster was healthy %s after etcd was killed; the operator ended: %t", time.Since(begun).Round(time.Second), o.ended())
	if o.ended() {
		o.restart()
	}
	c.holds(t, e, 3*time.Minute)
}

func leaderFrozen(t *testing.T, c *chaos) {
	first := startOperator(t)
	e := c.experiment(t, "frozen", costs(4, 5, 6), longer(8), inOrder)
	underLoad(t, e)
	second := startOperator(t)
	before := leader(t, installed.Namespace)
	first.freeze()
	until(t, time.Minute, "the second operator to lead", func() (bool, string) {
		holder := leader(t, installed.Namespace)
		return holder != before, holder
	})
	c.untilLoaded(t, e, 2)
	first.thaw()
	until(t, time.Minute, "the first operator to end, because it does not lead any more", func() (bool, string) {
		return first.ended(), leader(t, installed.Namespace)
	})
	first.restart()
	c.untilLoaded(t, e, 3)
	second.kill()
	c.holds(t, e, 3*time.Minute)
	t.Logf("the leader was %s, and is %s", before, leader(t, installed.Namespace))
}

// inOrder chooses a seed that keeps two to four variants in the order in which they are written.
func inOrder(s *v1beta1.SizingExperimentSpec) { s.Seed = ptr.To[int64](84) }

// untilLoaded waits until an experiment's trial with a sequence number is under load.
func (c *chaos) untilLoaded(t *testing.T, e *v1beta1.SizingExperiment, sequence int) {
	t.Helper()
	until(t, 2*time.Minute, fmt.Sprintf("trial %d to be under load", sequence), func() (bool, string) {
		trials := trialsOf(t, e)
		return len(trials) >= sequence && loads(trials[sequence-1]), standing(t, e)
	})
}
