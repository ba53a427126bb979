package queue_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/internal/queue"
)

func TestHolderRoundTrip(t *testing.T) {
	a, b := types.NamespacedName{Namespace: "team-a", Name: "login-c8-1"}, types.NamespacedName{Namespace: "team-b", Name: "login-c8-1"}
	for _, tt := range []struct {
		name   string
		trials []types.NamespacedName
		holder string
	}{
		{"no trial", nil, ""},
		{"two trials, sorted", []types.NamespacedName{b, a}, "team-a/login-c8-1,team-b/login-c8-1"},
		{"a trial twice", []types.NamespacedName{a, a}, "team-a/login-c8-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := queue.Holder(tt.trials); got != tt.holder {
				t.Errorf("the holder is %q, want %q", got, tt.holder)
			}
			if got := queue.Holder(queue.Held(tt.holder)); got != tt.holder {
				t.Errorf("it is read and written again as %q, want %q", got, tt.holder)
			}
		})
	}
}

func TestHeldIgnoresInvalidNames(t *testing.T) {
	got := queue.Held("nobody,,/x,y/,team-a/login")
	if diff := cmp.Diff([]types.NamespacedName{{Namespace: "team-a", Name: "login"}}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("trials (-want +got):\n%s", diff)
	}
}

func TestShownRoundsPositionsAbove10(t *testing.T) {
	for position, want := range map[int32]int32{0: 0, 1: 1, 9: 9, 10: 10, 11: 20, 20: 20, 21: 50, 100: 100, 101: 200, 201: 500, 501: 1000, 1001: 2000, math.MaxInt32: math.MaxInt32} {
		if got := queue.Shown(position); got != want {
			t.Errorf("position %d is shown as %d, want %d", position, got, want)
		}
	}
}
