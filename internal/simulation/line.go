package simulation

import "time"

// turn is one login on its way through a pod.
type turn struct {
	// login is its place among the arrivals.
	login int
	// left is the CPU time that its hash still needs.
	left time.Duration
	// until is when it has to make room for the next one that is begun.
	until time.Duration
}

// line is a queue, first come first served.
type line struct {
	turns []turn
	head  int
}

// longestGone is how many turns may be gone before their room is used again.
const longestGone = 1024

func (l *line) length() int { return len(l.turns) - l.head }

func (l *line) push(t turn) {
	if l.head == len(l.turns) || (l.head >= longestGone && 2*l.head >= len(l.turns)) {
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
