//go:build integration

package integration

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// inAnyOrder compares refusals without their order, which is the API server's matter.
var inAnyOrder = cmpopts.SortSlices(func(a, b string) bool { return a < b })

// admission is one case of what the API accepts and refuses.
type admission struct {
	// change is laid over a valid object.
	change string
	// refusals are all that the API says against it, each as "field: sentence".
	// None: it is accepted.
	refusals []string
}

// checkCreations creates each changed object without keeping it, and compares
// everything the API says against it.
func checkCreations(t *testing.T, base manifest, cases map[string]admission) {
	t.Helper()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			err := strictly().Create(t.Context(), base.with(t, test.change), client.DryRunAll)
			if diff := cmp.Diff(test.refusals, refusals(t, err), inAnyOrder); diff != "" {
				t.Errorf("the API's answer (-want +got):\n%s", diff)
			}
		})
	}
}

// checkUpdates creates the base for real, once with each case's own beginning,
// and compares everything the API says against the change.
func checkUpdates(t *testing.T, base manifest, cases map[string]edit) {
	t.Helper()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			created := create(t, base, test.from)
			edited := base.with(t, test.from, test.change)
			edited.SetName(created.GetName())
			edited.SetResourceVersion(created.GetResourceVersion())
			err := strictly().Update(t.Context(), edited, client.DryRunAll)
			if diff := cmp.Diff(test.refusals, refusals(t, err), inAnyOrder); diff != "" {
				t.Errorf("the API's answer (-want +got):\n%s", diff)
			}
		})
	}
}

// edit is one case of what may be changed in an object that exists.
type edit struct {
	// from is laid over a valid object before it is created.
	from string
	// change is laid over that.
	change string
	// refusals are all that the API says against the change; none: it is accepted.
	refusals []string
}

// create keeps an object until the test ends, under a name of its own.
func create(t *testing.T, base manifest, changes ...string) *unstructured.Unstructured {
	t.Helper()
	object := base.with(t, changes...)
	object.SetName("")
	object.SetGenerateName("test-")
	if err := strictly().Create(t.Context(), object); err != nil {
		t.Fatalf("creating the object to begin with: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context is already over when its clean-up runs.
		if err := apiClient.Delete(context.Background(), object); client.IgnoreNotFound(err) != nil {
			t.Errorf("deleting %s: %v", object.GetName(), err)
		}
	})
	return object
}

// strictly is a client that refuses unknown fields, as kubectl apply does, so
// that a misspelt field in a case does not pass for a rule that accepts it.
func strictly() client.Client {
	return client.WithFieldValidation(apiClient, metav1.FieldValidationStrict)
}

// valueInMessage is how the API server repeats the value before the reason.
var valueInMessage = regexp.MustCompile(
	`^(Invalid|Unsupported) value: (("(\\.|[^"\\])*"|\[.*\]|\{.*\}|[^ ]+): )?`)

// refusals lists what the API said against an object, as "field: sentence".
// It gives none for an object that was accepted, and fails the test when the
// answer was no verdict on the object.
func refusals(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		t.Fatalf("the API gave no verdict on the object: %v", err)
	}
	var said []string
	for _, cause := range status.Status().Details.Causes {
		sentence := valueInMessage.ReplaceAllString(cause.Message, "")
		if strings.HasPrefix(sentence, "some validation rules were not checked") {
			continue // A remark about the other refusals, and none itself.
		}
		said = append(said, cause.Field+": "+sentence)
	}
	return said
}
