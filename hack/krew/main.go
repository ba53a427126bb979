// Command krew creates a release of the kubectl plugin from its binaries: an archive for each
// platform, with the licence in it, and the manifest for krew. The same binaries give the same
// bytes.
//
//	krew -version=v0.1.0 -binaries=FOLDER -licence=LICENSE -to=FOLDER
//
// Each binary is in a folder with its platform's name, such as linux-amd64.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// release is the input and the output folder of a release.
type release struct {
	version, binaries, licence, to, url string
}

func main() {
	r := release{}
	flag.StringVar(&r.version, "version", "", "the version, such as v0.1.0")
	flag.StringVar(&r.binaries, "binaries", "", "the folder that contains a folder for each platform")
	flag.StringVar(&r.licence, "licence", "LICENSE", "the licence that goes into each archive")
	flag.StringVar(&r.to, "to", "", "the output folder")
	flag.StringVar(&r.url, "url", "https://github.com/hashmark-dev/hashmark/releases/download", "the base URL of release downloads")
	flag.Parse()
	if err := r.make(); err != nil {
		fmt.Fprintln(os.Stderr, "krew:", err)
		os.Exit(1)
	}
}

var semantic = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

func (r release) make() error {
	if !semantic.MatchString(r.version) {
		return fmt.Errorf("invalid version %q; krew requires a semantic version with a v, such as v0.1.0", r.version)
	}
	if err := os.MkdirAll(r.to, 0o750); err != nil {
		return err
	}
	var made []archive
	for _, p := range platforms {
		a, err := r.archive(p)
		if err != nil {
			return fmt.Errorf("%s-%s: %w", p.os, p.arch, err)
		}
		made = append(made, a)
	}
	text, err := r.manifest(made)
	return errors.Join(err, os.WriteFile(filepath.Join(r.to, "hashmark.yaml"), text, 0o644))
}
