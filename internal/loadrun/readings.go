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
	observer  Observer
	client    *http.Client
	log       *slog.Logger
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
			service, err := w.ask(ctx, address)
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

func (w witness) ask(ctx context.Context, address string) (evidence.Service, error) {
	var service evidence.Service
	ctx, cancel := context.WithTimeout(ctx, readingTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+"/evidence", nil)
	if err != nil {
		return service, err
	}
	response, err := w.client.Do(request)
	if err != nil {
		return service, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return service, fmt.Errorf("it answered %s", response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&service); err != nil {
		return service, fmt.Errorf("understand its answer: %w", err)
	}
	return service, nil
}
