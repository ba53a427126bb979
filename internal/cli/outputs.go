package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/report/html"
)

type layout func(io.Writer, report.Document) error

var layouts = map[string]layout{
	"table": report.Table, "markdown": report.Markdown, "csv": report.CSV, "json": report.JSON,
	"junit": report.JUnit, "html": html.Write,
}

// endings are the formats of --report-file by the extension of the file.
var endings = map[string]string{
	".txt": "table", ".md": "markdown", ".csv": "csv", ".json": "json", ".xml": "junit", ".html": "html",
}

// outputs holds the options of what is written about a finished experiment, and where.
type outputs struct {
	format     string
	junitFile  string
	reportFile string
}

func (r *outputs) addTo(command *cobra.Command) {
	addFormat(command, &r.format, sorted(layouts))
	flags := command.Flags()
	flags.StringVar(&r.junitFile, "junit-file", "", "also write the results as JUnit XML to this file")
	flags.StringVar(&r.reportFile, "report-file", "", "also write a report to this file, in the format of its extension: "+strings.Join(sorted(endings), ", "))
}

func addFormat(command *cobra.Command, format *string, known []string) {
	*format = "table"
	addChoice(command, choice{format, known}, "output", "o", "what to print: "+strings.Join(known, ", "))
}

// choice is the value of a flag that takes one of some words.
type choice struct {
	chosen *string
	words  []string
}

func addChoice(command *cobra.Command, c choice, name, shorthand, usage string) {
	command.Flags().VarP(c, name, shorthand, usage)
	// It fails only if the flag does not exist.
	_ = command.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp))
}

// String returns the word.
func (c choice) String() string { return *c.chosen }

// Type is what help shows.
func (c choice) Type() string { return "string" }

// Set chooses a word.
func (c choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("must be one of %s", strings.Join(c.words, ", "))
	}
	*c.chosen = word
	return nil
}

// check returns an error if the results could not be written. It is called before
// anything is measured.
func (r *outputs) check() error {
	if _, there := endings[filepath.Ext(r.reportFile)]; r.reportFile != "" && !there {
		return fmt.Errorf("--report-file %s: the extension must be one of %s, since it selects the format", r.reportFile, strings.Join(sorted(endings), ", "))
	}
	for _, file := range []string{r.junitFile, r.reportFile} {
		if file == "" {
			continue
		}
		if folder, err := os.Stat(filepath.Dir(file)); err != nil || !folder.IsDir() {
			return fmt.Errorf("can't write %s: the folder %s does not exist", file, filepath.Dir(file))
		}
	}
	return nil
}

func (r *outputs) write(document report.Document, out io.Writer) error {
	if r.junitFile != "" {
		if err := writeFile(r.junitFile, document, report.JUnit); err != nil {
			return err
		}
	}
	if r.reportFile != "" {
		if err := writeFile(r.reportFile, document, layouts[endings[filepath.Ext(r.reportFile)]]); err != nil {
			return err
		}
	}
	return layouts[r.format](out, document)
}

// writeFile writes a file atomically: an existing file is replaced only by a complete one.
func writeFile(name string, document report.Document, write layout) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".hashmark-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	err = write(file, document)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("can't write %s: %w", name, err)
	}
	if err := os.Chmod(file.Name(), 0o644); err != nil { //nolint:gosec // a report is for others to read
		return err
	}
	return os.Rename(file.Name(), name)
}

func sorted[V any](named map[string]V) []string {
	return slices.Sorted(maps.Keys(named))
}
