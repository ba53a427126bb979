// Command schemas makes JSON schemas for kubeconform out of what Kubernetes
// publishes of itself: a file a kind, named as kubeconform looks for it, which
// holds all that it refers to.
//
//	schemas SPEC FOLDER          writes those of every kind of SPEC
//	schemas SPEC FOLDER CRD...   writes those of the kinds that the files define
//
// SPEC is the folder api/openapi-spec/v3 of a release of Kubernetes. What a
// schema refuses: fields that do not exist, values of another type, and what
// patterns, enumerations and bounds say. What it does not know: rules in CEL,
// and whatever a server checks in its own code.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) < 2 {
		return errors.New("say SPEC, FOLDER, and the files of definitions if it is about these")
	}
	from, folder, definitions := arguments[0], arguments[1], arguments[2:]
	parts, err := readComponents(os.DirFS(from))
	if err != nil {
		return fmt.Errorf("%s is no OpenAPI specification of Kubernetes: %w", from, err)
	}
	if len(definitions) == 0 {
		return write(folder, parts.ofKinds())
	}
	all := map[string]schema{}
	for _, name := range definitions {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		made, err := parts.ofDefinition(text)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		maps.Copy(all, made)
	}
	return write(folder, all)
}

// write makes the folder and a file in it for each schema.
func write(folder string, all map[string]schema) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	for name, content := range all {
		text, err := json.Marshal(content)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
