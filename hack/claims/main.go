// Command claims says of each thing that Hashmark claims whether the last run of
// the tests showed it: PASS, FAIL, or NOT RUN with the reason.
//
// It runs no test itself. What is claimed, and which tests show it, stands in
// claims.yaml; what the tests said stands in dist/test, where `make test` leaves
// the output of go test -json, one file a suite. It exits with 1 when a claim
// failed: one that was not run is told, and is no failure.
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

// run prints the report of the results that lie in a folder, and tells how many
// claims failed.
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

// readResults reads what every suite of the folder said. No folder is no result.
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
