package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const run = `{"Action":"run","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"run","Package":"p","Test":"TestBad"}
{"Action":"output","Package":"p","Test":"TestBad","Output":"    it is bad\n"}
{"Action":"pass","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestBad","Output":"--- FAIL: TestBad\n"}
{"Action":"fail","Package":"p","Test":"TestBad"}
{"ImportPath":"q","Action":"build-output","Output":"q.go:1: undefined\n"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\n"}
`

func TestBothWaysOfTellingARun(t *testing.T) {
	for _, tt := range []struct {
		name  string
		brief bool
		want  string
	}{
		{"the whole output", false, "=== RUN   TestGood\n    it is bad\n--- FAIL: TestBad\nq.go:1: undefined\nPASS\nok  \tp\n"},
		{"packages and failures only", true, "    it is bad\n--- FAIL: TestBad\nq.go:1: undefined\nok  \tp\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var words strings.Builder
			if err := convert(strings.NewReader(run), &words, tt.brief); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, words.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if err := convert(strings.NewReader("FAIL\n"), &strings.Builder{}, true); err == nil {
		t.Error("input that is not JSON was accepted")
	}
}
