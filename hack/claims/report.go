package main

import (
	"fmt"
	"io"
	"strings"
)

// The verdicts on a claim.
const (
	pass   = "PASS"
	fail   = "FAIL"
	notRun = "NOT RUN"
)

// report prints a line for each claim and a summary, and returns how many claims failed.
func report(to io.Writer, claims []claim, results outcomes) int {
	count := map[string]int{}
	for _, c := range claims {
		verdict, why := judge(c, results)
		count[verdict]++
		fmt.Fprintf(to, "%-7s  %s\n         %s\n", verdict, c.Claim, why)
	}
	fmt.Fprintf(to, "\n%d claims: %d shown, %d failed, %d not run\n", len(claims), count[pass], count[fail], count[notRun])
	return count[fail]
}

// judge returns the verdict on a claim, and the tests that it is based on.
func judge(c claim, results outcomes) (verdict, why string) {
	if c.NotHere != "" {
		return notRun, c.NotHere
	}
	var bad, absent []string
	for _, test := range c.Tests {
		switch results[test] {
		case passed:
		case failed:
			bad = append(bad, test)
		default:
			absent = append(absent, test)
		}
	}
	switch {
	case len(bad) > 0:
		return fail, "by " + strings.Join(bad, ", ")
	case len(absent) > 0:
		return notRun, "the last run left out " + strings.Join(absent, ", ") + "; run make test"
	default:
		return pass, "by " + strings.Join(c.Tests, ", ")
	}
}
