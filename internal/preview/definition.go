package preview

import (
	"errors"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/config/crd"
)

// definition is the definition of experiments in the forms in which an API server uses it.
type definition struct {
	schema *schema.Structural
	values validation.SchemaValidator
	rules  *cel.Validator
}

// experiments compiles the definition of experiments. It leaves out the results, which nobody can create.
var experiments = sync.OnceValue(func() definition {
	installed, internal := &apiextensionsv1.CustomResourceDefinition{}, &apiextensions.JSONSchemaProps{}
	err := yaml.Unmarshal(crd.SizingExperiments, installed)
	if err == nil {
		err = apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
			installed.Spec.Versions[0].Schema.OpenAPIV3Schema, internal, nil)
	}
	// The rule of edits reads startTime.
	status := apiextensions.JSONSchemaProps{Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{
		"startTime": internal.Properties["status"].Properties["startTime"],
	}}
	internal.Properties["status"] = status
	structural, conversion := schema.NewStructural(internal)
	values, _, invalid := validation.NewSchemaValidator(internal)
	if err := errors.Join(err, conversion, invalid, defaulting.PruneDefaults(structural)); err != nil {
		panic(err) // it would fail in every test too
	}
	return definition{structural, values, cel.NewValidator(structural, true, celconfig.PerCallLimit)}
})
