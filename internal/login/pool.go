package login

import (
	"context"
	"runtime"
	"sync"
)

// Pool hashes first come, first served, with a fixed number of workers behind a
// bounded queue.
type Pool struct {
	workers, length int32
	// slots counts who is inside, hashed for or waiting. The queue's own buffer
	// would count wrong for a moment: a worker that has just answered and not yet
	// come back for more is free, though nothing can be handed to it.
	slots chan struct{}
	queue chan *turn
	ended sync.WaitGroup
}

// turn is one login's place in the queue.
type turn struct {
	ctx   context.Context
	hash  func()
	err   error
	ended chan struct{}
}

// NewPool starts the workers. Both numbers are at least 1.
func NewPool(workers, queueLength int32) *Pool {
	places := int(workers) + int(queueLength)
	p := &Pool{
		workers: workers,
		length:  queueLength,
		slots:   make(chan struct{}, places),
		queue:   make(chan *turn, places),
	}
	for range workers {
		p.ended.Go(p.work)
	}
	return p
}

// Do waits for a worker, unless the queue is full. It returns when the hash was
// run or its turn was passed over, never earlier: as long as it holds a place,
// its request is under way.
func (p *Pool) Do(ctx context.Context, hash func()) error {
	select {
	case p.slots <- struct{}{}:
	default:
		return ErrQueueFull
	}
	t := &turn{ctx: ctx, hash: hash, ended: make(chan struct{})}
	p.queue <- t // never blocks: it holds as many as there are slots
	<-t.ended
	return t.err
}

// Queued is how many logins no worker has taken yet.
func (p *Pool) Queued() int { return len(p.queue) }

// Workers is how many hashes are computed at a time.
func (p *Pool) Workers() int32 { return p.workers }

// QueueLength is how many logins may wait.
func (p *Pool) QueueLength() int32 { return p.length }

// Close ends the workers once the queue is empty. No Do may begin after it.
func (p *Pool) Close() {
	close(p.queue)
	p.ended.Wait()
}

// work serves turns until the queue is closed. A turn whose caller is gone is
// passed over: to hash for it would take the CPU from those who still wait, and
// poison the next step of a load test.
//
// After each answer the worker yields. The request's own goroutine, which has
// the reply to write, is now first in line on this thread; without the yield it
// waits behind the next hash until the Go runtime preempts that, up to 10 ms
// later (runtime.forcePreemptNS). Measured at cost 8 on one CPU under Poisson
// load, p95 was 1.07 to 1.16 times that of an ideal queue without the yield,
// and 0.94 to 1.05 times with it.
func (p *Pool) work() {
	for t := range p.queue {
		if t.ctx.Err() != nil {
			t.err = ErrAbandoned
		} else {
			t.hash()
		}
		<-p.slots
		close(t.ended)
		runtime.Gosched()
	}
}
