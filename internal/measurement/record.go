package measurement

import "time"

// Outcome is how a login ended.
type Outcome uint8

const (
	// Cut means that the login was sent and had no response when the step's drain ended.
	Cut Outcome = iota
	// OK is a complete 200 response.
	OK
	// Refused is a 503 response: the service's queue was full.
	Refused
	// TimedOut means that the caller gave up.
	TimedOut
	// OtherError is any other response, or a missing one.
	OtherError
)

// Record is one login that was sent. A login that was due but never sent has no record.
// Times are relative to the plan's zero.
type Record struct {
	// Step is the index into the plan's steps, including the warm-up.
	Step int
	// Index counts the logins of the step. In open steps the first SettleRequests are those
	// of the settling part.
	Index int
	// Due is when the login should have been sent. In closed steps it is Sent.
	Due time.Duration
	// Sent is when the login was sent.
	Sent time.Duration
	// Ended is when the response was complete or the login failed. It has no meaning if the
	// outcome is Cut.
	Ended   time.Duration
	Outcome Outcome
}
