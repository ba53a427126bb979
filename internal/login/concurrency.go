package login

import (
	"context"
	"errors"
	"math"
)

// ErrQueueFull means that as many logins wait as may.
var ErrQueueFull = errors.New("the queue is full")

// ErrAbandoned means that the caller gave up before its hash began.
var ErrAbandoned = errors.New("the caller gave up before its turn")

// Concurrency decides when a login is hashed.
type Concurrency interface {
	// Do runs a hash when its turn comes, and returns after it. The error is
	// ErrQueueFull or ErrAbandoned, and then the hash was not run.
	Do(ctx context.Context, hash func()) error
	// Queued is how many logins wait at this moment.
	Queued() int
	// Workers is how many hashes are computed at a time, 0 for any number.
	Workers() int32
	// QueueLength is how many logins may wait, 0 when none ever does.
	QueueLength() int32
}

// Unbounded hashes every login at once, in its request's own goroutine.
type Unbounded struct{}

// Do runs the hash now, unless the caller is gone.
func (Unbounded) Do(ctx context.Context, hash func()) error {
	if ctx.Err() != nil {
		return ErrAbandoned
	}
	hash()
	return nil
}

// Queued is 0.
func (Unbounded) Queued() int { return 0 }

// Workers is 0: any number.
func (Unbounded) Workers() int32 { return 0 }

// QueueLength is 0: none ever waits.
func (Unbounded) QueueLength() int32 { return 0 }

// retryAfterSeconds is how long a full queue takes to be served, in whole
// seconds, at least 1, which is the finest that the header can say.
func retryAfterSeconds(queueLength int32, hashesPerSecond float64) int {
	if hashesPerSecond <= 0 {
		return 1
	}
	return int(max(1, min(math.MaxInt32, math.Ceil(float64(queueLength)/hashesPerSecond))))
}
