// Package handover is the generator's last word to the operator: a
// measurement.Run as text that fits the 4,096 bytes that kubelet keeps of a
// container's termination message.
//
//	hashmark/4 steps=4 reported=1 exit=0 k6=v1.8.1 go=go1.26.8
//	generator <container>            where k6 ran, if its evidence could be read
//	service <container>              a line for each pod of the login service
//	step <numbers>                   a line for each step
//	speed 1000 14178000 gfghAAfdegh  the timeline
//	histogram <numbers>              these two only where there is room
//	underway <numbers>
//	end 1c291ca3                     CRC-32 of everything above
//
// Numbers are positional: unsigned varints in base64url, the order being that
// of the code in step.go; most are told as the difference from a number they
// lie near. Evidence is rounded to milliseconds, the CPU time of hashes to 15
// significant bits, the medians of a step's halves to hundredths of its own, and
// the intervals of p50 and p99 outward to hundredths of each. A boot id that is a
// dot is that of the line before.
//
// A timeline is the length of its windows in milliseconds, the median time of a
// hash in nanoseconds, and a character for each window, good to 0.63 %.
//
// A load that gave no numbers hands over a failure instead:
//
//	hashmark/4 failure=ScriptError exit=107
//	| the end of k6's stderr, each line behind a bar
//	end 5d3a01f7
//
// kubelet keeps the last bytes, so a message that is too long loses its head and
// is found out by its first line; one that was cut short has no last line. The
// package does not read or write files, and does not judge the figures.
package handover
