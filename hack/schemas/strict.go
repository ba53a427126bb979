package main

import "strings"

// schema is a JSON schema, or a part of one, as encoding/json reads it.
type schema = map[string]any

// Where references lead: in a specification, and in the files made of it.
const (
	toComponent  = "#/components/schemas/"
	toDefinition = "#/definitions/"
)

// validating are the keywords that are copied as they stand. Of the others some
// are for readers (description, default), which would make up most of each file,
// and some are read by strict.
var validating = []string{
	"type", "format", "enum", "pattern", "required", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	// What these hold adds conditions to a field and lists no fields of its own,
	// so that closing it would refuse what stands beside it.
	"allOf", "anyOf", "oneOf", "not",
}

// strict translates a schema of OpenAPI 3.0, as Kubernetes writes them, into one
// of JSON schema draft 4: an object has the fields that are listed and no other.
// A null is refused where the field is not declared nullable, although a server
// would drop it: in a manifest it is a block that somebody left empty.
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

// closeFields says which fields an object may have.
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

// open tells whether an object has fields that its schema does not list. A whole
// object inside another has its apiVersion, kind and metadata.
func open(from schema) bool {
	return from["x-kubernetes-preserve-unknown-fields"] == true || from["x-kubernetes-embedded-resource"] == true
}

// reference finds the name of the type that a schema stands for. A type with a
// default comes as an allOf of that one reference.
func reference(from schema) (name string, found bool) {
	if all, _ := from["allOf"].([]any); len(all) == 1 {
		if only, _ := all[0].(schema); only["$ref"] != nil {
			return reference(only)
		}
	}
	path, found := from["$ref"].(string)
	return strings.TrimPrefix(path, toComponent), found
}
