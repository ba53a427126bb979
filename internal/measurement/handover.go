package measurement

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// Encode encodes a run as a termination message of at most MaxBytes. If there is too little
// room, it makes the run smaller in this order, and stops once it fits. It merges buckets of all
// histograms but the finest, and then leaves those histograms out; leaves out the requests under way;
// merges buckets of the finest, and leaves them out; makes the timeline's windows longer, and finally
// leaves out the timeline. If that is not enough, it leaves out the intervals of p50 and p99, then the longest pauses
// and the replicas' spread, then the liveness probes, and at last the companions, and each time starts again with the others. It fails if
// the message is still too long, or if a number is out of its bounds.
func Encode(run Run) (string, error) {
	if err := checkTimeline(run.Timeline); err != nil {
		return "", fmt.Errorf("encode the timeline: %w", err)
	}
	for smaller := run; ; {
		head, err := encodeHead(smaller)
		if err != nil {
			return "", err
		}
		message := seal(head + speedLine(smaller.Timeline) + idleLine(smaller.IdleHashNanoseconds) + underWayLine(smaller))
		switch {
		case len(message) <= MaxBytes:
			return message, nil
		case shrink(&smaller):
		case leaveOut(&run):
			smaller = run
		default:
			return "", fmt.Errorf("the result has %d bytes, %d more than fit in a termination message", len(message), len(message)-MaxBytes)
		}
	}
}

// leaveOut leaves out the next of the parts that Encode names, or reports that the run has none of them.
func leaveOut(run *Run) bool {
	parts := []func(s *StepResult) bool{
		func(s *StepResult) bool { return without(&s.P50Interval) || without(&s.P99Interval) },
		func(s *StepResult) bool {
			return without(&s.LongestPauseMicroseconds) || without(&s.ReplicaSpreadPerMille)
		},
		func(s *StepResult) bool { return without(&s.Alive) },
	}
	run.Steps = slices.Clone(run.Steps)
	for _, leave := range parts {
		left := false
		for i := range run.Steps {
			for leave(&run.Steps[i]) {
				left = true
			}
		}
		if left {
			return true
		}
	}
	had := len(run.Companions) > 0
	run.Companions = nil
	return had
}

// without removes a value, and reports whether there was one.
func without[T any](value **T) bool {
	had := *value != nil
	*value = nil
	return had
}

// shrink makes the least important part of a run smaller, or reports that no such part is left.
func shrink(run *Run) bool {
	least, most := int32(0), int32(0)
	for _, step := range run.Steps {
		if h := step.Latencies; h != nil {
			most = max(most, h.BucketsPerDoubling)
			if least == 0 || h.BucketsPerDoubling < least {
				least = h.BucketsPerDoubling
			}
		}
	}
	switch {
	case least < most:
		shrinkHistograms(run, least)
	case run.UnderWay != nil:
		run.UnderWay = nil
	case least > 0:
		shrinkHistograms(run, least)
	case run.Timeline != nil:
		run.Timeline = thinned(run.Timeline)
	default:
		return false
	}
	return true
}

// shrinkHistograms merges neighbours in the histograms with so many buckets per doubling, or leaves them
// out if these are the coarsest.
func shrinkHistograms(run *Run, bucketsPerDoubling int32) {
	run.Steps = slices.Clone(run.Steps)
	for i := range run.Steps {
		h := run.Steps[i].Latencies
		if h == nil || h.BucketsPerDoubling != bucketsPerDoubling {
			continue
		}
		run.Steps[i].Latencies = nil
		if bucketsPerDoubling > coarsest {
			run.Steps[i].Latencies = merged(h)
		}
	}
}

func encodeHead(run Run) (string, error) {
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
	for _, use := range run.Companions {
		fmt.Fprintf(&text, "companion %s %d %d %d\n", word(use.Name, longestCompanion), use.CPUPerLoginMicroseconds, use.BusiestPerMille, ptr.Deref(use.MemoryPeakBytes, 0))
	}
	for i, step := range run.Steps {
		line, err := encodeStep(step)
		if err != nil {
			return "", fmt.Errorf("encode step %d: %w", i, err)
		}
		text.WriteString(line)
	}
	return text.String(), nil
}

func encodeStep(step StepResult) (string, error) {
	var p positions
	copied := clone(step) // the walk rounds the numbers in place
	walkStep(&p, &copied)
	return "step " + p.text() + "\n", p.finish()
}

// Decode decodes a termination message. The error is ErrAbsent, ErrInvalid (wrapped with
// the cause), or a *Failure if the load has no numbers.
func Decode(message string) (Run, error) {
	header, lines, err := unseal(message)
	if err != nil {
		return Run{}, err
	}
	if _, failed := header["failure"]; failed {
		return Run{}, decodeFailure(header, lines)
	}
	run := Run{K6Version: header["k6"], GoVersion: header["go"]}
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
		return Run{}, err
	case word(run.K6Version, 32) != run.K6Version || word(run.GoVersion, 32) != run.GoVersion:
		return Run{}, garbled("its first line has an invalid version of k6 or Go")
	case steps != len(run.Steps):
		return Run{}, garbled("its first line says %d steps, but it has %d", steps, len(run.Steps))
	case len(run.Companions) > mostCompanions:
		return Run{}, garbled("it has %d companions, and at most %d are possible", len(run.Companions), mostCompanions)
	case run.Reported < -1 || run.Reported >= steps:
		return Run{}, garbled("its reported step %d is not one of its %d steps", run.Reported, steps)
	}
	return run, nil
}

