// Command testwords turns the JSON of `go test -json` on its standard input back
// into go test's own words, so that a run can be kept and watched at once.
//
// With -brief it prints what plain `go test` does: a line for each package, and
// of the tests only those that failed. Without, it prints what `go test -v` does.
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

// event is a line of go test's JSON, as cmd/test2json documents it. Builds that
// fail are told of by ImportPath, and by no package.
type event struct{ Action, Package, ImportPath, Test, Output string }

func main() {
	brief := flag.Bool("brief", false, "of the tests print only those that failed")
	flag.Parse()
	if err := tell(os.Stdin, os.Stdout, *brief); err != nil {
		fmt.Fprintln(os.Stderr, "testwords: the input is not what go test -json prints:", err)
		os.Exit(1)
	}
}

func tell(from io.Reader, to io.Writer, brief bool) error {
	said := map[string]*strings.Builder{}
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
			hold(said, e, to)
		}
	}
}

// hold keeps what a test says until it ends, and tells it if it failed.
func hold(said map[string]*strings.Builder, e event, to io.Writer) {
	name := e.Package + "." + e.Test
	if said[name] == nil {
		said[name] = &strings.Builder{}
	}
	said[name].WriteString(e.Output)
	switch e.Action {
	case "fail":
		fmt.Fprint(to, said[name])
		fallthrough
	case "pass", "skip":
		delete(said, name)
	}
}
