package main

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// FuzzFlags: flags that are accepted name labels and taints that pods can have, and numbers within
// their bounds.
func FuzzFlags(f *testing.F) {
	f.Add("--max-concurrent-trials=2\n--watch-namespaces=team-a,team-b\n--generator-toleration=load=true:NoSchedule")
	f.Add("--generator-node-selector=example.com/role=load\n--remote-write-url=http://prometheus.monitoring.svc:9090/api/v1/write")
	f.Add("--generator-node-selector=a b=c\n--generator-toleration=é:NoExecute")
	f.Add("--generator-cpu-limit=1e309\n--start-timeout=9223372036854775807ns")
	f.Fuzz(func(t *testing.T, arguments string) {
		read, err := parse(append(images[:2:2], strings.Split(arguments, "\n")...))
		if err != nil {
			return
		}
		if outOfRange(read.maxConcurrentTrials, 64) || outOfRange(read.metricsMaxExperiments, 10_000) {
			t.Errorf("accepted %+v", read)
		}
		for key, value := range read.settings.GeneratorNodeSelector {
			checkAsInPods(t, key, value)
		}
		for _, toleration := range read.settings.GeneratorTolerations {
			checkAsInPods(t, toleration.Key, toleration.Value)
		}
	})
}

func checkAsInPods(t *testing.T, key, value string) {
	t.Helper()
	if problems := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(problems) > 0 {
		t.Errorf("accepted %q=%q: %v", key, value, problems)
	}
}