func lastBootID(run Run) string {
	switch {
	case len(run.Services) > 0:
		return run.Services[len(run.Services)-1].BootID
	case run.Generator != nil:
		return run.Generator.BootID
	}
	return ""
}

// decodeLine decodes one line between the first and the last.
func decodeLine(run *Run, line string) error {
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
		var step StepResult
		p := reader(rest)
		walkStep(p, &step)
		run.Steps = append(run.Steps, step)
		return p.finish()
	case "companion":
		use, err := companionOf(rest)
		if slices.ContainsFunc(run.Companions, func(known handover.CompanionUse) bool { return known.Name == use.Name }) {
			return garbled("it has companion %q twice", use.Name)
		}
		run.Companions = append(run.Companions, use)
		return err
	case "speed":
		return decodeSpeed(run, rest)
	case "idle":
		return decodeIdle(run, rest)
	case "underway":
		return decodeUnderWay(run, rest)
	default:
		return garbled("it has a line of the unknown kind %q", word(kind, 16))
	}
}

// companionOf decodes the words of a companion. A generator of an earlier version does not say how much memory it used.
func companionOf(text string) (handover.CompanionUse, error) {
	fields := strings.Split(text, " ")
	if len(fields) == 3 {
		fields = append(fields, "0")
	}
	if len(fields) != 4 || fields[0] == "" || word(fields[0], longestCompanion) != fields[0] {
		return handover.CompanionUse{}, garbled("a companion has no name and three numbers")
	}
	var numbers [3]int64
	for i, most := range []int64{mostPerLogin, mostBusiest, mostMemory} {
		n, err := strconv.ParseInt(fields[i+1], 10, 64)
		if err != nil || n < 0 || n > most {
			return handover.CompanionUse{}, garbled("a companion has the invalid number %q", word(fields[i+1], 24))
		}
		numbers[i] = n
	}
	use := handover.CompanionUse{Name: fields[0], CPUPerLoginMicroseconds: numbers[0], BusiestPerMille: numbers[1]}
	if numbers[2] > 0 {
		use.MemoryPeakBytes = &numbers[2]
	}
	return use, nil
}

const (
	// longestCompanion is the API's limit for the name of a companion. An hour of CPU time for a login, a hundred times its
	// limit, and a pebibyte are more than a companion can use.
	longestCompanion          = 16
	mostCompanions            = 3
	mostPerLogin, mostBusiest = 3_600_000_000, 100_000
	mostMemory                = 1 << 50

	// MaxBytes is the size of a termination message that kubelet keeps.
	MaxBytes = 4096
	// version changes with whatever an operator could not read that was upgraded during a load. An additional line or number
	// can be absent, and needs no other version.
	version = "hashmark/6"
	// endLength is the length of the last line: "end ", eight hex digits, a line feed.
	endLength = 13
)

func seal(body string) string { return body + endLine(body) }

func endLine(body string) string {
	return fmt.Sprintf("end %08x\n", crc32.ChecksumIEEE([]byte(body)))
}

// unseal checks version and checksum. It returns the fields of the first line, and the
// lines between the first and the last.
func unseal(message string) (header map[string]string, lines []string, err error) {
	if strings.TrimSpace(message) == "" {
		return nil, nil, ErrAbsent
	}
	// With some runtimes, white space at the end is trimmed.
	message = strings.TrimRight(message, " \r\n") + "\n"
	if len(message) > MaxBytes {
		return nil, nil, garbled("it is longer than %d bytes", MaxBytes)
	}
	first, _, _ := strings.Cut(message, "\n")
	if name, _, _ := strings.Cut(first, " "); name != version {
		return nil, nil, garbled("it does not begin with %q: its start is missing, or it is of another version", version)
	}
	if len(message) < len(first)+1+endLength {
		return nil, nil, garbled("it is truncated")
	}
	body, end := message[:len(message)-endLength], message[len(message)-endLength:]
	if end != endLine(body) {
		return nil, nil, garbled("its last line should be %q", strings.TrimSpace(endLine(body)))
	}
	lines = strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	return fieldsOf(lines[0]), lines[1:], nil
}

func fieldsOf(line string) map[string]string {
	fields := map[string]string{}
	for _, word := range strings.Fields(line)[1:] {
		key, value, _ := strings.Cut(word, "=")
		fields[key] = value
	}
	return fields
}

func intField(fields map[string]string, key string) (int, error) {
	value, err := strconv.Atoi(fields[key])
	if err != nil {
		return 0, garbled("%s=%q is not a number", key, fields[key])
	}
	return value, nil
}

// word removes the characters that have a meaning in a message, so that a value from a
// container cannot forge a line, and shortens the value.
func word(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == '=' {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), limit)]
}

// ErrAbsent means that the termination message is empty: the generator ended before it
// could write anything.
var ErrAbsent = errors.New("the generator wrote no termination message")

// ErrInvalid means that the message is incomplete or not of this version.
var ErrInvalid = errors.New("the generator's termination message is garbled")

// Failure is the reason why a load has no numbers.
type Failure struct {
	// Reason is one of the constants of package handover.
	Reason string
	// Detail is the end of k6's stderr or another explanation, in a few lines.
	Detail string
	// ExitCode of k6, 0 if it has none.
	ExitCode int
}

// Error returns the reason, the exit code if there is one, and the detail.
func (f *Failure) Error() string {
	message := "the load failed: " + f.Reason
	if f.ExitCode != 0 {
		message += fmt.Sprintf(" (exit code %d)", f.ExitCode)
	}
	if f.Detail != "" {
		message += ": " + f.Detail
	}
	return message
}

func garbled(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, arguments...))
}
