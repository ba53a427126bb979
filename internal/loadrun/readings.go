package loadrun

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

// readingTimeout bounds a reading. A saturated service takes up to two seconds to
// answer; its counters carry its own clock, so that a late reading still fits.
const readingTimeout = 10 * time.Second

// longestAnswer of a pod, in bytes. The speed of 4,000 seconds takes at most a
// third of it.
const longestAnswer = 1 << 18

// newWitness of the pods and, unless it is nil, the observer's container.
func newWitness(addresses []string, observer Observer, log *slog.Logger) witness {
	clocks := make([]*podClock, len(addresses))
	for i := range clocks {
		clocks[i] = new(podClock)
	}
	return witness{addresses: addresses, clocks: clocks, observer: observer, client: &http.Client{}, log: log}
}

// Observer reads the counters of the generator's own container, k6 included.
type Observer interface {
	ReadContainer() (evidence.Reading, error)
}

// reading is what both sides' counters said at one moment. What could not be
// read is nil.
type reading struct {
	generator *evidence.Reading
	services  []*evidence.Service
}

// witness takes readings.
type witness struct {
	addresses []string
	// clocks of the pods, in the order of their addresses.
	clocks   []*podClock
	observer Observer
	client   *http.Client
	log      *slog.Logger
}

// read asks all pods at once, since their readings are summed as if of one moment.
func (w witness) read(ctx context.Context) reading {
	taken := reading{services: make([]*evidence.Service, len(w.addresses))}
	if w.observer != nil {
		own, err := w.observer.ReadContainer()
		if err == nil {
			taken.generator = &own
		} else {
			w.log.Warn("Could not read the generator's own counters", "error", err)
		}
	}
	var pods sync.WaitGroup
	for i, address := range w.addresses {
		pods.Go(func() {
			service, err := w.ask(ctx, address, w.clocks[i])
			if err != nil {
				w.log.Warn("Could not read the evidence of a pod", "address", address, "error", err)
				return
			}
			taken.services[i] = &service
		})
	}
	pods.Wait()
	return taken
}

// ask takes a reading of a pod, and notes its uptime.
func (w witness) ask(ctx context.Context, address string, clock *podClock) (evidence.Service, error) {
	var service evidence.Service
	asked := time.Now()
	if err := w.get(ctx, address, "/evidence", &service); err != nil {
		return service, err
	}
	clock.saw(service.Reading, asked, time.Now())
	return service, nil
}

// get asks a pod and reads the JSON that it answers.
func (w witness) get(ctx context.Context, address, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, readingTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+path, nil)
	if err != nil {
		return err
	}
	response, err := w.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s to GET %s", response.Status, path)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, longestAnswer)).Decode(into); err != nil {
		return fmt.Errorf("understand its answer to GET %s: %w", path, err)
	}
	return nil
}
