package measurement_test

import (
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

func TestAPauseIsTheLongestTimeInWhichSeveralWaitAndNoneIsAnswered(t *testing.T) {
	type login struct{ sent, ended time.Duration }
	tests := map[string]struct {
		logins []login
		given  map[int]bool
		want   time.Duration
	}{
		"no login":                  {nil, nil, 0},
		"one that takes long":       {[]login{{0, 500}}, nil, 0},
		"two":                       {[]login{{0, 500}, {10, 510}}, nil, 0},
		"three, from the third":     {[]login{{0, 500}, {10, 510}, {20, 520}}, nil, 480},
		"between two answers":       {[]login{{0, 30}, {10, 40}, {20, 400}, {25, 410}, {26, 420}}, nil, 360},
		"a caller who gives up":     {[]login{{0, 30}, {10, 300}, {20, 400}, {25, 410}, {26, 420}}, map[int]bool{1: true}, 370},
		"after everyone was served": {[]login{{0, 30}, {1, 40}, {2, 50}, {500, 530}}, nil, 28},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := measurement.LongestPause(len(test.logins), func(i int) time.Duration { return test.logins[i].sent },
				func(i int) time.Duration { return test.logins[i].ended }, func(i int) bool { return !test.given[i] })
			if got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}
