package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	apache = "Licensed under the Apache License, Version 2.0"
	mpl    = `This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not
		distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/.`
	gpl = `This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public
		License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.`
)

// A program with one module is resolved by the go command, so that the test also covers which
// files are found.
func TestAProgramIsShippedOnlyUnderPermittedLicences(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		also  string
		want  string // what is listed or, after "refused: ", the error
	}{
		"a permitted licence":                     {files: map[string]string{"LICENSE": apache}, want: "example.com/part v1.0.0 (Apache-2.0) [3]"},
		"a licence beside the package":            {files: map[string]string{"License.md": apache, "inner/LICENSE-MPL": mpl, "NOTICE": "A notice."}, want: "example.com/part v1.0.0 (Apache-2.0, MPL-2.0) [3 4 5]"},
		"a licence of a package that is not used": {files: map[string]string{"LICENSE": apache, "other/LICENSE": gpl}, want: "example.com/part v1.0.0 (Apache-2.0) [3]"},
		"the GPL":                               {files: map[string]string{"LICENSE": gpl}, want: "refused: example.com/part v1.0.0 is under GPL-3.0-or-later, and may not be a part of what is shipped: remove the module"},
		"the GPL beside a permitted licence":    {files: map[string]string{"LICENSE": apache, "COPYING": gpl}, want: "refused: example.com/part v1.0.0 is under GPL-3.0-or-later, and may not be a part of what is shipped: remove the module"},
		"a licence that is permitted by a flag": {files: map[string]string{"LICENSE": gpl}, also: "AGPL-3.0,GPL-3.0-or-later", want: "example.com/part v1.0.0 (GPL-3.0-or-later) [3]"},
		"an unknown licence":                    {files: map[string]string{"LICENSE": "Mine."}, want: "refused: LICENSE of example.com/part v1.0.0 is no licence that hack/notices knows: read it, and add it to licence.go"},
		"no licence but a notice":               {files: map[string]string{"NOTICE": apache}, want: "refused: example.com/part v1.0.0 has no licence file, and may not be a part of what is shipped: remove the module"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := program(t, test.files)
			var output strings.Builder
			err := run([]string{"-C", folder, "-also", test.also, "."}, &output)
			if refusal, refused := strings.CutPrefix(test.want, "refused: "); refused {
				if err == nil || err.Error() != refusal {
					t.Errorf("error %v, want %s", err, refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(output.String(), "\n"+test.want+"\n") {
				t.Errorf("want the line %q in:\n%s", test.want, output.String())
			}
		})
	}
}

// program writes a program that imports example.com/part/inner, and the files of that module.
func program(t *testing.T, part map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{
		"go.mod":              "module example.com/program\n\ngo 1.26\n\nrequire example.com/part v1.0.0\n\nreplace example.com/part => ./part\n",
		"main.go":             "package main\n\nimport _ \"example.com/part/inner\"\n\nfunc main() {}\n",
		"part/go.mod":         "module example.com/part\n\ngo 1.26\n",
		"part/inner/inner.go": "package inner\n",
	}
	for name, text := range part {
		files["part/"+name] = text
	}
	for name, text := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestEachTextIsWrittenOnce(t *testing.T) {
	modules := []module{
		{path: "a", version: "v1", licenses: []string{"MIT"}, texts: map[string]string{"LICENSE": "same\n", "NOTICE": "other"}},
		{path: "b", version: "v2", licenses: []string{"MIT"}, texts: map[string]string{"COPYING": "same\r\n"}, note: "By hand."},
		{path: "c", version: "v3", licenses: []string{"MIT"}},
	}
	line := strings.Repeat("=", 80)
	want := heading + `a v1 (MIT) [1 2]
b v2 (MIT) [1]
    By hand.
c v3 (MIT)

` + line + `
[1] LICENSE

same

` + line + `
[2] NOTICE

other
`
	if diff := cmp.Diff(want, document(modules)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

// What hack/images.sh and hack/krew.sh ship is checked here already, before anything is built.
func TestOurProgramsMayBeShipped(t *testing.T) {
	for _, name := range []string{"operator", "loginservice", "loadrunner", "kubectl-hashmark"} {
		t.Run(name, func(t *testing.T) {
			if err := run([]string{"-C", "../..", "./cmd/" + name}, &strings.Builder{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// The copies of Go's licence are those of the Go that runs the test, unless its distributor has
// left them out.
func TestGosLicenceIsUpToDate(t *testing.T) {
	for _, name := range []string{"LICENSE", "PATENTS"} {
		original, err := os.ReadFile(filepath.Join(goroot(t), name))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		copied, err := golang.ReadFile("golang/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(original), string(copied)); diff != "" {
			t.Errorf("%s (-Go's +ours):\n%s", name, diff)
		}
	}
}

func goroot(t *testing.T) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(output))
}
