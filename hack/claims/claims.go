package main

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// claim is a statement about Hashmark.
type claim struct {
	// Claim is a sentence that a user can check.
	Claim string `json:"claim"`
	// Tests are the tests that together show the claim: the package's folder, a dot, the
	// test's name and, after a slash, the relevant subtest.
	Tests []string `json:"tests,omitempty"`
	// NotHere says why no test of the suites shows it, and what does.
	NotHere string `json:"notHere,omitempty"`
}

// parseClaims parses the list. It returns an error for a claim that can't be shown.
func parseClaims(text []byte) ([]claim, error) {
	var all []claim
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, fmt.Errorf("parsing the list of claims: %w", err)
	}
	for _, c := range all {
		if (len(c.Tests) == 0) == (c.NotHere == "") {
			return nil, fmt.Errorf("the claim %q needs either tests or notHere", c.Claim)
		}
		for _, test := range c.Tests {
			if folder, name, found := cutTest(test); !found || folder == "" || !strings.HasPrefix(name, "Test") {
				return nil, fmt.Errorf("%q does not have the form folder.TestName", test)
			}
		}
	}
	return all, nil
}

// cutTest splits the name of a test into its package's folder and the rest.
func cutTest(test string) (folder, name string, found bool) {
	at := strings.Index(test, ".Test")
	if at < 0 {
		return "", "", false
	}
	return test[:at], test[at+1:], true
}
