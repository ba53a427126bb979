package main

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/google/licensecheck"
)

// permitted are the licences under which software may be linked into our programs. They ask for
// their text to go along, and at most, as the MPL does, for the source of the module itself.
var permitted = []string{
	"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL", "HPND", "ISC", "MIT", "MPL-2.0", "OFL-1.1",
}

// lucent is in a licence of the kind HPND, in one of k6's modules, that licensecheck does not know.
var lucent = regexp.MustCompile(`(?s)^Copyright \(C\) 1998, 1999 by Lucent Technologies\s.*for any purpose and without fee is hereby\s+granted`)

// classify returns the licences that a text contains, in alphabetical order.
func classify(text string) []string {
	if lucent.MatchString(text) {
		return []string{"HPND"}
	}
	var found []string
	for _, match := range licensecheck.Scan([]byte(text)).Match {
		found = append(found, match.ID)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// exception is what is known about a module whose files don't say it.
type exception struct {
	// license is NOASSERTION, as in SPDX, if nothing is known.
	license string
	// file is the text of the licence in the module, if it has one.
	file string
	note string
}

var exceptions = map[string]exception{
	"github.com/golang/freetype": {
		license: "FTL", file: "licenses/ftl.txt",
		note: "Offered under the FTL or the GPL, used under the FTL. This software is based in part on the work of the FreeType Team.",
	},
	"buf.build/gen/go/prometheus/prometheus/protocolbuffers/go": {
		license: "Apache-2.0",
		note:    "Generated from Prometheus' protocol definitions, which are under this licence. The module itself has no licence file.",
	},
	"github.com/grafana/k6-cloud-openapi-client-go": {
		license: "NOASSERTION",
		note:    "The module states no licence. Grafana Labs publishes it, and distributes it in k6, which is under the AGPL-3.0.",
	},
}

// license sets the module's licences. Unless all are allowed, it returns an error.
func (m *module) license(allowed []string) error {
	if err := m.recognize(); err != nil {
		return err
	}
	for _, license := range m.licenses {
		if !slices.Contains(allowed, license) {
			return fmt.Errorf("%s %s is under %s, and may not be a part of what is shipped: remove the module", m.path, m.version, license)
		}
	}
	return nil
}

// recognize finds out the licences from the texts, or takes them from the exceptions.
func (m *module) recognize() error {
	if known, ok := exceptions[m.path]; ok {
		m.licenses, m.note = []string{known.license}, known.note
		if known.file == "" {
			return nil
		}
		return m.readText(filepath.Join(m.root, known.file))
	}
	for _, name := range slices.Sorted(maps.Keys(m.texts)) {
		if !licenseFile.MatchString(path.Base(name)) {
			continue
		}
		found := classify(m.texts[name])
		if len(found) == 0 {
			return fmt.Errorf("%s of %s %s is no licence that hack/notices knows: read it, and add it to licence.go", name, m.path, m.version)
		}
		m.licenses = append(m.licenses, found...)
	}
	if len(m.licenses) == 0 {
		return fmt.Errorf("%s %s has no licence file, and may not be a part of what is shipped: remove the module", m.path, m.version)
	}
	slices.Sort(m.licenses)
	m.licenses = slices.Compact(m.licenses)
	return nil
}

// licenseFile matches the legal files that are licences. The others are notices.
var licenseFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)`)
