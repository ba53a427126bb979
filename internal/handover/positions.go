package handover

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
)

// widest is the largest number that can be handed over: 2⁵⁰ microseconds are 35
// years, and sums of a few such numbers are still whole.
const widest = int64(1) << 50

// positions writes numbers one after another, or reads them back: the same
// walk over a structure does both, so that the two can't drift apart.
type positions struct {
	reading bool
	buffer  []byte
	err     error
}

func reader(text string) *positions {
	buffer, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		err = garbled("%q is no base64url", text)
	}
	return &positions{reading: true, buffer: buffer, err: err}
}

// text is what was written.
func (p *positions) text() string { return base64.RawURLEncoding.EncodeToString(p.buffer) }

// finish is the first error of the walk, or one for numbers that nobody read.
func (p *positions) finish() error {
	if p.err == nil && p.reading && len(p.buffer) > 0 {
		return garbled("%d bytes are left over in a line of numbers", len(p.buffer))
	}
	return p.err
}

// unsigned is a number that is never below zero.
func (p *positions) unsigned(v *int64) {
	if !p.reading && (*v < 0 || *v > widest) {
		p.fail("%d is outside 0 to %d", *v, widest)
		return
	}
	p.raw(v)
}

// above is a number that is never below another one.
func (p *positions) above(v *int64, base int64) {
	difference := *v - base
	p.unsigned(&difference)
	*v = base + difference
}

// below is a number that is never above another one, nor below zero.
func (p *positions) below(v *int64, base int64) {
	difference := base - *v
	p.unsigned(&difference)
	*v = base - difference
	if *v < 0 {
		p.fail("%d is below zero", *v)
	}
}

// near is a number that lies close to another one, on either side, and is
// never below zero itself.
func (p *positions) near(v *int64, base int64) {
	difference := *v - base
	zigzag := difference<<1 ^ difference>>63
	p.unsigned(&zigzag)
	*v = base + (zigzag>>1 ^ -(zigzag & 1))
	if *v < 0 {
		p.fail("%d is below zero", *v)
	}
}

// millis walks a number of microseconds in whole milliseconds.
func (p *positions) millis(v *int64, walk func(*int64)) { p.inUnits(v, 1000, walk) }

// inUnits walks a number that is never below zero, rounded to whole units.
func (p *positions) inUnits(v *int64, unit int64, walk func(*int64)) {
	units := (*v + unit/2) / unit
	walk(&units)
	if units > widest/unit {
		p.fail("%d times %d is above %d", units, unit, widest)
		return
	}
	*v = units * unit
}

// upToUnits walks a number that is never below zero, rounded up to whole units.
func (p *positions) upToUnits(v *int64, unit int64) {
	if !p.reading && *v < 0 {
		p.fail("%d is below zero", *v)
		return
	}
	*v = (*v + unit - 1) / unit * unit
	p.inUnits(v, unit, p.unsigned)
}

const (
	significantBits = 15
	shiftBits       = 6
)

// significant walks the 15 leading bits of a number that is never below zero,
// rounded, and how far they are shifted. That is exact below 32,768, and keeps
// any larger number to 0.0031 %, in three bytes.
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
			p.fail("a line of numbers is too short, or holds too large a one")
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
