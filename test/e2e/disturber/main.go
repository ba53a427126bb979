// Command disturber simulates other work on the machine for a second run of the end-to-end
// suite: for ten seconds of every minute it uses all of the CPUs that it may run on, and 256
// MiB of memory. It runs until it is terminated.
//
//	taskset -c 1 disturber
package main

import (
	"context"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

const (
	every = time.Minute
	busy  = 10 * time.Second
	bytes = 256 << 20
	page  = 4096
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	for begin := time.Now(); ctx.Err() == nil; begin = begin.Add(every) {
		disturb(ctx, begin.Add(busy))
		debug.FreeOSMemory()
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(begin.Add(every))):
		}
	}
}

// disturb writes to its memory repeatedly until a time.
func disturb(ctx context.Context, until time.Time) {
	memory := make([]byte, bytes)
	for ctx.Err() == nil && time.Now().Before(until) {
		for at := 0; at < len(memory); at += page {
			memory[at]++
		}
	}
}
