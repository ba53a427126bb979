package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
)

// components are the types of a specification, by their full names.
type components map[string]schema

const (
	objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	quantity   = "io.k8s.apimachinery.pkg.api.resource.Quantity"
	// quantityPattern is controller-gen's pattern of a quantity. The specification only says
	// that it is a string or a number.
	quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
)

// groupVersionKind names a kind. Group is empty for the core group.
type groupVersionKind struct{ Group, Version, Kind string }

func (k groupVersionKind) apiVersion() string {
	return strings.TrimPrefix(k.Group+"/"+k.Version, "/")
}

// file returns the name of a kind's schema for kubeconform,
// {{ .ResourceKind }}{{ .KindSuffix }}.json, with the first part of the group.
func (k groupVersionKind) file() string {
	group, _, _ := strings.Cut(k.Group, ".")
	if group != "" {
		group += "-"
	}
	return strings.ToLower(k.Kind+"-"+group+k.Version) + ".json"
}

// readComponents reads the types of all groups. A type that several groups use is the same in
// each of their files.
func readComponents(folder fs.FS) (components, error) {
	files, err := fs.Glob(folder, "*_openapi.json")
	if err != nil {
		return nil, err
	}
	all := components{}
	for _, name := range files {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		var document struct {
			Components struct{ Schemas map[string]schema }
		}
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		maps.Copy(all, document.Components.Schemas)
	}
	if all[objectMeta] == nil {
		return nil, errors.New("none of its files defines ObjectMeta")
	}
	return all, nil
}

// ofKinds returns the files of all kinds of the specification.
func (c components) ofKinds() map[string]schema {
	all := map[string]schema{}
	for name, described := range c {
		if kind, found := kindOf(described); found {
			all[kind.file()] = c.file(c.strict(name), kind)
		}
	}
	return all
}

// kindOf returns the kind that a type describes. A type with several kinds, such as
// DeleteOptions, is part of requests and never a manifest.
func kindOf(described schema) (groupVersionKind, bool) {
	names, _ := described["x-kubernetes-group-version-kind"].([]any)
	if len(names) != 1 {
		return groupVersionKind{}, false
	}
	name, _ := names[0].(schema)
	word := func(key string) string {
		text, _ := name[key].(string)
		return text
	}
	return groupVersionKind{word("group"), word("version"), word("kind")}, true
}

// strict returns the strict schema of a type.
func (c components) strict(name string) schema {
	if name == quantity {
		return schema{"anyOf": []any{schema{"type": "string", "pattern": quantityPattern}, schema{"type": "number"}}}
	}
	return strict(c[name])
}

// file adds to the schema of a kind all types that it refers to, and limits it to that kind:
// kubeconform finds files by lower-case names without the group's domain, so that another kind
// could match.
func (c components) file(whole schema, kind groupVersionKind) schema {
	made, definitions := maps.Clone(whole), schema{}
	c.follow(whole, definitions)
	fields, _ := whole["properties"].(schema)
	fields = maps.Clone(fields)
	fields["apiVersion"] = schema{"enum": []any{kind.apiVersion()}}
	fields["kind"] = schema{"enum": []any{kind.Kind}}
	made["properties"] = fields
	made["$schema"] = "http://json-schema.org/draft-04/schema#"
	made["definitions"] = definitions
	return made
}

// follow adds the types that a part of a schema refers to, recursively. It stops at types that
// it has already added.
func (c components) follow(part any, definitions schema) {
	switch part := part.(type) {
	case []any:
		for _, element := range part {
			c.follow(element, definitions)
		}
	case schema:
		path, _ := part["$ref"].(string)
		name, refers := strings.CutPrefix(path, toDefinition)
		if refers && definitions[name] == nil {
			definitions[name] = c.strict(name)
			c.follow(definitions[name], definitions)
		}
		for _, value := range part {
			c.follow(value, definitions)
		}
	}
}
