package measurement

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
)

// widest is the largest number that can be encoded: 2⁵⁰ microseconds are 35 years, and sums
// of a few such numbers do not overflow.
const widest = int64(1) << 50

// positions encodes numbers one after another, or decodes them. The same walk over a
// structure does both, so that the two always match.
type positions struct {
	reading bool
	buffer  []byte
	err     error
}

func reader(text string) *positions {
	buffer, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		err = garbled("%q is not base64url", text)
	}
	return &positions{reading: true, buffer: buffer, err: err}
}

func (p *positions) text() string { return base64.RawURLEncoding.EncodeToString(p.buffer) }

// finish returns the first error of the walk, or one for numbers that were not read.
func (p *positions) finish() error {
	if p.err == nil && p.reading && len(p.buffer) > 0 {
		return garbled("a line of numbers has %d bytes too many", len(p.buffer))
	}
	return p.err
}

// unsigned walks a number that is never negative. The other walks encode a difference or a multiple by it.
func (p *positions) unsigned(v *int64) {
	if !p.reading && (*v < 0 || *v > widest) {
		p.fail("%d is outside 0 to %d", *v, widest)
		return
	}
	p.raw(v)
}

func (p *positions) above(v *int64, base int64) {
	difference := *v - base
	p.unsigned(&difference)
	*v = base + difference
}

func (p *positions) below(v *int64, base int64) {
	difference := base - *v
	p.unsigned(&difference)
	*v = base - difference
	if *v < 0 {
		p.fail("%d is negative", *v)
	}
}

// near walks a number that is close to another one, on either side, and never negative.
func (p *positions) near(v *int64, base int64) {
	difference := *v - base
	zigzag := difference<<1 ^ difference>>63
	p.unsigned(&zigzag)
	*v = base + (zigzag>>1 ^ -(zigzag & 1))
	if *v < 0 {
		p.fail("%d is negative", *v)
	}
}

func (p *positions) millis(v *int64, walk func(*int64)) { p.inUnits(v, 1000, walk) }

// inUnits walks a number that is never negative, rounded to whole units.
func (p *positions) inUnits(v *int64, unit int64, walk func(*int64)) {
	units := (*v + unit/2) / unit
	walk(&units)
	if units > widest/unit {
		p.fail("%d times %d is above %d", units, unit, widest)
		return
	}
	*v = units * unit
}

// upToUnits walks a number that is never negative, rounded up to whole units.
func (p *positions) upToUnits(v *int64, unit int64) {
	if !p.reading && *v < 0 {
		p.fail("%d is negative", *v)
		return
	}
	*v = (*v + unit - 1) / unit * unit
	p.inUnits(v, unit, p.unsigned)
}

const (
	significantBits = 15
	shiftBits       = 6
)

// significant walks the 15 leading bits of a number that is never negative, rounded, and
// how far they are shifted. That is exact below 32,768, and keeps any larger number to
// 0.0031 %, in three bytes.
func (p *positions) significant(v *int64) {
	if !p.reading && (*v < 0 || *v > widest) {
		p.fail("%d is outside 0 to %d", *v, widest)
		return
	}
	shift := max(0, bits.Len64(uint64(*v))-significantBits)
	rounded := (*v + 1<<shift>>1) >> shift
	both := rounded<<shiftBits | int64(shift)
	p.raw(&both)
	rounded, shift = both>>shiftBits, int(both&(1<<shiftBits-1))
	if bits.Len64(uint64(rounded))+shift > bits.Len64(uint64(widest)) {
		p.fail("%d shifted by %d is too large", rounded, shift)
		return
	}
	*v = rounded << shift
}

func (p *positions) raw(v *int64) {
	switch {
	case p.err != nil:
	case p.reading:
		value, length := binary.Uvarint(p.buffer)
		if length <= 0 || value > uint64(widest) {
			p.fail("a line of numbers is too short, or has a number that is too large")
			return
		}
		p.buffer, *v = p.buffer[length:], int64(value)
	default:
		p.buffer = binary.AppendUvarint(p.buffer, uint64(*v))
	}
}

func (p *positions) fail(format string, arguments ...any) {
	if p.err == nil {
		p.err = garbled(format, arguments...)
	}
}

// optionalNumbers returns a step's numbers that can be nil, in the order of their bits.
func optionalNumbers(s *StepResult) []**int64 {
	return []**int64{
		&s.ThroughputMilliPerSecond, &s.P50Microseconds, &s.P95Microseconds, &s.P99Microseconds, &s.MaxMicroseconds,
		&s.StartLagP95Microseconds, &s.StartLagP99Microseconds, &s.ServiceInFlightAfterDrain,
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
	bits = optional(p, bits, len(numbers)+5, &s.Alive)
	if s.Alive != nil {
		bits = optional(p, bits, len(numbers)+6, &s.Alive.P95Microseconds)
	}
	bits = optional(p, bits, len(numbers)+7, &s.Latencies)
	// Earlier versions have no bit for what was added after them, so it comes last.
	bits = optional(p, bits, len(numbers)+8, &s.LongestPauseMicroseconds)
	bits = optional(p, bits, len(numbers)+9, &s.ReplicaSpreadPerMille)
	if !p.reading {
		p.unsigned(&bits)
	} else if bits>>(len(numbers)+10) != 0 {
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
	s.StepResult = *s.StepResult.DeepCopy()
	s.Service, s.Generator = copyOf(s.Service), copyOf(s.Generator)
	s.ServiceInFlightAfterDrain = copyOf(s.ServiceInFlightAfterDrain)
	return s
}

func copyOf[T any](value *T) *T {
	if value == nil {
		return nil
	}
	copied := *value
	return &copied
}
