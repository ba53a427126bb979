package login

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestPoolYieldsAfterItsAnswer is not parallel, because it leaves Go only one thread, so
// that without the yield the worker would always continue with its next hash first. About
// once in sixty turns the Go scheduler checks other queues before its own, so that a few
// rounds can have the other order.
func TestPoolYieldsAfterItsAnswer(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rounds = 20
	var answeredFirst int
	for range rounds {
		if answeredBeforeTheNextHash(t.Context(), t) {
			answeredFirst++
		}
	}
	if answeredFirst < rounds*3/4 {
		t.Errorf("in %d of %d rounds the next hash began before the last answer was returned", rounds-answeredFirst, rounds)
	}
}

func answeredBeforeTheNextHash(ctx context.Context, t *testing.T) bool {
	t.Helper()
	pool := NewPool(1, 2)
	defer pool.Close()
	free := make(chan struct{})
	var answered, before atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		if err := pool.Do(ctx, func() { <-free }); err != nil {
			t.Error(err)
		}
		answered.Store(true)
	})
	await(t, "the first is being hashed", func() bool { return len(pool.slots) == 1 && pool.Queued() == 0 })
	all.Go(func() {
		if err := pool.Do(ctx, func() { before.Store(answered.Load()) }); err != nil {
			t.Error(err)
		}
	})
	await(t, "the second waits", func() bool { return pool.Queued() == 1 })
	close(free)
	all.Wait()
	return before.Load()
}
