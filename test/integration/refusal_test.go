//go:build integration

package integration

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/test/fixture"
)

// creations returns the cases of the rules for new objects.
func creations() map[string]fixture.Creation {
	all := maps.Clone(fixture.Experiments)
	all["a trial"] = fixture.Trials
	return all
}

// TestTheRulesOfTheAPI has a case on each side of each rule. It does not test the bounds, enums and required
// fields of the schema, which the API server enforces by itself.
func TestTheRulesOfTheAPI(t *testing.T) {
	for group, of := range creations() {
		for name, texts := range of.Cases {
			t.Run(group+"/"+name, func(t *testing.T) {
				checkRefusals(t, texts[1:], strictly().Create(t.Context(), manifest(of.Base).with(t, texts[0]), client.DryRunAll))
			})
		}
	}
}

// TestEveryRuleRefusesACase compares the cases with the definitions.
func TestEveryRuleRefusesACase(t *testing.T) {
	refused := slices.Concat(cancelStands, trialStands, generatorStands, []string{conditionIsShort})
	for _, of := range creations() {
		for _, texts := range of.Cases {
			refused = append(refused, texts[1:]...)
		}
	}
	files, err := filepath.Glob(filepath.Join(crdFolder, "hashmark.dev_*.yaml"))
	if err != nil || len(files) != 2 {
		t.Fatalf("found the definitions %v, error %v, want two", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var definition any
		if err := yaml.Unmarshal(text, &definition); err != nil {
			t.Fatal(err)
		}
		messages := messagesIn(definition)
		if len(messages) < 20 {
			t.Errorf("%s has only %d rules", file, len(messages))
		}
		for _, message := range messages {
			if !slices.ContainsFunc(refused, func(refusal string) bool {
				_, sentence, _ := strings.Cut(refusal, ": ")
				return strings.HasPrefix(message, sentence)
			}) {
				t.Errorf("no case is refused with: %s", message)
			}
		}
	}
}

// messagesIn returns the messages of all rules in a part of a definition.
func messagesIn(part any) (messages []string) {
	switch part := part.(type) {
	case map[string]any:
		_, isRule := part["rule"].(string)
		if message, has := part["message"].(string); isRule && has {
			return []string{message}
		}
		for _, child := range part {
			messages = append(messages, messagesIn(child)...)
		}
	case []any:
		for _, child := range part {
			messages = append(messages, messagesIn(child)...)
		}
	}
	return messages
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

// checkRefusals compares the refusals in an error with those that are wanted, in any order.
func checkRefusals(t *testing.T, want []string, err error) {
	t.Helper()
	got := refusals(t, err)
	for i, refusal := range got {
		if at := slices.IndexFunc(want, func(beginning string) bool { return strings.HasPrefix(refusal, beginning) }); at >= 0 {
			got[i] = want[at]
		}
	}
	ordered := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	if diff := cmp.Diff(want, got, ordered, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the API's answer (-want +got):\n%s", diff)
	}
}

// valueInMessage is how the API server repeats the value before the reason.
var valueInMessage = regexp.MustCompile(
	`^(Invalid|Unsupported) value: (("(\\.|[^"\\])*"|\[.*\]|\{.*\}|[^ ]+): )?`)

// remark is what the API server says about the other refusals.
var remark = regexp.MustCompile(`^(some validation rules were not checked|Checked value must be of type)`)

// refusals returns the refusals in an error, each as "field: sentence", and none for an object that was
// accepted. It fails the test if the error is not about the object.
func refusals(t *testing.T, err error) (found []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		t.Fatalf("the error is not about the object: %v", err)
	}
	for _, cause := range status.Status().Details.Causes {
		sentence := valueInMessage.ReplaceAllString(cause.Message, "")
		if !remark.MatchString(sentence) {
			found = append(found, cause.Field+": "+sentence)
		}
	}
	return found
}
