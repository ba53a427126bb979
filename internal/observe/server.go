package observe

import (
	"encoding/json"
	"net/http"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// Observer reads what the container used.
type Observer interface {
	// ReadContainer returns a reading of every process in the container.
	ReadContainer() (evidence.Reading, error)
}

// Handler returns the handler of GET /evidence and GET /ready. The responses of the first have the counters of the container.
// What only our own login service counts, such as hashes, is 0. The second fails as long as ready returns an error.
func Handler(observer Observer, ready func() error) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+evidence.ReadyPath, func(w http.ResponseWriter, _ *http.Request) {
		if err := ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /evidence", func(w http.ResponseWriter, _ *http.Request) {
		reading, err := observer.ReadContainer()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(evidence.Service{Reading: reading}) // fails if the caller has hung up
	})
	return mux
}
