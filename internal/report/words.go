package report

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/summary"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// beside reads p50 or p99 of a row. It has its interval only where the objective holds it:
// three intervals make the table too wide to read.
func beside(found *int64, interval *v1alpha1.Interval, objective int32) string {
	if objective == 0 {
		return units.Latency(found)
	}
	return within(units.Latency(found), latencies(interval))
}

// P95 reads 556ms (430ms–800ms): p95 at the reported step and where the true one
// lies.
func (r Row) P95() string {
	return within(units.Latency(r.Result.P95Microseconds), latencies(r.Result.P95Interval))
}

// Capacity reads 5.5/s (5.1–5.9/s): with > before it where the true one may be
// greater, and with ~ where it was predicted.
func (r Row) Capacity() string {
	return within(summary.Capacity(&r.Result), rates(r.Result.CapacityInterval))
}

// Load is the rate, or the number of users, that p95 is told at.
func (r Row) Load() string {
	if r.Result.Users != nil {
		return fmt.Sprintf("%d users", *r.Result.Users)
	}
	return units.Rate(r.Result.OfferedMilliPerSecond)
}

// HashTime reads 60.1ms ± 410µs; without an error where it was predicted.
func (r Row) HashTime() string {
	text := units.Latency(r.HashMicroseconds)
	if r.Result.Calibration != nil {
		text += " ± " + units.Latency(&r.Result.Calibration.ErrorMicroseconds)
	}
	return text
}

// Objective says whether some rate meets the objective: met, not met, undecided;
// empty before the variant was measured, and of an Invalid result, which can't say.
func (r Row) Objective() string {
	switch {
	case r.Result.Verdict == v1alpha1.VerdictPending || r.Result.Verdict == v1alpha1.VerdictInvalid:
		return ""
	case r.Result.ObjectiveMet == nil:
		return "undecided"
	case *r.Result.ObjectiveMet:
		return "met"
	default:
		return "not met"
	}
}

// Verdict says what the numbers are worth; predicted where none were measured.
func (r Row) Verdict() string {
	if r.Predicted {
		return "predicted"
	}
	return strings.ToLower(string(r.Result.Verdict))
}

// Why lists the reasons of the verdict, a sentence each with its type first.
func (r Row) Why() []string {
	var all []string
	for _, reason := range r.Result.Reasons {
		all = append(all, because(reason.Type, reason.Message))
	}
	return all
}

// because reads Type: message.
func because(kind, message string) string {
	switch {
	case kind == "":
		return message
	case message == "":
		return kind
	default:
		return kind + ": " + message
	}
}

// Fits says whether the size keeps within the demand's bounds, or which it
// breaks; empty where there is no size.
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

// boundWords is what a bound is called in a sentence.
func boundWords(bound v1alpha1.Bound) string {
	switch bound {
	case v1alpha1.BoundNoResult:
		return "no result"
	case v1alpha1.BoundObjective:
		return "objective not met"
	case v1alpha1.BoundMinimumCost:
		return "below the least cost"
	case v1alpha1.BoundMaxTotalCPU:
		return "too much CPU"
	case v1alpha1.BoundMaxReplicas:
		return "too many replicas"
	default:
		return string(bound)
	}
}

// Size reads 2×c10-500m; empty where there is none.
func (r Row) Size() string {
	if r.Result.Sizing == nil {
		return ""
	}
	return fmt.Sprintf("%d×%s", r.Result.Sizing.Replicas, r.Result.Variant)
}

// within reads value (interval).
func within(value, interval string) string {
	if value == "" || interval == "" {
		return value
	}
	return value + " (" + interval + ")"
}

func latencies(i *v1alpha1.Interval) string {
	if i == nil {
		return ""
	}
	return units.Latency(&i.LowMicroseconds) + "–" + units.Latency(&i.HighMicroseconds)
}

func rates(i *v1alpha1.RateInterval) string {
	if i == nil {
		return ""
	}
	return strings.TrimSuffix(units.Rate(&i.LowMilliPerSecond), "/s") + "–" + units.Rate(&i.HighMilliPerSecond)
}

// difference reads +12 % (chance 10 %): the chance is how often there would be one
// as large where there is none.
func difference(d *v1alpha1.Difference) string {
	if d == nil {
		return ""
	}
	text := units.Difference(&d.PerMille)
	if d.ChancePerMille != nil {
		text += " (chance " + units.Number(float64(*d.ChancePerMille)/10) + " %)"
	}
	return text
}

func percent(share *int32) string {
	if share == nil {
		return ""
	}
	return fmt.Sprintf("%d %%", *share)
}

// money reads USD 0.83; empty where the price is not known.
func (d Document) money(amount string) string {
	if amount == "" {
		return ""
	}
	return strings.TrimSpace(d.Currency() + " " + amount)
}
