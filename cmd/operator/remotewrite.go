package main

import (
	"flag"
	"fmt"

	"github.com/hashmark-dev/hashmark/internal/objects"
)

// remoteWrite is where k6's own series go, as the command line says it.
type remoteWrite struct{ url, secret string }

func (r *remoteWrite) addTo(set *flag.FlagSet) {
	set.StringVar(&r.url, "k6-remote-write-url", "",
		"where k6 sends its own series while a trial runs, by Prometheus remote write, such as http://prometheus.monitoring.svc:9090/api/v1/write; nowhere when empty")
	set.StringVar(&r.secret, "k6-remote-write-secret", "",
		"name of the Secret in each experiment's namespace whose keys username, password, bearerToken and ca.crt k6 uses for it; each may be absent")
}

func (r *remoteWrite) check() (*objects.RemoteWrite, error) {
	checked, err := objects.NewRemoteWrite(r.url, r.secret)
	if err != nil {
		return nil, fmt.Errorf("--k6-remote-write-url, --k6-remote-write-secret: %w", err)
	}
	return checked, nil
}
