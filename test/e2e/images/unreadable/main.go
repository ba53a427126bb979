// Command unreadable stands in for a generator that leaves no result: it writes
// its arguments where the result should be, and ends well.
package main

import (
	"os"
	"strings"
)

func main() {
	message := strings.Join(os.Args[1:], " ")
	if err := os.WriteFile("/dev/termination-log", []byte(message), 0o600); err != nil {
		os.Exit(1)
	}
}
