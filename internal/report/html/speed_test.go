package html_test

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

const speedDrawing = "Hash time relative to the reference"

var speedSVG = regexp.MustCompile(`(?s)<svg[^>]*aria-labelledby="speed-[^>]*>.*?</svg>`)

func TestSpeedChartsOfEachNodePool(t *testing.T) {
	page := written(t, matrix())
	drawn := speedSVG.FindAllString(page, -1)
	// Eleven trials on each of two pools: at most ten in a chart.
	if len(drawn) != 4 {
		t.Fatalf("the page has %d drawings of the speed, want 4", len(drawn))
	}
	for _, want := range []string{speedDrawing + ", epyc", "At the reference a hash of cost 8 takes 14.2ms", "c10-500m-epyc", "slow +9 %", "fast −7 %", " min"} {
		if !strings.Contains(drawn[0], want) {
			t.Errorf("the first drawing does not say %q", want)
		}
	}
	words := text(page)
	for _, want := range []string{"above the line the CPU was slower", "p95 at the reference", "p95 as observed", "Hash time", "both at the reference speed of the CPU"} {
		if !strings.Contains(words, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestNoSpeedChartWithoutSpeed(t *testing.T) {
	for name, d := range map[string]report.Document{"measured before speeds were": quickstart(), "never measured": failed()} {
		t.Run(name, func(t *testing.T) {
			page := written(t, d)
			if strings.Contains(page, speedDrawing) || strings.Contains(page, ">"+report.SpeedTitle+"<") {
				t.Error("the page has a drawing or a section of the speed")
			}
		})
	}
}

func TestSpeedChartOfPartialData(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*v1beta1.SizingExperimentStatus, *v1beta1.SizingTrialStatus)
		want   int
	}{
		"without windows": {func(_ *v1beta1.SizingExperimentStatus, s *v1beta1.SizingTrialStatus) { s.Speed.WindowsPerMille = nil }, 1},
		"with one window": {func(_ *v1beta1.SizingExperimentStatus, s *v1beta1.SizingTrialStatus) {
			s.Speed.WindowsPerMille = []int32{990}
		}, 1},
		"with windows that have no hash": {func(_ *v1beta1.SizingExperimentStatus, s *v1beta1.SizingTrialStatus) {
			s.Speed.WindowsPerMille = []int32{0, 0}
		}, 1},
		"without blocks":                {func(_ *v1beta1.SizingExperimentStatus, s *v1beta1.SizingTrialStatus) { s.Calibration = nil }, 1},
		"without the attempt's times":   {func(_ *v1beta1.SizingExperimentStatus, s *v1beta1.SizingTrialStatus) { s.Attempts = nil }, 1},
		"before the experiment has any": {func(e *v1beta1.SizingExperimentStatus, _ *v1beta1.SizingTrialStatus) { e.Speed = nil }, 0},
		"without a beginning":           {func(e *v1beta1.SizingExperimentStatus, _ *v1beta1.SizingTrialStatus) { e.StartTime = nil }, 1},
		"of a trial without a result":   {func(_ *v1beta1.SizingExperimentStatus, s *v1beta1.SizingTrialStatus) { s.Result = nil }, 1},
		"with more windows than are drawn": {func(_ *v1beta1.SizingExperimentStatus, s *v1beta1.SizingTrialStatus) {
			for len(s.Speed.WindowsPerMille) < 512 {
				s.Speed.WindowsPerMille = append(s.Speed.WindowsPerMille, 1010)
			}
		}, 1},
		"with nothing": {func(e *v1beta1.SizingExperimentStatus, s *v1beta1.SizingTrialStatus) {
			e.Speed, s.Speed = nil, nil
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := question("part")
			trials := add(e, nil, 10, "1", 1, "epyc")
			drifted(e, trials)
			test.change(&e.Status, &trials[0].Status)
			page := written(t, report.New(e, trials))
			if got := len(speedSVG.FindAllString(page, -1)); got != test.want {
				t.Errorf("the page has %d drawings of the speed, want %d", got, test.want)
			}
			if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
				t.Error("the page contains an invalid number")
			}
		})
	}
}

func TestDistributionMarksObservedP95(t *testing.T) {
	e := question("observed")
	trials := add(e, nil, 10, "1", 1, "epyc")
	drifted(e, trials)
	step := &trials[0].Status.Steps[1]
	step.P95Microseconds, step.AtReference.P95Microseconds = ptr.To[int64](333_000), ptr.To[int64](300_000)
	if page := written(t, report.New(e, trials)); !strings.Contains(page, "p95 333ms") {
		t.Error("the drawing of response times does not mark p95 as observed")
	}
}
