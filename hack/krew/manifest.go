package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// The manifest in krew's version v1alpha2. krew's own types are internal to its programs. Its
// validator checks what is written here.
type (
	plugin struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   map[string]string `json:"metadata"`
		Spec       pluginSpec        `json:"spec"`
	}
	pluginSpec struct {
		Version          string           `json:"version"`
		Homepage         string           `json:"homepage"`
		ShortDescription string           `json:"shortDescription"`
		Description      string           `json:"description"`
		Caveats          string           `json:"caveats"`
		Platforms        []pluginPlatform `json:"platforms"`
	}
	pluginPlatform struct {
		Selector metav1.LabelSelector `json:"selector"`
		URI      string               `json:"uri"`
		SHA256   string               `json:"sha256"`
		Bin      string               `json:"bin"`
		Files    []pluginFile         `json:"files"`
	}
	pluginFile struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
)

const (
	short = "Size login services by measured bcrypt costs" // krew wants at most 50 letters
	long  = `Finds how strong a password hash a login service can afford, on how much CPU, at
which login rate. It creates an experiment of the Hashmark operator, follows it to
its end, shows, saves and compares reports, and answers what-if questions from
stored results. Its exit codes are made for CI.
`
	caveats = `The cluster needs the Hashmark operator:
https://github.com/hashmark-dev/hashmark
To complete names and flags, see: kubectl hashmark completion kubectl --help
`
)

// manifest returns the manifest for these archives.
func (r release) manifest(archives []archive) ([]byte, error) {
	p := plugin{
		APIVersion: "krew.googlecontainertools.github.com/v1alpha2", Kind: "Plugin",
		Metadata: map[string]string{"name": "hashmark"},
		Spec: pluginSpec{
			Version: r.version, Homepage: "https://github.com/hashmark-dev/hashmark",
			ShortDescription: short, Description: long, Caveats: caveats,
		},
	}
	for _, a := range archives {
		p.Spec.Platforms = append(p.Spec.Platforms, pluginPlatform{
			Selector: metav1.LabelSelector{MatchLabels: map[string]string{"os": a.os, "arch": a.arch}},
			URI:      r.url + "/" + r.version + "/" + a.name,
			SHA256:   a.sha256,
			Bin:      a.binary(),
			Files:    []pluginFile{{From: "LICENSE", To: "."}, {From: a.binary(), To: "."}},
		})
	}
	return yaml.Marshal(p)
}
