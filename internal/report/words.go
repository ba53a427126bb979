package report

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// percentile returns p50 or p99 of a row as text. It has its interval only if the objective
// limits the percentile: three intervals make the table too wide to read.
func percentile(value *int64, interval *handover.Interval, objective *int32) string {
	if objective == nil {
		return units.Latency(value)
	}
	return withInterval(units.Latency(value), latencies(interval))
}

// P95 returns the p95 of the reported step with its interval: 556ms (430ms–800ms).
func (r Row) P95() string {
	return withInterval(units.Latency(r.Result.P95Microseconds), latencies(r.Result.P95Interval))
}

// Capacity returns the capacity with its interval: 5.5/s (5.1–5.9/s). It starts with > if
// it is a lower limit, and with ~ if it was predicted.
func (r Row) Capacity() string {
	return withInterval(results.Capacity(&r.Result), rates(r.Result.CapacityInterval))
}

// Load returns the offered rate or the number of users that p95 belongs to.
func (r Row) Load() string {
	if r.Result.Users != nil {
		return fmt.Sprintf("%d users", *r.Result.Users)
	}
	return units.Rate(r.Result.OfferedMilliPerSecond)
}

// HashTime returns the hash time: 60.1ms ± 410µs. It has no error if it was predicted.
func (r Row) HashTime() string {
	text := units.Latency(r.HashMicroseconds)
	if r.Result.Calibration != nil {
		text += " ± " + units.Latency(&r.Result.Calibration.ErrorMicroseconds)
	}
	return text
}

// Objective says whether some rate meets the objective: met, not met or undecided. It is
// empty before the variant was measured, and for an Invalid result.
func (r Row) Objective() string {
	switch {
	case r.Result.Verdict == v1beta1.VerdictPending || r.Result.Verdict == v1beta1.VerdictInvalid:
		return ""
	case r.Result.ObjectiveMet == nil:
		return "undecided"
	case *r.Result.ObjectiveMet:
		return "met"
	default:
		return "not met"
	}
}

// Verdict returns the verdict in lower case, or "predicted".
func (r Row) Verdict() string {
	if r.Predicted {
		return "predicted"
	}
	return strings.ToLower(string(r.Result.Verdict))
}

// ReasonLines returns the reasons for the verdict, each as a sentence that starts with its type.
func (r Row) ReasonLines() []string {
	var all []string
	for _, reason := range r.Result.Reasons {
		all = append(all, reasonText(reason.Type, reason.Message))
	}
	return all
}

func reasonText(kind, message string) string {
	switch {
	case kind == "":
		return message
	case message == "":
		return kind
	default:
		return kind + ": " + message
	}
}

// Fits says whether the size is within the limits of the demand, or which limits it
// exceeds. It is empty without a size.
func (r Row) Fits() string {
	if r.Result.Sizing == nil {
		return ""
	}
	if len(r.Result.Sizing.Breaks) == 0 {
		return "yes"
	}
	var broken []string
	for _, bound := range r.Result.Sizing.Breaks {
		broken = append(broken, boundWords(bound))
	}
	return "no: " + strings.Join(broken, ", ")
}

func boundWords(bound v1beta1.Bound) string {
	switch bound {
	case v1beta1.BoundNoResult:
		return "no result"
	case v1beta1.BoundObjective:
		return "objective not met"
	case v1beta1.BoundMinimumCost:
		return "below the minimum cost"
	case v1beta1.BoundMaxTotalCPU:
		return "too much CPU"
	case v1beta1.BoundMaxReplicas:
		return "too many replicas"
	default:
		return string(bound)
	}
}

// Size returns the size as text: 2×c10-500m. It is empty without a size.
func (r Row) Size() string {
	if r.Result.Sizing == nil {
		return ""
	}
	return units.Size(r.Result.Sizing.Replicas, r.Result.Variant)
}

func withInterval(value, interval string) string {
	if value == "" || interval == "" {
		return value
	}
	return value + " (" + interval + ")"
}

func latencies(i *handover.Interval) string {
	if i == nil {
		return ""
	}
	return units.Latency(&i.LowMicroseconds) + "–" + units.Latency(&i.HighMicroseconds)
}

func rates(i *v1beta1.RateInterval) string {
	if i == nil {
		return ""
	}
	return strings.TrimSuffix(units.Rate(&i.LowMilliPerSecond), "/s") + "–" + units.Rate(&i.HighMilliPerSecond)
}

// Difference returns a difference as text: +12 % (chance 10 %). The chance is the
// probability of a difference at least as large without a real difference.
func Difference(perMille, chancePerMille *int64) string {
	text := units.Difference(perMille)
	if chancePerMille != nil {
		text += " (chance " + units.Number(float64(*chancePerMille)/10) + " %)"
	}
	return text
}

func difference(d *v1beta1.Difference) string {
	if d == nil {
		return ""
	}
	return Difference(&d.PerMille, d.ChancePerMille)
}

func (d Document) money(amount string) string {
	if amount == "" {
		return ""
	}
	return strings.TrimSpace(d.Currency() + " " + amount)
}

// wrap breaks a text into lines of at most width runes, except for longer words.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
