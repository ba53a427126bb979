package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// commandLines returns the command lines of a text that begin with "kubectl hashmark", without
// the shell syntax around them.
func commandLines(text string) [][]string {
	var lines [][]string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
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

// tried parses a command line and checks its arguments, without running it.
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

// TestTheUsage compares the help of all commands with a golden file.
func TestTheUsage(t *testing.T) {
	var all strings.Builder
	for _, command := range []string{"", "run", "watch", "report", "compare", "recommend", "cancel", "suspend", "resume", "version"} {
		got := carryOut(t, nil, "", strings.Fields(command+" --help")...)
		if got.code != 0 || got.err != "" {
			t.Fatalf("%s: it ended with %d: %s", command, got.code, got.err)
		}
		own, _, _ := strings.Cut(got.out, "\nGlobal Flags:")
		if command == "" {
			own, _, _ = strings.Cut(own, "\nFlags:")
		}
		fmt.Fprintf(&all, "$ kubectl hashmark %s --help\n%s\n", command, own)
	}
	golden(t, "usage.txt", strings.ReplaceAll(all.String(), "hashmark  --help", "hashmark --help"))
}

// TestTheDocumentationShowsCommandsThatAreAccepted checks the commands in the documentation.
func TestTheDocumentationShowsCommandsThatAreAccepted(t *testing.T) {
	for page, atLeast := range map[string]int{"docs/cli.md": 10, "docs/cookbook.md": 10, "docs/report.md": 1, "docs/troubleshooting.md": 3, "docs/operations.md": 2, "README.md": 3} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		lines := commandLines(string(text))
		if len(lines) < atLeast {
			t.Errorf("%s shows %d commands, and should show %d", page, len(lines), atLeast)
		}
		for _, line := range lines {
			if err := tried(line); err != nil {
				t.Errorf("%s: %q: %v", page, strings.Join(line, " "), err)
			}
		}
	}
}
