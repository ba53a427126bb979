package model

import "time"

// turn is a login in a pod.
type turn struct {
	// login is its index in the arrivals.
	login int
	// left is the CPU time that its hash still needs.
	left time.Duration
	// until is when its turn on a lane ends if others are ready.
	until time.Duration
}

// line is a first-in, first-out queue.
type line struct {
	turns []turn
	head  int
}

// mostPopped is how many popped turns are kept before their memory is reused.
const mostPopped = 1024

func (l *line) length() int { return len(l.turns) - l.head }

func (l *line) push(t turn) {
	if l.head == len(l.turns) || (l.head >= mostPopped && 2*l.head >= len(l.turns)) {
		l.turns = l.turns[:copy(l.turns, l.turns[l.head:])]
		l.head = 0
	}
	l.turns = append(l.turns, t)
}

func (l *line) pop() turn {
	t := l.turns[l.head]
	l.head++
	return t
}
