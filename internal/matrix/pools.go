package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// CheckNodePools returns an error if a pool has a label or a toleration that the API server would
// refuse in every pod. The schema can't check the keys of labels, whose length it doesn't know.
func CheckNodePools(spec v1alpha1.SizingExperimentSpec) error {
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

func invalid(pool v1alpha1.NodePool, what, text string, problems []string) error {
	return fmt.Errorf("node pool %s has %s %.64q, which Kubernetes refuses: %s; change it", pool.Name, what, text, strings.Join(problems, "; "))
}
