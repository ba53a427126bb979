package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestMessagesFromTheClusterCanNotControlTheTerminal(t *testing.T) {
	const nasty = "a pod said \x1b]0;title\x07\x1b[31m\u009b2J\u202e\xff\rand\tnothing\nelse"
	const want = "a pod said \ufffd]0;title\ufffd\ufffd[31m\ufffd2J\ufffd\ufffd\ufffdand\tnothing\nelse"
	for name, write := range map[string]func(Program){
		"an error": func(p Program) { exit(errors.New(nasty), p.messages()) },
		"a line of progress": func(p Program) {
			p.newReporter().disconnected(errors.New(nasty))
		},
		"a bar": func(p Program) {
			p.Columns = 200
			bar := p.newReporter()
			bar.update(under(nasty))
			bar.done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			write(Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clocktesting.NewFakeClock(noon)})
			if !strings.Contains(out.String(), want) {
				t.Errorf("it prints %q, without %q", out.String(), want)
			}
		})
	}
}
