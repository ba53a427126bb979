// Command unreadable replaces a generator and leaves no readable result: it writes its
// arguments as the termination message, and exits with 0.
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
