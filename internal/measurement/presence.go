package measurement

import (
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// optionalNumbers returns a step's numbers that can be nil, in the order of their bits.
func optionalNumbers(s *StepResult) []**int64 {
	return []**int64{
		&s.ThroughputMilliPerSecond, &s.P50Microseconds, &s.P95Microseconds, &s.P99Microseconds, &s.MaxMicroseconds,
		&s.LagP95Microseconds, &s.LagP99Microseconds, &s.ServiceInFlightAfterDrain,
		&s.FirstHalfP50Microseconds, &s.SecondHalfP50Microseconds, &s.SlowerThanP50, &s.SlowerThanP95, &s.SlowerThanP99,
	}
}

// walkPresence walks a bit for each pointer, which says whether it has a value.
func walkPresence(p *positions, s *StepResult) {
	var bits int64
	if p.reading {
		p.unsigned(&bits)
	}
	numbers := optionalNumbers(s)
	for bit, field := range numbers {
		bits = optional(p, bits, bit, field)
	}
	bits = optional(p, bits, len(numbers), &s.P95Interval)
	bits = optional(p, bits, len(numbers)+1, &s.Service)
	bits = optional(p, bits, len(numbers)+2, &s.Generator)
	bits = optional(p, bits, len(numbers)+3, &s.P50Interval)
	bits = optional(p, bits, len(numbers)+4, &s.P99Interval)
	if !p.reading {
		p.unsigned(&bits)
	} else if bits>>(len(numbers)+5) != 0 {
		p.fail("a step has values that this version does not support")
	}
}

// optional walks the presence of a value: a bit that says whether it is set. When decoding,
// it also allocates the value.
func optional[T any](p *positions, bits int64, bit int, field **T) int64 {
	switch {
	case p.reading && bits&(1<<bit) != 0:
		*field = new(T)
	case !p.reading && *field != nil:
		bits |= 1 << bit
	}
	return bits
}

// clone copies a step with everything behind its pointers that a walk writes to.
func clone(s StepResult) StepResult {
	for _, field := range optionalNumbers(&s) {
		*field = copyOf(*field)
	}
	for _, field := range []**evidence.Delta{&s.Service, &s.Generator} {
		*field = copyOf(*field)
	}
	s.P50Interval, s.P95Interval, s.P99Interval = copyOf(s.P50Interval), copyOf(s.P95Interval), copyOf(s.P99Interval)
	return s
}

func copyOf[T any](value *T) *T {
	if value == nil {
		return nil
	}
	copied := *value
	return &copied
}
