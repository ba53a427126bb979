// Command claims reports for each claim about Hashmark whether the last run of the tests
// showed it: PASS, FAIL, or NOT RUN with the reason.
//
// It runs no tests itself. The claims, and the tests that show them, are in claims.yaml. The
// results are in dist/test, where `make test` writes the output of go test -json, one file for
// each suite. It exits with 1 if a claim failed. A claim that was not run is reported, but is
// not a failure.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed claims.yaml
var claimsFile []byte

func main() {
	failed, err := run(filepath.Join("dist", "test"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// run prints the report of the results in a folder, and returns how many claims failed.
func run(folder string) (failed int, err error) {
	claims, err := parseClaims(claimsFile)
	if err != nil {
		return 0, err
	}
	results, err := readResults(folder)
	if err != nil {
		return 0, err
	}
	return report(os.Stdout, claims, results), nil
}

// readResults reads the results of every suite in the folder. A missing folder has no results.
func readResults(folder string) (outcomes, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	all := outcomes{}
	for _, name := range files {
		if err := readSuite(name, all); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	return all, nil
}

func readSuite(name string, into outcomes) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return into.read(file)
}
