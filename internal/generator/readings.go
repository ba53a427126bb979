package generator

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// readingTimeout limits a reading. A saturated service takes up to two seconds to respond.
// Its counters carry its own clock, so a late reading is still correct.
const readingTimeout = 10 * time.Second

// longestAnswer is the longest response of a pod, in bytes. The speed of 4,000 seconds
// needs at most a third of it.
const longestAnswer = 1 << 18

// newCollector returns a collector for the pods and, unless the observer is nil, the
// generator's container.
func newCollector(addresses []string, observer Observer, log *slog.Logger) collector {
	clocks := make([]*podClock, len(addresses))
	for i := range clocks {
		clocks[i] = new(podClock)
	}
	return collector{addresses: addresses, clocks: clocks, observer: observer, client: loginflow.NewDirect(readingTimeout, true), log: log}
}

// Observer reads the counters of the generator's own container, including k6.
type Observer interface {
	ReadContainer() (evidence.Reading, error)
}

// reading has the counters of service and generator at one moment. What could not be read
// is nil.
type reading struct {
	generator *evidence.Reading
	services  []*evidence.Service
	// companions are in the order of their addresses.
	companions []*evidence.Service
}

// getter is loginflow.Direct.
type getter interface {
	Get(ctx context.Context, address string, most int64) (status int, body []byte, err error)
}

// collector takes readings.
type collector struct {
	addresses []string
	// clocks of the pods, in the order of their addresses.
	clocks []*podClock
	// companions are the addresses of the service's companions.
	companions []string
	observer   Observer
	client     getter
	log        *slog.Logger
}

// read reads from all pods at the same time, because their readings are summed.
func (c collector) read(ctx context.Context) reading {
	taken := reading{services: make([]*evidence.Service, len(c.addresses)), companions: make([]*evidence.Service, len(c.companions))}
	if c.observer != nil {
		own, err := c.observer.ReadContainer()
		if err == nil {
			taken.generator = &own
		} else {
			c.log.Warn("Could not read the generator's own counters", "error", err)
		}
	}
	var pods sync.WaitGroup
	read := func(address string, clock *podClock, into **evidence.Service) {
		service, err := c.readEvidence(ctx, address, clock)
		if err != nil {
			c.log.Warn("Could not read the evidence of a pod", "address", address, "error", err)
			return
		}
		*into = &service
	}
	for i, address := range c.addresses {
		pods.Go(func() { read(address, c.clocks[i], &taken.services[i]) })
	}
	for i, address := range c.companions {
		pods.Go(func() { read(address, new(podClock), &taken.companions[i]) })
	}
	pods.Wait()
	return taken
}

func (c collector) readEvidence(ctx context.Context, address string, clock *podClock) (evidence.Service, error) {
	var service evidence.Service
	sent := time.Now()
	if err := c.get(ctx, address, "/evidence", &service); err != nil {
		return service, err
	}
	clock.observe(service.Reading, sent, time.Now())
	return service, nil
}

func (c collector) get(ctx context.Context, address, path string, into any) error {
	status, body, err := c.client.Get(ctx, strings.TrimSuffix(address, "/")+path, longestAnswer)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("GET %s returned %d %s", path, status, http.StatusText(status))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("decode the response to GET %s: %w", path, err)
	}
	return nil
}

// throttled reports whether the generator's CPU quota has stopped it for more than half of
// the time since its start.
func (c collector) throttled() bool {
	if c.observer == nil {
		return false
	}
	own, err := c.observer.ReadContainer()
	return err == nil && own.ThrottledMicroseconds > own.UptimeMicroseconds/2
}

// generatorOf returns the generator's container, or nil if it is unknown.
func generatorOf(steps []stepReadings) *measurement.Container {
	var readings []evidence.Reading
	for _, taken := range all(steps) {
		if taken.generator != nil {
			readings = append(readings, *taken.generator)
		}
	}
	return unchanged(readings)
}

// servicesOf returns the pods of the service whose containers are known.
func servicesOf(steps []stepReadings, pods int) []measurement.ServicePod {
	var services []measurement.ServicePod
	for pod := range pods {
		var readings []evidence.Reading
		var last evidence.Service
		for _, taken := range all(steps) {
			if pod < len(taken.services) && taken.services[pod] != nil {
				last = *taken.services[pod]
				readings = append(readings, last.Reading)
			}
		}
		if container := unchanged(readings); container != nil {
			services = append(services, measurement.ServicePod{
				Container: *container, Workers: last.Workers, QueueLength: last.QueueLength, MemoryPeakKiB: wholeKiB(last.MemoryPeakBytes),
			})
		}
	}
	return services
}

// wholeKiB rounds up, and limits the number from a pod.
func wholeKiB(bytes int64) int32 {
	const kibibyte = 1024
	return int32(min((max(0, min(bytes, math.MaxInt64-kibibyte))+kibibyte-1)/kibibyte, math.MaxInt32))
}

// all returns the readings of a load in the order of their due times.
func all(steps []stepReadings) []reading {
	var readings []reading
	for _, step := range steps {
		readings = append(readings, step.settled, step.countedEnd, step.drained)
	}
	return readings
}

// unchanged returns the container of the last reading. It returns nil if there are no
// readings, or if the boot ID or cpuset changed between them, which means that the container
// moved to other CPUs.
func unchanged(readings []evidence.Reading) *measurement.Container {
	var container *measurement.Container
	for _, r := range readings {
		if container != nil && (r.BootID != container.BootID || r.Cpuset != container.Cpuset) {
			return nil
		}
		container = &measurement.Container{BootID: r.BootID, Cpuset: r.Cpuset, QuotaMilliCPU: r.QuotaMilliCPU, GoMaxProcs: r.GoMaxProcs}
	}
	return container
}
