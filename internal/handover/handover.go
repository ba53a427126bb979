package handover

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// Encode writes a run as a termination message of at most MaxBytes. Where there
// is too little room, the requests under way are left out, then the histogram;
// after that the timeline's windows are made longer, until it goes too. If that is not
// enough, the intervals of p50 and p99 are left out, which makes room for the others. It
// fails where that does not help, and where a number is out of its bounds.
func Encode(run measurement.Run) (string, error) {
	head, err := encodeHead(run)
	if err != nil {
		return "", err
	}
	if err := checkTimeline(run.Timeline); err != nil {
		return "", fmt.Errorf("the timeline can't be handed over: %w", err)
	}
	extras, timeline := distributionLines(run), run.Timeline
	for {
		message := seal(head + speedLine(timeline) + strings.Join(extras, ""))
		switch {
		case len(message) <= MaxBytes:
			return message, nil
		case len(extras) > 0:
			extras = extras[:len(extras)-1]
		case timeline != nil:
			timeline = thinned(timeline)
		case hasIntervals(run):
			return Encode(withoutIntervals(run))
		default:
			return "", fmt.Errorf("the result takes %d bytes, %d more than fit a termination message", len(message), len(message)-MaxBytes)
		}
	}
}

func hasIntervals(run measurement.Run) bool {
	return slices.ContainsFunc(run.Steps, func(s measurement.StepResult) bool {
		return s.P50Interval != nil || s.P99Interval != nil
	})
}

// withoutIntervals returns the run without the intervals of p50 and p99.
func withoutIntervals(run measurement.Run) measurement.Run {
	run.Steps = slices.Clone(run.Steps)
	for i := range run.Steps {
		run.Steps[i].P50Interval, run.Steps[i].P99Interval = nil, nil
	}
	return run
}

func encodeHead(run measurement.Run) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "%s steps=%d reported=%d exit=%d k6=%s go=%s\n", version, len(run.Steps), run.Reported, run.ExitCode,
		word(run.K6Version, 32), word(run.GoVersion, 32))
	before := ""
	if run.Generator != nil {
		fmt.Fprintf(&text, "generator %s\n", containerWords(*run.Generator, before))
		before = run.Generator.BootID
	}
	for _, pod := range run.Services {
		fmt.Fprintf(&text, "service %s %d %d %d\n", containerWords(pod.Container, before), pod.Workers, pod.QueueLength, pod.MemoryPeakKiB)
		before = pod.BootID
	}
	for i, step := range run.Steps {
		line, err := encodeStep(step)
		if err != nil {
			return "", fmt.Errorf("step %d can't be handed over: %w", i, err)
		}
		text.WriteString(line)
	}
	return text.String(), nil
}

func encodeStep(step measurement.StepResult) (string, error) {
	var p positions
	copied := clone(step) // the walk rounds as it goes
	walkStep(&p, &copied)
	return "step " + p.text() + "\n", p.finish()
}

// Decode reads a termination message back. The error is ErrAbsent, ErrGarbled
// (wrapped with what is wrong), or a *Failure when the load gave no numbers.
func Decode(message string) (measurement.Run, error) {
	header, lines, err := unseal(message)
	if err != nil {
		return measurement.Run{}, err
	}
	if _, failed := header["failure"]; failed {
		return measurement.Run{}, decodeFailure(header, lines)
	}
	run := measurement.Run{K6Version: header["k6"], GoVersion: header["go"]}
	steps, stepsErr := intField(header, "steps")
	reported, reportedErr := intField(header, "reported")
	exit, exitErr := intField(header, "exit")
	run.Reported, run.ExitCode = reported, exit
	err = errors.Join(stepsErr, reportedErr, exitErr)
	for _, line := range lines {
		err = errors.Join(err, decodeLine(&run, line))
	}
	switch {
	case err != nil:
		return measurement.Run{}, err
	case word(run.K6Version, 32) != run.K6Version || word(run.GoVersion, 32) != run.GoVersion:
		return measurement.Run{}, garbled("its first line holds a version that can't be one")
	case steps != len(run.Steps):
		return measurement.Run{}, garbled("it tells of %d steps and holds %d", steps, len(run.Steps))
	case run.Reported < -1 || run.Reported >= steps:
		return measurement.Run{}, garbled("step %d of %d can't be the reported one", run.Reported, steps)
	}
	return run, nil
}

// lastBootID is that of the last container that was read.
func lastBootID(run measurement.Run) string {
	switch {
	case len(run.Services) > 0:
		return run.Services[len(run.Services)-1].BootID
	case run.Generator != nil:
		return run.Generator.BootID
	}
	return ""
}

// decodeLine reads one line between the first and the last.
func decodeLine(run *measurement.Run, line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "generator":
		pod, err := containerOf(rest, 4, "")
		run.Generator = &pod.Container
		return err
	case "service":
		pod, err := containerOf(rest, 7, lastBootID(*run))
		run.Services = append(run.Services, pod)
		return err
	case "step":
		var step measurement.StepResult
		p := reader(rest)
		walkStep(p, &step)
		run.Steps = append(run.Steps, step)
		return p.finish()
	case "speed":
		return decodeSpeed(run, rest)
	case "histogram":
		return decodeHistogram(run, rest)
	case "underway":
		return decodeUnderWay(run, rest)
	default:
		return garbled("it holds a line that begins with %q", word(kind, 16))
	}
}
