package generator

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
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
	return collector{addresses: addresses, clocks: clocks, observer: observer, client: &http.Client{}, log: log}
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
}

// collector takes readings.
type collector struct {
	addresses []string
	// clocks of the pods, in the order of their addresses.
	clocks   []*podClock
	observer Observer
	client   *http.Client
	log      *slog.Logger
}

// read reads from all pods at the same time, because their readings are summed.
func (c collector) read(ctx context.Context) reading {
	taken := reading{services: make([]*evidence.Service, len(c.addresses))}
	if c.observer != nil {
		own, err := c.observer.ReadContainer()
		if err == nil {
			taken.generator = &own
		} else {
			c.log.Warn("Could not read the generator's own counters", "error", err)
		}
	}
	var pods sync.WaitGroup
	for i, address := range c.addresses {
		pods.Go(func() {
			service, err := c.readEvidence(ctx, address, c.clocks[i])
			if err != nil {
				c.log.Warn("Could not read the evidence of a pod", "address", address, "error", err)
				return
			}
			taken.services[i] = &service
		})
	}
	pods.Wait()
	return taken
}

// readEvidence takes a reading of a pod, and notes its uptime.
func (c collector) readEvidence(ctx context.Context, address string, clock *podClock) (evidence.Service, error) {
	var service evidence.Service
	sent := time.Now()
	if err := c.get(ctx, address, "/evidence", &service); err != nil {
		return service, err
	}
	clock.observe(service.Reading, sent, time.Now())
	return service, nil
}

// get sends a GET request to a pod and decodes its JSON response.
func (c collector) get(ctx context.Context, address, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, readingTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+path, nil)
	if err != nil {
		return err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s returned %s", path, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, longestAnswer)).Decode(into); err != nil {
		return fmt.Errorf("decode the response to GET %s: %w", path, err)
	}
	return nil
}
