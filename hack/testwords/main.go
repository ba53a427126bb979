// Command testwords converts the JSON of `go test -json` on its standard input back into the
// text of go test, so that a run can be stored and watched at the same time.
//
// With -brief it prints what plain `go test` prints: a line for each package, and of the tests
// only those that failed. Without it, testwords prints what `go test -v` prints.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of go test's JSON, as cmd/test2json documents it. A build failure has an
// ImportPath and no Package.
type event struct{ Action, Package, ImportPath, Test, Output string }

func main() {
	brief := flag.Bool("brief", false, "print only the tests that failed")
	flag.Parse()
	if err := convert(os.Stdin, os.Stdout, *brief); err != nil {
		fmt.Fprintln(os.Stderr, "testwords: the input is not the output of go test -json:", err)
		os.Exit(1)
	}
}

// convert copies the text of the tests to its output.
func convert(from io.Reader, to io.Writer, brief bool) error {
	output := map[string]*strings.Builder{}
	for events := json.NewDecoder(from); ; {
		var e event
		switch err := events.Decode(&e); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !brief, e.Test == "":
			if !brief || e.Output != "PASS\n" {
				fmt.Fprint(to, e.Output)
			}
		default:
			buffer(output, e, to)
		}
	}
}

// buffer keeps the output of a test until it ends, and prints it if the test failed.
func buffer(output map[string]*strings.Builder, e event, to io.Writer) {
	name := e.Package + "." + e.Test
	if output[name] == nil {
		output[name] = &strings.Builder{}
	}
	output[name].WriteString(e.Output)
	switch e.Action {
	case "fail":
		fmt.Fprint(to, output[name])
		fallthrough
	case "pass", "skip":
		delete(output, name)
	}
}
