package html

import (
	"io"

	"github.com/hashmark-dev/hashmark/internal/report"
)

// Write writes the report as HTML.
func Write(w io.Writer, d report.Document) error {
	_, err := io.WriteString(w, d.Answer())
	return err
}
