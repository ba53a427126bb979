package model

import (
	"math"
	"slices"
	"time"
)

// longestLogin is the longest time of a login on an idle pod that is simulated as it is.
const longestLogin = 50 * period

// serve simulates logins at one pod, which is idle before and whose quota is first refilled
// after a share of a period. Due times ascend from 0 on. It writes how long each login takes, or
// Failed, and returns the number of simulated events.
//
// The work of a simulation grows with the number of periods and turns that a login takes. So a
// login that is longer than longestLogin is simulated as one of that length, with all times
// shorter by the same factor. The error is at most one period of such a login, 2 %.
func (s Service) serve(phase float64, due, latencies []time.Duration) (events int) {
	factor := float64(s.Hash) / min(1, s.cpus()) / float64(longestLogin)
	if factor <= 1 {
		return newPod(s, phase).serve(due, latencies)
	}
	shorter := func(d time.Duration) time.Duration { return time.Duration(math.Ceil(float64(d) / factor)) }
	s.Hash, s.Wake, s.Wait, s.Timeout = shorter(s.Hash), shorter(s.Wake), shorter(s.Wait), shorter(s.Timeout)
	s.Course = s.Course.scaled(shorter)
	early := make([]time.Duration, len(due))
	for i := range due {
		early[i] = shorter(due[i])
	}
	events = newPod(s, phase).serve(early, latencies)
	for i, took := range latencies {
		if took != Failed {
			latencies[i] = time.Duration(min(float64(took)*factor, float64(Failed-1)/2))
		}
	}
	return events
}

// pod is a simulated replica. Times are relative to the beginning of the step.
type pod struct {
	service Service
	// places is how many logins can be inside at a time, started or waiting, and workers is
	// how many of them can be started; 0 means no limit.
	places, workers int
	bandwidth       bandwidth
	now             time.Duration
	// running logins are on a lane, ready ones have started and wait for a lane, waiting ones
	// have not started.
	running        []turn
	ready, waiting fifo
	due, latencies []time.Duration
}

func newPod(s Service, phase float64) *pod {
	p := &pod{service: s, bandwidth: newBandwidth(s, phase)}
	if s.Pooled {
		p.workers = int(s.Workers)
		if s.QueueLength > 0 {
			p.places = p.workers + int(s.QueueLength)
		}
	}
	return p
}

func (p *pod) serve(due, latencies []time.Duration) (events int) {
	p.due, p.latencies = due, latencies
	for next := 0; next < len(due) || p.begun() > 0; events++ {
		until := p.changes()
		if next < len(due) {
			until = min(until, due[next])
		}
		p.advance(until)
		p.finish()
		for ; next < len(due) && due[next] <= p.now; next++ {
			p.admit(next)
		}
		p.yield()
		p.run()
	}
	return events
}

func (p *pod) begun() int { return len(p.running) + p.ready.length() }

// changes returns the next moment at which something happens without a new login.
func (p *pod) changes() time.Duration {
	if len(p.running) == 0 {
		return never
	}
	at := p.bandwidth.changes(p.now)
	if p.bandwidth.stalled {
		return at
	}
	factor, until := p.service.Course.at(p.now)
	at = min(at, until)
	for i := range p.running {
		at = min(at, p.now+stretched(p.running[i].left, factor))
		if p.ready.length() > 0 {
			at = min(at, p.running[i].until)
		}
	}
	return at
}

// advance lets running logins run until a moment. Nothing may change before that.
func (p *pod) advance(until time.Duration) {
	if !p.bandwidth.stalled {
		factor, _ := p.service.Course.at(p.now)
		done := progress(until-p.now, factor)
		for i := range p.running {
			p.running[i].left -= done
		}
	}
	p.bandwidth.advance(p.now, until)
	p.now = until
}

// finish answers logins whose hash is computed, and starts waiting ones in their place. Most events end none.
func (p *pod) finish() {
	if !slices.ContainsFunc(p.running, turn.done) {
		return
	}
	still := p.running[:0]
	for _, t := range p.running {
		if !t.done() {
			still = append(still, t)
			continue
		}
		p.latencies[t.login] = Failed
		if took := p.now - p.due[t.login] + p.service.Wait; !p.givenUp(took) {
			p.latencies[t.login] = took
		}
	}
	p.running = still
	for p.waiting.length() > 0 && p.begun() < p.workers {
		p.begin(p.waiting.pop())
	}
}

// begin starts a waiting login. If its caller has given up, it fails without a hash.
func (p *pod) begin(t turn) {
	if p.givenUp(p.now - p.due[t.login]) {
		p.latencies[t.login] = Failed
		return
	}
	p.enter(t)
}

// enter lets a login take turns with those that have started. Running logins whose turn ended
// while none was ready have begun another: the runtime preempts even if no goroutine waits.
func (p *pod) enter(t turn) {
	if p.ready.length() == 0 {
		for i := range p.running {
			if late := p.now - p.running[i].until; late > 0 {
				p.running[i].until += (1 + late/(2*pollEvery)) * 2 * pollEvery
			}
		}
	}
	p.ready.push(t)
}

func (p *pod) givenUp(took time.Duration) bool {
	return p.service.Timeout > 0 && took > p.service.Timeout
}

func (p *pod) admit(login int) {
	t := turn{login: login, left: p.service.Hash}
	if p.begun() == 0 {
		t.left += p.service.Wake
	}
	switch {
	case p.workers == 0 || p.begun() < p.workers:
		p.enter(t)
	case p.places == 0 || p.begun()+p.waiting.length() < p.places:
		p.waiting.push(t)
	default:
		p.latencies[login] = Failed
	}
}

// yield removes logins from their lanes if their turn is over and others are ready.
func (p *pod) yield() {
	over := func(t turn) bool { return t.until <= p.now }
	if p.ready.length() == 0 || p.bandwidth.stalled || !slices.ContainsFunc(p.running, over) {
		return
	}
	still := p.running[:0]
	for _, t := range p.running {
		if over(t) {
			p.ready.push(t)
			continue
		}
		still = append(still, t)
	}
	p.running = still
}

func (p *pod) run() {
	for len(p.running) < int(p.service.Lanes) && p.ready.length() > 0 {
		t := p.ready.pop()
		t.until = p.now.Truncate(pollEvery) + 2*pollEvery
		p.running = append(p.running, t)
	}
	p.bandwidth.occupy(len(p.running))
}

// turn is a login in a pod.
type turn struct {
	// login is its index in the arrivals.
	login int
	// left is the CPU time that its hash still needs.
	left time.Duration
	// until is when its turn on a lane ends if others are ready.
	until time.Duration
}

func (t turn) done() bool { return t.left <= 0 }

// fifo is a first-in, first-out queue.
type fifo struct {
	turns []turn
	head  int
}

// mostPopped is how many popped turns are kept before their memory is reused.
const mostPopped = 1024

func (l *fifo) length() int { return len(l.turns) - l.head }

func (l *fifo) push(t turn) {
	if l.head == len(l.turns) || (l.head >= mostPopped && 2*l.head >= len(l.turns)) {
		l.turns = l.turns[:copy(l.turns, l.turns[l.head:])]
		l.head = 0
	}
	l.turns = append(l.turns, t)
}

func (l *fifo) pop() turn {
	t := l.turns[l.head]
	l.head++
	return t
}
