package main

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// outcomes holds how each test ended: pass, fail or skip, as in go test.
type outcomes map[string]string

const (
	passed  = "pass"
	failed  = "fail"
	skipped = "skip"

	module = "github.com/hashmark-dev/hashmark/"
)

// read adds the results of one run of go test -json. A test that started and never ended was
// stopped by a crash or a time limit, and counts as failed. Of several runs of a test the
// worst counts.
func (o outcomes) read(from io.Reader) error {
	this := outcomes{}
	for events := json.NewDecoder(from); ; {
		var event struct{ Action, Package, Test string }
		switch err := events.Decode(&event); {
		case errors.Is(err, io.EOF):
			o.merge(this)
			return nil
		case err != nil:
			return err
		}
		name := strings.TrimPrefix(event.Package, module) + "." + event.Test
		switch {
		case event.Test == "":
		case event.Action == "run":
			this[name] = failed
		case event.Action == passed, event.Action == failed, event.Action == skipped:
			this[name] = event.Action
		}
	}
}

func (o outcomes) merge(other outcomes) {
	for name, outcome := range other {
		if o[name] != failed {
			o[name] = outcome
		}
	}
}
