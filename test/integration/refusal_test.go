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

// inAnyOrder compares refusals in any order, because the API server chooses the order.
var inAnyOrder = cmpopts.SortSlices(func(a, b string) bool { return a < b })

// admission is one case of what the API accepts and refuses.
type admission struct {
	// change is applied to a valid object.
	change string
	// refusals are all refusals of the API, each as "field: sentence". If empty, the object
	// is accepted.
	refusals []string
}

// checkCreations creates each changed object as a dry run, and compares the refusals.
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

// checkUpdates creates the base with each case's from applied, updates it as a dry run, and
// compares the refusals.
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
	// from is applied to a valid object before it is created.
	from string
	// change is applied to that object.
	change string
	// refusals are all refusals of the change; if empty, it is accepted.
	refusals []string
}

// create creates an object with a unique name and deletes it when the test ends.
func create(t *testing.T, base manifest, changes ...string) *unstructured.Unstructured {
	t.Helper()
	object := base.with(t, changes...)
	object.SetName("")
	object.SetGenerateName("test-")
	if err := strictly().Create(t.Context(), object); err != nil {
		t.Fatalf("creating the object to begin with: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has already ended when its clean-up runs.
		if err := apiClient.Delete(context.Background(), object); client.IgnoreNotFound(err) != nil {
			t.Errorf("deleting %s: %v", object.GetName(), err)
		}
	})
	return object
}

// strictly returns a client that refuses unknown fields, as kubectl apply does, so that a
// misspelt field in a case is not mistaken for an accepted one.
func strictly() client.Client {
	return client.WithFieldValidation(apiClient, metav1.FieldValidationStrict)
}

// valueInMessage is how the API server repeats the value before the reason.
var valueInMessage = regexp.MustCompile(
	`^(Invalid|Unsupported) value: (("(\\.|[^"\\])*"|\[.*\]|\{.*\}|[^ ]+): )?`)

// refusals returns the refusals in an error, each as "field: sentence". It returns nil for
// an object that was accepted, and fails the test if the error is not about the object.
func refusals(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		t.Fatalf("the error is not about the object: %v", err)
	}
	var found []string
	for _, cause := range status.Status().Details.Causes {
		sentence := valueInMessage.ReplaceAllString(cause.Message, "")
		if strings.HasPrefix(sentence, "some validation rules were not checked") || strings.HasPrefix(sentence, "Checked value must be of type") {
			continue // A remark about the other refusals, not a refusal.
		}
		// Which types it names depends on the minor version.
		sentence, _, _ = strings.Cut(sentence, " must be of type")
		found = append(found, cause.Field+": "+sentence)
	}
	return found
}
