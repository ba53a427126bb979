package generator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// ErrRecords means that the script's records are invalid or incomplete.
var ErrRecords = errors.New("the records of the k6 script are garbled")

const (
	prefix = "hm:"
	// tailLines is the number of lines of stderr that are kept, without records.
	tailLines = 40
	// noise is k6's message for each failed request. The records have more details.
	noise = "Request Failed"
	// longest is the largest time in a record.
	longest = 48 * time.Hour
)

// asides are the beginnings of messages that k6 repeats every few seconds if its own series
// do not reach a receiver. k6 continues, so these are never the reason of a failure, and
// they would push the reason out of the tail.
var asides = []string{
	"Failed to send the time series data to the endpoint",
	"Successful flushed time series to remote write endpoint",
}

var outcomes = map[string]measurement.Outcome{
	"ok":       measurement.OK,
	"refused":  measurement.Refused,
	"timedOut": measurement.TimedOut,
	"error":    measurement.OtherError,
}

// Log is the parsed stderr of k6. The zero value is ready to use.
type Log struct {
	records []measurement.Record
	places  map[place]int
	step    int
	ended   int64
	clock   *time.Duration
	totals  *totals
	damage  error
	tail    []string
	private bool
}

type place struct{ step, index int }

type totals struct{ sent, ended int64 }

// Add adds a line, without its line feed. After an invalid record, Records fails.
func (l *Log) Add(line string) {
	line = strings.TrimRight(line, "\r\n")
	text, isRecord := strings.CutPrefix(line, prefix)
	if !isRecord {
		l.addTail(line)
		return
	}
	if err := l.record(strings.Split(text, " ")); err != nil && l.damage == nil {
		l.damage = fmt.Errorf("%w: %w in %.80q", ErrRecords, err, line)
	}
}

// Clock returns the reading of the plan's clock when the script announced it, and whether
// it has announced it. It is negative, because the plan begins after k6 does.
func (l *Log) Clock() (time.Duration, bool) {
	if l.clock == nil {
		return 0, false
	}
	return *l.clock, true
}

// Step returns the index of the last step in which a login was sent, or 0.
func (l *Log) Step() int { return l.step }

// Before returns the logins of the steps before a step.
func (l *Log) Before(step int) []measurement.Record {
	var before []measurement.Record
	for _, r := range l.records {
		if r.Step < step {
			before = append(before, r)
		}
	}
	return before
}

// Records returns all logins that were sent, in the order of sending. The error is
// ErrRecords, wrapped with the cause.
func (l *Log) Records() ([]measurement.Record, error) {
	switch {
	case l.damage != nil:
		return nil, l.damage
	case l.totals == nil:
		return nil, fmt.Errorf("%w: k6 ended without its count of logins", ErrRecords)
	// There can be more records than k6 counted: k6 leaves out samples of callers that it
	// stops during a login, and the script writes each event before it counts it.
	case int64(len(l.records)) < l.totals.sent:
		return nil, fmt.Errorf("%w: k6 sent %d logins, but %d are recorded", ErrRecords, l.totals.sent, len(l.records))
	case l.ended < l.totals.ended:
		return nil, fmt.Errorf("%w: k6 counted %d logins that ended, but %d are recorded", ErrRecords, l.totals.ended, l.ended)
	}
	return l.records, nil
}

// Tail returns the end of k6's own output.
func (l *Log) Tail() string {
	if l.private {
		return "k6's output is " + loginflow.Hidden
	}
	return strings.Join(l.tail, "\n")
}

func (l *Log) addTail(line string) {
	text := strings.TrimSpace(line)
	if text == noise || text == "" || slices.ContainsFunc(asides, func(aside string) bool { return strings.HasPrefix(text, aside) }) {
		return
	}
	l.tail = append(l.tail, line)
	if len(l.tail) > tailLines {
		l.tail = l.tail[1:]
	}
}

func (l *Log) record(words []string) error {
	switch kind := words[0]; {
	case kind == "s" && len(words) == 5:
		return l.sent(words[1:])
	case kind == "e" && len(words) == 5:
		return l.end(words[1:])
	case kind == "zero" && len(words) == 2:
		return l.zero(words[1])
	case kind == "total" && len(words) == 3:
		return l.total(words[1:])
	default:
		return errors.New("unknown record")
	}
}

func (l *Log) sent(words []string) error {
	at, err := placeOf(words)
	due, dueErr := moment(words[2])
	sent, sentErr := moment(words[3])
	if err := errors.Join(err, dueErr, sentErr); err != nil {
		return err
	}
	if _, twice := l.places[at]; twice {
		return errors.New("login sent twice")
	}
	if l.places == nil {
		l.places = map[place]int{}
	}
	l.places[at] = len(l.records)
	l.step = max(l.step, at.step)
	l.records = append(l.records, measurement.Record{Step: at.step, Index: at.index, Due: due, Sent: sent})
	return nil
}

func (l *Log) end(words []string) error {
	at, err := placeOf(words)
	ended, endedErr := moment(words[2])
	if err := errors.Join(err, endedErr); err != nil {
		return err
	}
	outcome, known := outcomes[words[3]]
	if !known {
		return errors.New("unknown outcome")
	}
	i, sent := l.places[at]
	if !sent {
		return errors.New("end of a login that was not sent")
	}
	if l.records[i].Outcome != measurement.Cut {
		return errors.New("login ended twice")
	}
	l.records[i].Ended, l.records[i].Outcome = ended, outcome
	l.ended++
	return nil
}

func (l *Log) zero(word string) error {
	us, err := strconv.ParseInt(word, 10, 64)
	if err != nil || us < -longest.Microseconds() || us > longest.Microseconds() {
		return errors.New("invalid clock")
	}
	if l.clock != nil {
		return errors.New("second clock")
	}
	clock := time.Duration(us) * time.Microsecond
	l.clock = &clock
	return nil
}

func (l *Log) total(words []string) error {
	sent, sentErr := strconv.ParseInt(words[0], 10, 64)
	ended, endedErr := strconv.ParseInt(words[1], 10, 64)
	if sentErr != nil || endedErr != nil || sent < 0 || ended < 0 || ended > sent {
		return errors.New("invalid count of logins")
	}
	if l.totals != nil {
		return errors.New("second count of logins")
	}
	l.totals = &totals{sent: sent, ended: ended}
	return nil
}

func placeOf(words []string) (place, error) {
	step, stepErr := strconv.ParseUint(words[0], 10, 31)
	index, indexErr := strconv.ParseUint(words[1], 10, 31)
	if stepErr != nil || indexErr != nil {
		return place{}, errors.New("invalid step or login number")
	}
	return place{step: int(step), index: int(index)}, nil
}

func moment(word string) (time.Duration, error) {
	us, err := strconv.ParseInt(word, 10, 64)
	if err != nil || us < 0 || us > longest.Microseconds() {
		return 0, errors.New("invalid time")
	}
	return time.Duration(us) * time.Microsecond, nil
}
