package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

func TestExamplesOfHelpAreAccepted(t *testing.T) {
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

// Scripts of users depend on the names of commands and flags.
func TestCommandsKeepTheirFlags(t *testing.T) {
	var all strings.Builder
	for _, command := range (Program{}).Command().Commands() {
		fmt.Fprintf(&all, "%s:", command.Use)
		command.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			fmt.Fprintf(&all, " %s", strings.TrimPrefix(f.Shorthand+"/"+f.Name, "/"))
			if f.DefValue != "" && f.DefValue != "false" {
				fmt.Fprintf(&all, "=%s", f.DefValue)
			}
		})
		all.WriteString("\n")
	}
	golden(t, "flags.txt", all.String())
}

// The help of a command shows what is special about its flags.
func TestHelpShowsKindsAndChoices(t *testing.T) {
	for command, want := range map[string][]string{
		"":          {"kubectl hashmark [command]", "Hashmark measures how strong a password hash", "Exit codes: 0 if the objective can be met"},
		"recommend": {"--guesses-at hash ", "--rate rate ", "--headroom int ", "--per-cpu-hour price ", "--p95 duration ", "--hashes strings ", "what to print: json, table, yaml (default \"table\")"},
		"run":       {"in the format of its extension: .csv, .html, .json, .md, .txt, .xml", "what to print: csv, html, json, junit, markdown, table"},
		"cancel":    {"cancel NAME... | --all", "What was measured is kept", "With --all, all experiments of the namespace"},
	} {
		got := carryOut(t, nil, "", strings.Fields(command+" --help")...)
		for _, words := range want {
			if got.code != 0 || got.err != "" || !strings.Contains(got.out, words) {
				t.Errorf("%s --help ended with %d and does not say %q: %s%s", command, got.code, words, got.out, got.err)
			}
		}
	}
}

// TestCommandsOfDocsAreAccepted checks the commands in the documentation.
func TestCommandsOfDocsAreAccepted(t *testing.T) {
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
