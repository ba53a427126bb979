package preview

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

// Refusal says why an experiment is refused.
type Refusal struct {
	// Field that is wrong; empty if the message names it.
	Field string `json:"field,omitempty"`
	// Message says what is wrong and what to write.
	Message string `json:"message"`
}

// String returns the message after the field.
func (r Refusal) String() string {
	if r.Field == "" {
		return r.Message
	}
	return r.Field + ": " + r.Message
}

// accept returns the experiment as the API server would store it, and why the operator refuses it. If the API server
// refuses it, accept returns only the reasons of the API server.
func accept(ctx context.Context, written map[string]any) (*v1beta1.SizingExperiment, []Refusal) {
	object := runtime.DeepCopyJSON(written)
	delete(object, "status") // the API server ignores it
	refusals := create(ctx, object)
	if len(refusals) > 0 {
		return nil, refusals
	}
	experiment := &v1beta1.SizingExperiment{}
	if err := decode(object, experiment); err != nil {
		return nil, []Refusal{{Message: err.Error()}}
	}
	for _, problem := range sizing.Problems(experiment.Spec) {
		refusals = append(refusals, Refusal{Message: problem.Error()})
	}
	return experiment, refusals
}

func decode(object map[string]any, into any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// create fills in the defaults and returns the refusals of an API server with strict validation, in its order. Unlike
// an API server, it goes on after an unknown field.
func create(ctx context.Context, object map[string]any) []Refusal {
	definition, words := experiments(), map[string]string{}
	explain(words, "", object, definition.schema)
	meta, _, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return []Refusal{{"metadata", err.Error()}}
	}
	meta = named(object, meta)
	defaulting.Default(object, definition.schema)
	unknown = append(unknown, pruning.PruneWithOptions(object, definition.schema, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, definition.schema)
	var refusals []Refusal
	for _, path := range unknown {
		refusals = append(refusals, Refusal{path, sentence(words, path, "it is unknown; remove it")})
	}
	errs := apivalidation.ValidateObjectMeta(meta, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	errs = append(errs, validation.ValidateCustomResource(nil, object, definition.values)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, definition.schema, object)...)
	if !slices.ContainsFunc(errs, blocks) {
		broken, _ := definition.rules.Validate(ctx, nil, definition.schema, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	mistyped := map[string]bool{}
	for _, err := range errs {
		refusals = append(refusals, refusal(words, err))
		if _, explained := words[err.Field]; explained && err.Type == field.ErrorTypeTypeInvalid {
			mistyped[err.Field] = true
		}
	}
	return concise(refusals, words, mistyped)
}

// remark begins what the library says about a number in addition to another refusal of it.
const remark = "Checked value must be of type"

// concise leaves out what only follows from a value of a wrong type, repetitions, and remarks.
func concise(all []Refusal, words map[string]string, mistyped map[string]bool) []Refusal {
	var kept []Refusal
	for _, r := range all {
		follows := slices.Contains(kept, r)
		for path := range mistyped {
			within := strings.HasPrefix(r.Field, path+".") || strings.HasPrefix(r.Field, path+"[")
			other := r.Field == path && r.Message != words[path] || r.Field == "" && strings.Contains(r.Message, path)
			follows = follows || within || other
		}
		if !follows {
			kept = append(kept, r)
		}
	}
	withoutRemarks := slices.DeleteFunc(slices.Clone(kept), func(r Refusal) bool { return strings.HasPrefix(r.Message, remark) })
	if len(withoutRemarks) == 0 {
		return kept
	}
	return withoutRemarks
}

// named gives an experiment what it would have after its creation: the namespace, and the end of a generated name.
func named(object map[string]any, meta *metav1.ObjectMeta) *metav1.ObjectMeta {
	if meta == nil {
		meta = &metav1.ObjectMeta{}
	}
	if meta.Namespace == "" {
		meta.Namespace = metav1.NamespaceDefault
	}
	if meta.Name == "" && meta.GenerateName != "" {
		const longest, ending = 58, "xxxxx"
		meta.Name = meta.GenerateName[:min(longest, len(meta.GenerateName))] + ending
	}
	if fields, is := object["metadata"].(map[string]any); is && meta.Name != "" {
		fields["name"] = meta.Name
	}
	return meta
}

// blocks reports whether the API server does not evaluate the rules after an error, because they could not read the
// value.
func blocks(err *field.Error) bool {
	switch err.Type {
	case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
		return true
	default:
		return false
	}
}

func refusal(words map[string]string, err *field.Error) Refusal {
	path, message := err.Field, err.Detail
	switch err.Type {
	case field.ErrorTypeRequired:
		message = "it is required; add it"
	case field.ErrorTypeTypeInvalid:
		message = sentence(words, path, message)
	case field.ErrorTypeNotSupported:
		message = fmt.Sprintf("%q is unknown; write one of %s", fmt.Sprint(err.BadValue), strings.TrimPrefix(err.Detail, "supported values: "))
	case field.ErrorTypeInvalid:
	default:
		message = err.ErrorBody()
	}
	if root := (*field.Path)(nil); path == root.String() {
		path = ""
	}
	return Refusal{path, message}
}

func sentence(words map[string]string, path, otherwise string) string {
	if text, has := words[path]; has {
		return text
	}
	return otherwise
}
