package matrix

import (
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func TestANodePoolThatNoPodCanHaveIsRefused(t *testing.T) {
	exists := v1alpha1.Toleration{Operator: "Exists"}
	for name, test := range map[string]struct {
		pool v1alpha1.NodePool
		want string
	}{
		"labels and taints as nodes have them": {v1alpha1.NodePool{
			NodeSelector: map[string]v1alpha1.LabelValue{"example.com/pool": "small", "Zone_1": ""},
			Tolerations:  []v1alpha1.Toleration{{Key: "example.com/pool", Value: "small"}, exists},
		}, ""},
		"a label with a space": {v1alpha1.NodePool{NodeSelector: map[string]v1alpha1.LabelValue{"a b": ""}}, `the label "a b", which`},
		"a label with a letter that is not ASCII": {
			v1alpha1.NodePool{NodeSelector: map[string]v1alpha1.LabelValue{"é": ""}}, `the label "é", which`,
		},
		"a label with two slashes": {v1alpha1.NodePool{NodeSelector: map[string]v1alpha1.LabelValue{"a/b/c": ""}}, `the label "a/b/c", which`},
		"a taint that is no name":  {v1alpha1.NodePool{Tolerations: []v1alpha1.Toleration{exists, {Key: "-a"}}}, `the toleration of the taint "-a", which`},
		"a value that no taint has": {
			v1alpha1.NodePool{Tolerations: []v1alpha1.Toleration{{Key: "a", Value: "a\x1bb"}}}, `a toleration with the value "a\x1bb", which`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.pool.Name = "small"
			err := CheckNodePools(experiment(func(e *v1alpha1.SizingExperiment) { e.Spec.Matrix.NodePools = []v1alpha1.NodePool{test.pool} }).Spec)
			if (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), "node pool small has "+test.want) {
				t.Errorf("error is %v, want %q", err, test.want)
			}
		})
	}
}
