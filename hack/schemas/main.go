// Command schemas generates JSON schemas for kubeconform from Kubernetes' OpenAPI
// specification: one self-contained file for each kind, named as kubeconform expects it.
//
//	schemas SPEC FOLDER          writes the schemas of every kind of SPEC
//	schemas SPEC FOLDER CRD...   writes the schemas of the kinds that the files define
//
// SPEC is the folder api/openapi-spec/v3 of a release of Kubernetes. A schema refuses unknown
// fields, values of another type, and violations of patterns, enumerations and bounds. It does
// not check CEL rules or what a server validates in code.
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
		return errors.New("usage: schemas SPEC FOLDER [CRD...]")
	}
	from, folder, definitions := arguments[0], arguments[1], arguments[2:]
	parts, err := readComponents(os.DirFS(from))
	if err != nil {
		return fmt.Errorf("%s is not an OpenAPI specification of Kubernetes: %w", from, err)
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

// write creates the folder and a file in it for each schema.
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
