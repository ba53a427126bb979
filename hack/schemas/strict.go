package main

import "strings"

// schema is a JSON schema, or a part of one, as encoding/json reads it.
type schema = map[string]any

// The prefixes of references in a specification and in the generated files.
const (
	toComponent  = "#/components/schemas/"
	toDefinition = "#/definitions/"
)

// validating are the keywords that are copied unchanged. Of the others, some are for readers
// (description, default) and would be most of each file, and some are handled by strict.
var validating = []string{
	"type", "format", "enum", "pattern", "required", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	// These add conditions to a field and list no fields of their own, so closing them would
	// refuse the fields next to them.
	"allOf", "anyOf", "oneOf", "not",
}

// strict translates a schema of OpenAPI 3.0, as Kubernetes writes them, into one of JSON
// schema draft 4. An object can only have the listed fields. A null is refused if the field is
// not nullable, although a server would drop it: in a manifest it is a block that was left
// empty.
func strict(from schema) schema {
	if name, found := reference(from); found {
		return schema{"$ref": toDefinition + name}
	}
	made := schema{}
	for _, keyword := range validating {
		if value, found := from[keyword]; found {
			made[keyword] = value
		}
	}
	if from["x-kubernetes-int-or-string"] == true && made["anyOf"] == nil {
		made["anyOf"] = []any{schema{"type": "integer"}, schema{"type": "string"}}
	}
	if items, found := from["items"].(schema); found {
		made["items"] = strict(items)
	}
	closeFields(made, from)
	if from["nullable"] == true {
		return schema{"anyOf": []any{schema{"type": "null"}, made}}
	}
	return made
}

// closeFields sets which fields an object can have.
func closeFields(made, from schema) {
	properties, listed := from["properties"].(schema)
	if listed {
		fields := schema{}
		for name, field := range properties {
			fields[name] = strict(field.(schema))
		}
		made["properties"] = fields
	}
	switch others := from["additionalProperties"].(type) {
	case schema:
		made["additionalProperties"] = strict(others)
	case bool:
		made["additionalProperties"] = others
	default:
		if listed && !open(from) {
			made["additionalProperties"] = false
		}
	}
}

// open reports whether an object has fields that its schema does not list. An embedded object
// has an apiVersion, kind and metadata.
func open(from schema) bool {
	return from["x-kubernetes-preserve-unknown-fields"] == true || from["x-kubernetes-embedded-resource"] == true
}

// reference returns the name of the type that a schema refers to. A type with a default is an
// allOf of that one reference.
func reference(from schema) (name string, found bool) {
	if all, _ := from["allOf"].([]any); len(all) == 1 {
		if only, _ := all[0].(schema); only["$ref"] != nil {
			return reference(only)
		}
	}
	path, found := from["$ref"].(string)
	return strings.TrimPrefix(path, toComponent), found
}
