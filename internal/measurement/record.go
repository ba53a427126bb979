package measurement

import "time"

// Outcome is how a login ended.
type Outcome uint8

const (
	// Cut means: sent, and no answer before the step's drain ended.
	Cut Outcome = iota
	// OK is a complete 200.
	OK
	// Refused is a 503: the service's queue was full.
	Refused
	// TimedOut means that the caller gave up.
	TimedOut
	// OtherError is any other answer, and none where there should have been one.
	OtherError
)

// Record is one login that was sent. A login that was due and never sent has no
// record. Times are from the plan's zero.
type Record struct {
	// Step is the index into the plan's steps, the warm-up included.
	Step int
	// Index counts the logins of the step; in open steps the first SettleRequests
	// are those of the settling part.
	Index int
	// Due is when the login should have been sent. In closed steps it is Sent.
	Due time.Duration
	// Sent is when it was.
	Sent time.Duration
	// Ended is when its answer was complete, or its failure known. It means
	// nothing when the outcome is Cut.
	Ended   time.Duration
	Outcome Outcome
}
