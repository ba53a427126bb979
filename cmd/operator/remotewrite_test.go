package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/objects"
)

func TestRemoteWriteIsReadFromTheCommandLine(t *testing.T) {
	const url = "http://prometheus.monitoring.svc:9090/api/v1/write"
	for name, tt := range map[string]struct {
		args []string
		want *objects.RemoteWrite
	}{
		"off by default":        {nil, nil},
		"off with empty values": {[]string{"--k6-remote-write-url=", "--k6-remote-write-secret="}, nil},
		"open to all":           {[]string{"--k6-remote-write-url=" + url}, &objects.RemoteWrite{URL: url}},
		"with credentials":      {[]string{"--k6-remote-write-url=" + url, "--k6-remote-write-secret=k6"}, &objects.RemoteWrite{URL: url, SecretName: "k6"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parse(append(images[:2:2], tt.args...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, f.settings.RemoteWrite); diff != "" {
				t.Errorf("remote write (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRemoteWriteThatCannotWorkIsRefusedByItsFlags(t *testing.T) {
	for name, args := range map[string][]string{
		"an invalid URL":         {"--k6-remote-write-url=prometheus:9090"},
		"a Secret without a URL": {"--k6-remote-write-secret=k6"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parse(append(images[:2:2], args...)); err == nil || !strings.Contains(err.Error(), "--k6-remote-write-url") {
				t.Errorf("parsed with error %v", err)
			}
		})
	}
}
