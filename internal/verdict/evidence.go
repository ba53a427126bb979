package verdict

import (
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

func (t *trial) evidence() *v1beta1.Evidence {
	api := &v1beta1.Evidence{
		ServiceNodes: t.Placement.ServiceNodes, GeneratorNode: t.Placement.GeneratorNode,
		// A service that restarts under load ends its attempt.
		ServiceRestarts: 0, K6Version: t.Run.K6Version,
	}
	if g := t.Run.Generator; g != nil {
		api.GeneratorBootID, api.GeneratorCpuset = g.BootID, g.Cpuset
	}
	if len(t.Run.Services) > 0 && t.Run.Services[0].QueueLength > 0 {
		api.QueueLength = ptr.To(t.Run.Services[0].QueueLength)
	}
	return api
}

// cpuUse is how the service's CPUs were used during a step, as shares of their total time.
type cpuUse struct {
	cpus                float64
	idle, others, steal float64
	// service is the CPU that the service used as a share of what it could use; 0 if
	// unknown.
	service float64
}

func (t *trial) cpuUse(s *step) *cpuUse {
	if s.result.Service == nil || len(t.Run.Services) == 0 {
		return nil
	}
	used := *s.result.Service
	cpus := float64(evidence.CPUs(t.Run.Services[0].Cpuset))
	// Readings of several replicas are summed, and so is the time between them.
	total := float64(used.ElapsedMicroseconds) * cpus
	if total <= 0 {
		return nil
	}
	share := func(microseconds int64) float64 { return min(1, max(0, float64(microseconds)/total)) }
	use := &cpuUse{
		cpus: cpus, idle: share(used.IdleMicroseconds), steal: share(used.StealMicroseconds),
		others: share(used.BusyMicroseconds - int64(t.podsPerCPU()*float64(used.CPUMicroseconds))),
	}
	if own := t.cpuOf(s); own != nil {
		use.service = own.hashing
	}
	return use
}

func (u *cpuUse) fill(api *v1beta1.Step) {
	if u == nil {
		return
	}
	api.IdlePerMille, api.OthersPerMille, api.StealPerMille = perMille(u.idle), perMille(u.others), perMille(u.steal)
	if u.service > 0 {
		api.CPUUsedPerMille = perMille(u.service)
	}
}

// podsPerCPU returns how many of the service's pods share CPUs with a pod on average, with the pod itself.
// Each pod counts the CPU time of all of them as busy. Logins go to random replicas, so all use the same.
func (t *trial) podsPerCPU() float64 {
	pairs := 0
	for _, one := range t.Run.Services {
		for _, other := range t.Run.Services {
			if one.BootID == other.BootID && evidence.Overlap(one.Cpuset, other.Cpuset) {
				pairs++
			}
		}
	}
	return max(1, float64(pairs)/float64(len(t.Run.Services)))
}

func (u *cpuUse) idleCores() float64 { return u.idle * u.cpus }

// overlaps reports whether a pod of the service shares a CPU with the generator.
func (t *trial) overlaps() bool {
	for _, pod := range t.Run.Services {
		if t.Run.Generator != nil && pod.BootID == t.Run.Generator.BootID && evidence.Overlap(pod.Cpuset, t.Run.Generator.Cpuset) {
			return true
		}
	}
	return false
}

func perMille(share float64) *int64 { return ptr.To(int64(1000*share + 0.5)) }

func stepCPU(used *evidence.Delta) *v1beta1.StepCPU {
	if used == nil {
		return nil
	}
	cpu := &v1beta1.StepCPU{CPUMicroseconds: used.CPUMicroseconds}
	if used.Periods > 0 {
		cpu.Periods = ptr.To(used.Periods)
		cpu.ThrottledPeriods = ptr.To(used.ThrottledPeriods)
		cpu.ThrottledMicroseconds = ptr.To(used.ThrottledMicroseconds)
	}
	return cpu
}

func underWay(points []int64) []int32 {
	var logins []int32
	for _, p := range points {
		logins = append(logins, int32(p))
	}
	return logins
}
