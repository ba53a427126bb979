package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// mostSpecBytes is the largest size of a spec as JSON, in bytes. Each trial has a copy of most of it,
// and its login and files are variables of a process, which Linux limits to as many bytes each.
const mostSpecBytes = 128 << 10

// CheckSize returns an error that names both sizes if the spec of an experiment is too large. The spec
// is a SizingExperimentSpec, or any other value with the same JSON.
func CheckSize(spec any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // as in the variables
	if err := encoder.Encode(spec); err != nil {
		return fmt.Errorf("writing the spec as JSON: %w", err)
	}
	if size := text.Len() - len("\n"); size > mostSpecBytes {
		return fmt.Errorf("the spec has %d bytes as JSON, and at most %d are allowed; shorten the texts of service.own, or put them into the image", size, mostSpecBytes)
	}
	return nil
}
