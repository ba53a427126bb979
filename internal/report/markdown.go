package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hashmark-dev/hashmark/internal/units"
)

// Markdown writes the report as GitHub-flavored Markdown, for a pull request or a wiki.
func Markdown(w io.Writer, d Document) error {
	buffered := bufio.NewWriter(w)
	writeMarkdown(buffered, d.Name(), d.Answer(), d.Sections())
	manifestBlock(buffered, d.Method.Manifest)
	return buffered.Flush()
}

// WriteMarkdown writes a title, a first paragraph and sections as GitHub-flavored Markdown.
func WriteMarkdown(w io.Writer, title, first string, sections []Section) error {
	buffered := bufio.NewWriter(w)
	writeMarkdown(buffered, title, first, sections)
	return buffered.Flush()
}

// writeMarkdown writes to a buffer that keeps its first error for Flush.
func writeMarkdown(w *bufio.Writer, title, first string, sections []Section) {
	fmt.Fprintf(w, "# %s\n\n**%s**\n", escape(title), escape(first))
	for _, s := range sections {
		markdownSection(w, s)
	}
}

func markdownSection(w *bufio.Writer, s Section) {
	fmt.Fprintf(w, "\n## %s\n", escape(s.Title))
	for _, text := range s.Paragraphs {
		fmt.Fprintf(w, "\n%s\n", escape(text))
	}
	if len(s.Lines) > 0 {
		fmt.Fprintf(w, "\n%s%s|\n", markdownLine(s.Columns), strings.Repeat("|---", len(s.Columns)))
		for _, line := range s.Lines {
			fmt.Fprint(w, markdownLine(line))
		}
	}
	if len(s.Items) > 0 {
		fmt.Fprintln(w)
	}
	for _, item := range s.Items {
		fmt.Fprintf(w, "- %s\n", escape(item))
	}
}

func markdownLine(cells []string) string {
	escaped := make([]string, len(cells))
	for i, cell := range cells {
		escaped[i] = escape(cell)
	}
	return "| " + strings.Join(escaped, " | ") + " |\n"
}

// escape escapes the characters that have a meaning in Markdown or HTML. It does not escape
// those that have one only at the start of a line: text is never at the start of a line
// here, except after the dash of a list or in a heading.
func escape(text string) string {
	return markdownText.Replace(units.Line(text))
}

var markdownText = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`, "$", `\$`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;",
)

// manifestBlock writes the experiment as YAML in a fenced block. The fence is longer than
// any in the YAML, which can't close it.
func manifestBlock(w io.Writer, manifest string) {
	if manifest == "" {
		return
	}
	fence := "```"
	for strings.Contains(manifest, fence) {
		fence += "`"
	}
	fmt.Fprintf(w, "\n<details>\n<summary>The experiment, to measure it again</summary>\n\n%syaml\n%s%s\n\n</details>\n", fence, manifest, fence)
}
