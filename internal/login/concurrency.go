package login

import (
	"context"
	"errors"
	"math"
)

// ErrQueueFull means that the queue has no room for another login.
var ErrQueueFull = errors.New("the queue is full")

// ErrAbandoned means that the caller gave up before its hash began.
var ErrAbandoned = errors.New("the caller gave up before its turn")

// Concurrency decides when a login is hashed.
type Concurrency interface {
	// Do runs a hash when it is its turn, and returns after it. The error is ErrQueueFull
	// or ErrAbandoned; in both cases the hash was not run.
	Do(ctx context.Context, hash func()) error
	// Queued returns how many logins wait at this moment.
	Queued() int
	// Workers returns how many hashes are computed at a time, 0 for any number.
	Workers() int32
	// QueueLength returns how many logins can wait, 0 if logins never wait.
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

// Queued returns 0.
func (Unbounded) Queued() int { return 0 }

// Workers returns 0: any number.
func (Unbounded) Workers() int32 { return 0 }

// QueueLength returns 0: logins never wait.
func (Unbounded) QueueLength() int32 { return 0 }

// retryAfterSeconds returns how long it takes to serve a full queue, in whole seconds, at
// least 1. The header has no finer unit.
func retryAfterSeconds(queueLength int32, hashesPerSecond float64) int {
	if hashesPerSecond <= 0 {
		return 1
	}
	return int(max(1, min(math.MaxInt32, math.Ceil(float64(queueLength)/hashesPerSecond))))
}
