package objects_test

import (
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

func TestADigestAndAMirrorAreTheSameImage(t *testing.T) {
	mirrors := []objects.ImageMirror{{Source: "registry.example/team", Mirror: "mirror.local:5000/proxy/team/"}}
	for _, test := range []struct {
		planned, given string
		want           bool
	}{
		{"registry.example/team/login:v1", "registry.example/team/login:v1", true},
		{"registry.example/team/login:v1", "registry.example/team/login:v2", false},
		{"registry.example/team/login:v1", "registry.example/team/other:v1", false},
		{"registry.example/team/login:v1", "registry.example/team/login@sha256:a", true},
		{"registry.example/team/login:v1", "registry.example/team/login:v1@sha256:a", true},
		{"registry.example/team/login:v1", "registry.example/team/login:v2@sha256:a", false},
		{"registry.example/team/login:v1", "registry.example/team/other@sha256:a", false},
		{"registry.example/team/login@sha256:a", "registry.example/team/login@sha256:a", true},
		{"registry.example/team/login@sha256:a", "registry.example/team/login@sha256:b", false},
		{"registry.example/team/login@sha256:a", "registry.example/team/login:v1", false},
		{"registry.example:5000/login", "registry.example:5000/login@sha256:a", true},
		{"registry.example:5000/login", "registry.example:5001/login@sha256:a", false},
		{"registry.example/team/login:v1", "mirror.local:5000/proxy/team/login:v1", true},
		{"registry.example/team/login:v1", "mirror.local:5000/proxy/team/login@sha256:a", true},
		{"registry.example/team/login:v1", "mirror.local:5000/proxy/team/login:v2", false},
		{"registry.example/team-evil/login:v1", "mirror.local:5000/proxy/team-evil/login:v1", false},
		{"registry.example/team/login:v1", "other.local/team/login:v1", false},
	} {
		if got := objects.SameImage(test.planned, test.given, mirrors); got != test.want {
			t.Errorf("%s instead of %s counts as the same: %t, want %t", test.given, test.planned, got, test.want)
		}
	}
}

func TestANodePoolCannotContradictTheAdministrator(t *testing.T) {
	settings := objects.Settings{Pods: objects.PodSettings{NodeSelector: map[string]string{"disk": "ssd"}}}
	pool := func(labels map[string]v1beta1.LabelValue) []v1beta1.NodePool {
		return []v1beta1.NodePool{{Name: "small", NodeSelector: labels}}
	}
	if err := settings.CheckPools(pool(map[string]v1beta1.LabelValue{"disk": "ssd", "size": "s"})); err != nil {
		t.Error(err)
	}
	want := "node pool small has nodes with disk=hdd, but this operator measures on nodes with disk=ssd only (trialPods.nodeSelector); use another pool"
	if err := settings.CheckPools(pool(map[string]v1beta1.LabelValue{"disk": "hdd"})); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
