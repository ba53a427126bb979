package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestCompletionOffersNames(t *testing.T) {
	cluster := world{}
	for _, name := range []string{"after", "before"} {
		cluster.objects = append(cluster.objects, &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}})
	}
	cluster.objects = append(cluster.objects, &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "elsewhere"}})
	for name, tt := range map[string]struct {
		words []string
		want  []string
	}{
		"the first name":      {[]string{"watch", ""}, []string{"after", "before", ":4"}},
		"no second one":       {[]string{"watch", "after", ""}, []string{":4"}},
		"another to compare":  {[]string{"compare", "after", ""}, []string{"before", ":4"}},
		"a format":            {[]string{"compare", "-o", ""}, []string{"json", "markdown", "table", ":4"}},
		"one of the commands": {[]string{"rec"}, []string{"recommend\tRecommend a size for another demand from stored results, without new load", ":4"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := carryOut(t, cluster.client(t), "", append([]string{"__complete"}, tt.words...)...)
			if diff := cmp.Diff(tt.want, strings.Split(strings.TrimSpace(got.out), "\n")); diff != "" {
				t.Errorf("it offers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompletionScripts(t *testing.T) {
	got := carryOut(t, nil, "", "completion", "kubectl")
	if got.code != 0 || !strings.Contains(got.out, `exec kubectl-hashmark __complete "$@"`) {
		t.Errorf("it ended with %d and printed %s", got.code, got.out)
	}
	if bash := carryOut(t, nil, "", "completion", "bash"); bash.code != 0 || !strings.Contains(bash.out, "__start_kubectl") {
		t.Errorf("it ended with %d: %s", bash.code, bash.err)
	}
}
