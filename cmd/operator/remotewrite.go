package main

import (
	"flag"
	"fmt"

	"github.com/hashmark-dev/hashmark/internal/objects"
)

// remoteWrite holds the flags for where k6 sends its own series.
type remoteWrite struct{ url, secret string }

func (r *remoteWrite) addTo(set *flag.FlagSet) {
	set.StringVar(&r.url, "k6-remote-write-url", "",
		"URL that k6 sends its own series to by Prometheus remote write while a trial runs, such as http://prometheus.monitoring.svc:9090/api/v1/write; empty disables it")
	set.StringVar(&r.secret, "k6-remote-write-secret", "",
		"name of the Secret in each experiment's namespace with the credentials for it; its keys username, password, bearerToken and ca.crt are all optional")
}

func (r *remoteWrite) check() (*objects.RemoteWrite, error) {
	checked, err := objects.NewRemoteWrite(r.url, r.secret)
	if err != nil {
		return nil, fmt.Errorf("--k6-remote-write-url, --k6-remote-write-secret: %w", err)
	}
	return checked, nil
}
