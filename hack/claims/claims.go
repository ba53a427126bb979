package main

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// claim is one thing that Hashmark says of itself.
type claim struct {
	// Claim is a sentence that a user could check.
	Claim string `json:"claim"`
	// Tests show it, all of them together: the package's folder, a dot, the test's
	// name, and, after a slash, the one of its cases that matters.
	Tests []string `json:"tests,omitempty"`
	// NotHere says why no test shows it where the suites run, and what does.
	NotHere string `json:"notHere,omitempty"`
}

// parseClaims reads the list, and refuses a claim that nothing could ever show.
func parseClaims(text []byte) ([]claim, error) {
	var all []claim
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, fmt.Errorf("the list of claims can't be read: %w", err)
	}
	for _, c := range all {
		if (len(c.Tests) == 0) == (c.NotHere == "") {
			return nil, fmt.Errorf("the claim %q needs either tests or notHere", c.Claim)
		}
		for _, test := range c.Tests {
			if folder, name, found := cutTest(test); !found || folder == "" || !strings.HasPrefix(name, "Test") {
				return nil, fmt.Errorf("%q is not of the form folder.TestName", test)
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
