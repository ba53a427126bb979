package main

import (
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// definition is what matters here of a CustomResourceDefinition.
type definition struct {
	Kind string
	Spec struct {
		Group    string
		Names    struct{ Kind string }
		Versions []struct {
			Name   string
			Schema struct{ OpenAPIV3Schema schema }
		}
	}
}

// ofDefinition makes the files of the kind that a CustomResourceDefinition adds,
// one a version. Its metadata are described by Kubernetes, not by its author.
func (c components) ofDefinition(text []byte) (map[string]schema, error) {
	var read definition
	if err := yaml.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	if read.Kind != "CustomResourceDefinition" || len(read.Spec.Versions) == 0 {
		return nil, errors.New("this is no CustomResourceDefinition of apiextensions.k8s.io/v1")
	}
	all := map[string]schema{}
	for _, version := range read.Spec.Versions {
		fields, found := version.Schema.OpenAPIV3Schema["properties"].(schema)
		if !found {
			return nil, fmt.Errorf("the schema of version %s lists no fields", version.Name)
		}
		fields["metadata"] = schema{"$ref": toComponent + objectMeta}
		kind := groupVersionKind{read.Spec.Group, version.Name, read.Spec.Names.Kind}
		all[kind.file()] = c.file(strict(version.Schema.OpenAPIV3Schema), kind)
	}
	return all, nil
}
