package matrix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// CheckNodePools returns an error if a pool has a label or a toleration that the API server would
// refuse in every pod. The schema can't check the keys of labels, whose length it doesn't know.
func CheckNodePools(spec v1beta1.SizingExperimentSpec) error {
	for _, pool := range spec.Matrix.NodePools {
		for _, key := range slices.Sorted(maps.Keys(pool.NodeSelector)) {
			if problems := validation.IsQualifiedName(key); len(problems) > 0 {
				return invalid(pool, "the label", key, problems)
			}
		}
		for _, toleration := range pool.Tolerations {
			// Without a key, every taint is tolerated.
			if problems := validation.IsQualifiedName(toleration.Key); toleration.Key != "" && len(problems) > 0 {
				return invalid(pool, "the toleration of the taint", toleration.Key, problems)
			}
			if problems := validation.IsValidLabelValue(toleration.Value); len(problems) > 0 {
				return invalid(pool, "a toleration with the value", toleration.Value, problems)
			}
		}
	}
	return nil
}

func invalid(pool v1beta1.NodePool, what, text string, problems []string) error {
	return fmt.Errorf("node pool %s has %s %.64q, which Kubernetes refuses: %s; change it", pool.Name, what, text, strings.Join(problems, "; "))
}

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
