// Command testwords turns the JSON of `go test -json` on its standard input back
// into the words of `go test -v`, so that a run can be kept and watched at once.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	events := json.NewDecoder(os.Stdin)
	for {
		var event struct{ Output string }
		switch err := events.Decode(&event); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			fmt.Fprintln(os.Stderr, "testwords: the input is not what go test -json prints:", err)
			os.Exit(1)
		}
		fmt.Print(event.Output)
	}
}
