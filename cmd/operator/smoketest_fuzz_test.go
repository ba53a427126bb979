package main

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// FuzzSmokeTestFlags: flags that are accepted name a namespace that can exist, and a time that
// passes.
func FuzzSmokeTestFlags(f *testing.F) {
	f.Add("--namespace=team-a\n--timeout=10m")
	f.Add("--namespace=a.b\n--timeout=1s")
	f.Add("--namespace=team-a\n--timeout=-1h\nrest")
	f.Fuzz(func(t *testing.T, arguments string) {
		test, err := parseSmokeTest(strings.Split(arguments, "\n"))
		if err != nil {
			return
		}
		if len(validation.IsDNS1123Label(test.namespace)) > 0 || test.timeout < time.Second {
			t.Errorf("accepted namespace %q and timeout %s", test.namespace, test.timeout)
		}
	})
}
