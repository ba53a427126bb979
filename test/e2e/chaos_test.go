//go:build e2e && chaos

package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// chaos is one run of faults on the cluster. It keeps all experiments until the end.
type chaos struct {
	ns          string
	watched     *generators
	experiments []*v1beta1.SizingExperiment
}

// TestChaos does one fault after another to the cluster, and checks the invariants of
// docs/reliability.md after each. Those that are about the time after an experiment's end are
// checked once for all experiments.
func TestChaos(t *testing.T) {
	c := &chaos{ns: namespace(t), watched: watchGenerators(t)}
	for _, fault := range []struct {
		name string
		do   func(*testing.T, *chaos)
	}{
		{"the operator is killed 30 times", operatorKilled},
		{"the API server is down for a minute during a load", apiServerDownDuringLoad},
		{"the API server is down for a minute during a harvest", apiServerDownDuringHarvest},
		{"etcd is killed during a load", etcdKilled},
		{"the leader is frozen, thawed and killed", leaderFrozen},
		{"the service's node is stopped for good", nodeStopped(serviceNode, v1beta1.ComponentService, true)},
		{"the generator's node is stopped for good", nodeStopped(generatorNode, v1beta1.ComponentGenerator, false)},
		{"the service's node is drained", nodeDrained(serviceNode, v1beta1.ComponentService)},
		{"the generator's node is drained", nodeDrained(generatorNode, v1beta1.ComponentGenerator)},
		{"the service's node is cordoned", nodeCordoned(serviceNode, v1beta1.ComponentService)},
		{"the generator's node is cordoned", nodeCordoned(generatorNode, v1beta1.ComponentGenerator)},
		{"the service runs out of memory", memoryFilled(v1beta1.ComponentService, objects.LoginContainer, v1beta1.ReasonServiceOOMKilled)},
		{"the generator runs out of memory", memoryFilled(v1beta1.ComponentGenerator, objects.GeneratorContainer, v1beta1.ReasonGeneratorOOMKilled)},
		{"the Job is deleted", jobDeleted},
		{"foreign finalizers keep the pods and the Job", foreignFinalizers},
		{"50 writers edit the experiment", fiftyWriters},
		{"an experiment is deleted and recreated 20 times", recreated},
	} {
		t.Run(fault.name, func(t *testing.T) { fault.do(t, c) })
	}
	t.Run("nothing is written after the end", c.quiet)
	t.Run("nothing is left after deletion", c.leavesNothing)
}

// experiment creates an experiment whose invariants are checked. It has two attempts, so that a
// fault can spoil one; on a busy machine, more would only take longer.
func (c *chaos) experiment(t *testing.T, name string, changes ...func(*v1beta1.SizingExperimentSpec)) *v1beta1.SizingExperiment {
	t.Helper()
	return create(t, tiny(c.ns, name, append([]func(*v1beta1.SizingExperimentSpec){tries(2)}, changes...)...))
}

// clusterScript runs a command of tools/cluster/cluster.sh.
func clusterScript(t *testing.T, args ...string) {
	t.Helper()
	// The test's context has ended when its cleanup runs.
	if out, err := exec.CommandContext(context.Background(), "../../tools/cluster/cluster.sh", args...).CombinedOutput(); err != nil {
		t.Fatalf("cluster.sh %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// crash kills processes of the cluster at once. They are started again when the test ends, at
// the latest.
func crash(t *testing.T, command ...string) {
	t.Helper()
	t.Cleanup(func() { clusterScript(t, "up") })
	clusterScript(t, command...)
}
