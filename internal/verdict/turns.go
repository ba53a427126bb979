package verdict

import (
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// simulateAll simulates the steps that the service kept up with. Its replicas take turns if they shared the logins more evenly
// than a random choice usually does, and answered faster than it allows.
func (t *trial) simulateAll() {
	t.simulateSettled()
	if t.evenness() < evenAtRandom && slices.ContainsFunc(t.steps, (*step).fasterThanSimulated) {
		t.inTurn = true
		t.simulateSettled()
	}
}

func (t *trial) simulateSettled() {
	for _, s := range t.steps {
		if s.settled() && modelled(t.Spec.Variant, t.bound) {
			t.simulate(s)
		}
	}
}

// evenness returns the probability that replicas between which each login chooses at random share the logins of all steps at
// least as evenly as these did; 1 if that is unknown.
func (t *trial) evenness() float64 {
	sum, freedom := 0.0, 0.0
	for _, s := range t.steps {
		if spread := s.result.ReplicaSpreadPerMille; spread != nil && s.settled() {
			others := float64(len(t.Run.Services) - 1)
			sum, freedom = sum+float64(*spread)/1000*others, freedom+others
		}
	}
	if freedom <= 0 {
		return 1
	}
	return distuv.ChiSquared{K: freedom}.CDF(sum)
}

// fasterThanSimulated reports whether p95 is below that of every phase of the quota by more than the model may be wrong.
func (s *step) fasterThanSimulated() bool {
	return s.simulated != nil && s.result.P95Microseconds != nil &&
		poolDisagrees*float64(*s.result.P95Microseconds) < float64(s.simulated.fastest.Microseconds())
}

// replicasInTurn says that the capacity is that of replicas that take turns.
func replicasInTurn(t *trial) []v1beta1.Reason {
	if !t.inTurn {
		return nil
	}
	return finding(v1beta1.ReasonReplicasInTurn, v1beta1.VerdictValid,
		"The %d replicas shared the logins so evenly that they take turns, as behind kube-proxy in IPVS mode or an eBPF proxy (a random choice is as even with a probability of %s). The capacity is for such a proxy. Where each connection goes to a random replica, as behind kube-proxy's iptables and nftables modes, it is lower",
		len(t.Run.Services), percent(t.evenness()))
}
