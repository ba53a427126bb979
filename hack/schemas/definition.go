package main

import (
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// definition holds the relevant fields of a CustomResourceDefinition.
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

// ofDefinition returns the files for the kind of a CustomResourceDefinition, one for each
// version. The schema of its metadata is Kubernetes' own.
func (c components) ofDefinition(text []byte) (map[string]schema, error) {
	var read definition
	if err := yaml.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	if read.Kind != "CustomResourceDefinition" || len(read.Spec.Versions) == 0 {
		return nil, errors.New("not a CustomResourceDefinition of apiextensions.k8s.io/v1")
	}
	all := map[string]schema{}
	for _, version := range read.Spec.Versions {
		fields, found := version.Schema.OpenAPIV3Schema["properties"].(schema)
		if !found {
			return nil, fmt.Errorf("the schema of version %s has no properties", version.Name)
		}
		fields["metadata"] = schema{"$ref": toComponent + objectMeta}
		kind := groupVersionKind{read.Spec.Group, version.Name, read.Spec.Names.Kind}
		all[kind.file()] = c.file(strict(version.Schema.OpenAPIV3Schema), kind)
	}
	return all, nil
}
