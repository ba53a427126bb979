// Package crd embeds a definition that is installed in clusters, for programs that check values without one.
package crd

import _ "embed"

// SizingExperiments is the CustomResourceDefinition of SizingExperiments, as YAML.
//
//go:embed hashmark.dev_sizingexperiments.yaml
var SizingExperiments []byte
