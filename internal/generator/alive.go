package generator

import (
	"context"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

const (
	// aliveInterval is the time between two liveness probes of a pod.
	aliveInterval = time.Second
	// aliveTimeout is kubelet's default for a probe.
	aliveTimeout = time.Second
)

// prober sends liveness probes to pods next to the logins, as kubelet does: each over a
// connection of its own, to the pod's own address.
type prober struct {
	addresses []string
	check     handover.HealthCheck
	client    *loginflow.Direct

	lock sync.Mutex
	// probes of each pod, in the order in which they ended.
	probes [][]measurement.Probe
}

func newProber(addresses []string, check handover.HealthCheck) *prober {
	return &prober{
		addresses: addresses, check: check, probes: make([][]measurement.Probe, len(addresses)),
		client: loginflow.NewDirect(aliveTimeout, false),
	}
}

// run probes every pod once per interval until the context ends, and then waits for the probes
// that are under way. A slow probe does not delay the next.
func (p *prober) run(ctx context.Context, zero time.Time) {
	ticker := time.NewTicker(aliveInterval)
	defer ticker.Stop()
	var underWay sync.WaitGroup
	defer underWay.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for pod := range p.addresses {
			underWay.Go(func() { p.probe(pod, zero) })
		}
	}
}

func (p *prober) probe(pod int, zero time.Time) {
	begin := time.Now()
	probe := measurement.Probe{Sent: begin.Sub(zero)}
	probe.OK = p.client.Alive(context.Background(), p.addresses[pod], p.check) == nil
	probe.Took = time.Since(begin)
	p.lock.Lock()
	defer p.lock.Unlock()
	p.probes[pod] = append(p.probes[pod], probe)
}

// in returns what the probes of a step's counted part found. It is called after run has returned.
func (p *prober) in(step loadplan.Step) *handover.Alive {
	from := time.Duration(step.StartMilliseconds+step.SettleMilliseconds) * time.Millisecond
	return measurement.AliveIn(p.probes, from, from+time.Duration(step.CountedMilliseconds)*time.Millisecond)
}
