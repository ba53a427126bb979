package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// repository is the root of the tree, relative to this package.
const repository = "../.."

func TestEveryTestThatAClaimNamesExists(t *testing.T) {
	claims, err := parseClaims(claimsFile)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]string{}
	for _, c := range claims {
		for _, test := range c.Tests {
			folder, name, _ := cutTest(test)
			name, _, _ = strings.Cut(name, "/")
			if declared[folder] == "" {
				declared[folder] = sources(t, folder)
			}
			if !strings.Contains(declared[folder], "\nfunc "+name+"(t *testing.T)") {
				t.Errorf("the claim %q refers to %s, which does not exist", c.Claim, test)
			}
		}
	}
}

func TestEveryEndToEndTestShowsAClaim(t *testing.T) {
	claims, err := parseClaims(claimsFile)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, c := range claims {
		for _, test := range c.Tests {
			folder, name, _ := cutTest(test)
			name, _, _ = strings.Cut(name, "/")
			named[folder+"."+name] = true
		}
	}
	for _, match := range regexp.MustCompile(`\nfunc (Test\w+)\(t `).FindAllStringSubmatch(sources(t, "test/e2e"), -1) {
		if !named["test/e2e."+match[1]] {
			t.Errorf("%s shows no claim of claims.yaml", match[1])
		}
	}
}

// sources returns the text of all tests in a folder.
func sources(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s contains no tests: %v", folder, err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func TestClaimsThatNothingCouldShowAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a claim without tests says why", "- claim: x\n", "needs either tests or notHere"},
		{"a claim with tests is not excused", "- {claim: x, tests: [a.TestB], notHere: y}\n", "needs either tests or notHere"},
		{"a test has a folder", "- {claim: x, tests: [TestB]}\n", "does not have the form folder.TestName"},
		{"an unknown field is an error", "- {claim: x, test: [a.TestB]}\n", "parsing the list of claims"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parseClaims([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// events are output of go test -json, reduced to the fields that are read.
const events = `{"Action":"start","Package":"github.com/hashmark-dev/hashmark/a"}
{"Action":"run","Package":"github.com/hashmark-dev/hashmark/a","Test":"TestGood"}
{"Action":"output","Package":"github.com/hashmark-dev/hashmark/a","Test":"TestGood","Output":"--- PASS"}
{"Action":"pass","Package":"github.com/hashmark-dev/hashmark/a","Test":"TestGood"}
{"Action":"run","Package":"github.com/hashmark-dev/hashmark/a","Test":"TestBad"}
{"Action":"fail","Package":"github.com/hashmark-dev/hashmark/a","Test":"TestBad"}
{"Action":"run","Package":"github.com/hashmark-dev/hashmark/a","Test":"TestCutOff"}
{"Action":"fail","Package":"github.com/hashmark-dev/hashmark/a"}
`

func TestOutcomesAreReadFromGoTest(t *testing.T) {
	got := outcomes{"a.TestBad": passed, "b.TestOther": passed}
	if err := got.read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	want := outcomes{"a.TestGood": passed, "a.TestBad": failed, "a.TestCutOff": failed, "b.TestOther": passed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := got.read(strings.NewReader("FAIL\n")); err == nil {
		t.Error("output that is not JSON was accepted")
	}
}

func TestTheReportTellsOfEveryClaim(t *testing.T) {
	claims := []claim{
		{Claim: "It works.", Tests: []string{"a.TestGood"}},
		{Claim: "It works everywhere.", Tests: []string{"a.TestGood", "a.TestBad", "a.TestNever"}},
		{Claim: "It will work.", Tests: []string{"a.TestGood", "a.TestNever"}},
		{Claim: "It was left out.", Tests: []string{"a.TestSkipped"}},
		{Claim: "It works elsewhere.", NotHere: "Nobody is there to look."},
	}
	var text strings.Builder
	failures := report(&text, claims, outcomes{"a.TestGood": passed, "a.TestBad": failed, "a.TestSkipped": skipped})
	want := `PASS     It works.
         by a.TestGood
FAIL     It works everywhere.
         by a.TestBad
NOT RUN  It will work.
         the last run left out a.TestNever; run make test
NOT RUN  It was left out.
         the last run left out a.TestSkipped; run make test
NOT RUN  It works elsewhere.
         Nobody is there to look.

5 claims: 1 shown, 1 failed, 3 not run
`
	if diff := cmp.Diff(want, text.String()); diff != "" || failures != 1 {
		t.Errorf("%d failures, %s", failures, diff)
	}
}
