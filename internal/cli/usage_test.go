package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// commandLines are those of a text that begin with "kubectl hashmark", without
// what a shell does around them.
func commandLines(text string) [][]string {
	var lines [][]string
	for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		_, command, found := strings.Cut(line, "kubectl hashmark ")
		if !found || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, end := range []string{" >", " |", " ||", " #", "`", ")"} {
			command, _, _ = strings.Cut(command, end)
		}
		lines = append(lines, strings.Fields(command))
	}
	return lines
}

// tried parses a command line and checks its arguments, and does nothing.
func tried(arguments []string) error {
	root := Program{}.Command()
	command, rest, err := root.Find(arguments)
	if err != nil {
		return err
	}
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	if err := command.ValidateRequiredFlags(); err != nil {
		return err
	}
	return command.ValidateArgs(command.Flags().Args())
}

func TestEveryExampleOfTheUsageIsOneThatIsAccepted(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(command *cobra.Command) {
		lines := commandLines(command.Example)
		own := command.Parent() != nil && command.Runnable() && command.Parent().Name() != "completion" && command.Name() != "help"
		if own && len(lines) == 0 {
			t.Errorf("%s has no example", command.Name())
		}
		for _, line := range lines {
			if err := tried(line); err != nil {
				t.Errorf("%s: the example %q: %v", command.Name(), line, err)
			}
		}
		for _, child := range command.Commands() {
			walk(child)
		}
	}
	walk(Program{}.Command())
}

func TestAnExampleThatIsWrongIsFound(t *testing.T) {
	for _, line := range []string{"run", "compare a", "forecast x"} {
		if err := tried(strings.Fields(line)); err == nil {
			t.Errorf("%q is accepted", line)
		}
	}
}
