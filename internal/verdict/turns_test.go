package verdict_test

import (
	"math"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Replicas behind a proxy that takes them in turn carry more than those behind a random choice. The judge finds out which it
// is, and the capacity is that of the proxy that was measured.
func TestReplicasThatTakeTurnsAreRecognised(t *testing.T) {
	for _, replicas := range []int32{2, 3, 4, 8} {
		for _, inTurn := range []bool{true, false} {
			for seed := range int64(4) {
				m := newMachine(v1beta1.ConcurrencyWorkerPool, 500, seed)
				m.replicas, m.inTurn = replicas, inTurn
				in := m.input(t)
				judged := verdict.Judge(in)
				truth, found := m.capacity(in, 1), float64(ptr.Deref(judged.Result.CapacityMilliPerSecond, 0))/1000
				if said := hasReason(judged, v1beta1.ReasonReplicasInTurn); said != inTurn {
					t.Errorf("%d replicas, in turn %v, seed %d: %s, %+v", replicas, inTurn, seed, judged.Result.Verdict, judged.Result.Reasons)
				}
				if judged.Result.Verdict != fine || math.Abs(found/truth-1) > 0.05 {
					t.Errorf("%d replicas, in turn %v, seed %d: capacity %.4g/s, true %.4g/s, %s, %+v", replicas, inTurn, seed, found, truth, judged.Result.Verdict, judged.Result.Reasons)
				}
			}
		}
	}
}
