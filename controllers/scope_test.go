package controllers

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func pod(namespace, name, role string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"role": role}}}
}

// guarded returns a reader of an API server that refuses lists of the whole cluster and of
// namespace walled. It records which namespaces were listed.
func guarded(listed *[]string) client.Reader {
	pods := []client.Object{pod("a", "one", "load"), pod("a", "two", "login"), pod("b", "three", "load"), pod("c", "four", "load")}
	return fake.NewClientBuilder().WithObjects(pods...).WithInterceptorFuncs(interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			namespace := (&client.ListOptions{}).ApplyOptions(opts).Namespace
			*listed = append(*listed, namespace)
			if namespace == "" || namespace == "walled" {
				return apierrors.NewForbidden(corev1.Resource("pods"), "", nil)
			}
			return c.List(ctx, list, opts...)
		},
	}).Build()
}

func TestAConfinedReaderListsItsNamespacesOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		namespaces []string
		opts       []client.ListOption
		want       []string // the pods
		listed     []string // the namespaces
		refusal    string
	}{
		"a list of everything covers the namespaces": {
			namespaces: []string{"a", "b"}, want: []string{"a/one", "a/two", "b/three"}, listed: []string{"a", "b"},
		},
		"selectors apply to each namespace": {
			namespaces: []string{"a", "b"}, opts: []client.ListOption{client.MatchingLabels{"role": "load"}},
			want: []string{"a/one", "b/three"}, listed: []string{"a", "b"},
		},
		"a list of one namespace covers only that": {
			namespaces: []string{"a", "b"}, opts: []client.ListOption{client.InNamespace("b")},
			want: []string{"b/three"}, listed: []string{"b"},
		},
		"an empty namespace adds nothing": {
			namespaces: []string{"empty", "b"}, want: []string{"b/three"}, listed: []string{"empty", "b"},
		},
		"a namespace that can't be listed fails the list": {
			namespaces: []string{"a", "walled", "b"}, listed: []string{"a", "walled"}, refusal: "watched namespace walled",
		},
		"paging is refused": {
			namespaces: []string{"a", "b"}, opts: []client.ListOption{client.Limit(1)}, refusal: "can't be paged",
		},
		"without namespaces the whole cluster is listed": {listed: []string{""}, refusal: "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			var listed []string
			pods := &corev1.PodList{}
			err := LiveIn(guarded(&listed), tt.namespaces).List(t.Context(), pods, tt.opts...)
			if refused := err != nil; refused != (tt.refusal != "") || refused && !strings.Contains(err.Error(), tt.refusal) {
				t.Fatalf("the list ended with %v, want %q in it", err, tt.refusal)
			}
			var got []string
			for _, p := range pods.Items {
				got = append(got, p.Namespace+"/"+p.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("pods (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.listed, listed); diff != "" {
				t.Errorf("listed namespaces (-want +got):\n%s", diff)
			}
		})
	}
}
