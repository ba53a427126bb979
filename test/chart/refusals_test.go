//go:build helm

package chart_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// helms returns the supported versions of Helm.
func helms(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, name := range []string{"HASHMARK_HELM", "HASHMARK_HELM3"} {
		found[name] = os.Getenv(name)
		if found[name] == "" {
			t.Fatalf("%s is not set; run `make test-unit`, which builds Helm first, or set it to a Helm binary", name)
		}
	}
	return found
}

// TestWrongValuesAreRefused sets common mistakes. Each error names the key.
func TestWrongValuesAreRefused(t *testing.T) {
	tests := map[string]struct {
		set  string
		want string
	}{
		"a key that is misspelt":               {"operator.replica=2", "'/operator': additional properties 'replica' not allowed"},
		"an unknown key":                       {"tolerations=[]", "additional properties 'tolerations' not allowed"},
		"a word for a number":                  {`operator.replicas="two"`, "'/operator/replicas': got string, want integer"},
		"fewer replicas than none":             {"operator.replicas=-1", "'/operator/replicas': minimum"},
		"a word for a boolean":                 {`operator.leaderElection="yes"`, "'/operator/leaderElection': got string, want boolean"},
		"more concurrent trials than allowed":  {"operator.maxConcurrentTrials=65", "'/operator/maxConcurrentTrials': maximum"},
		"a time without a unit":                {`operator.startTimeout="300"`, "'/operator/startTimeout': '300' does not match pattern"},
		"a time that is a number":              {"operator.startTimeout=300", "'/operator/startTimeout': got number, want string"},
		"a memory limit with an unknown unit":  {`operator.resources={"limits":{"memory":"256MB"}}`, "'/operator/resources/limits/memory': '256MB' does not match pattern"},
		"a flag without dashes":                {`operator.extraArgs=["verbose"]`, "'/operator/extraArgs/0': 'verbose' does not match pattern"},
		"a label that the chart sets itself":   {`operator.podLabels={"app.kubernetes.io/name":"x"}`, "'/operator/podLabels'"},
		"a label that is a number":             {`commonLabels={"cost":42}`, "'/commonLabels/cost': got number, want string"},
		"a tag for a digest":                   {`operator.image.digest="v1"`, "'/operator/image/digest': 'v1' does not match pattern"},
		"a digest that is cut off":             {`loginService.image.digest="sha256:abc"`, "'/loginService/image/digest': 'sha256:abc' does not match pattern"},
		"a tag that YAML takes for a number":   {"image.tag=1.2", "'/image/tag': got number, want string"},
		"a registry with a scheme":             {`image.registry="https://registry.example.com"`, "'/image/registry': 'https://registry.example.com' does not match pattern"},
		"a pull policy in small letters":       {`image.pullPolicy="always"`, "'/image/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'"},
		"a repository that holds its tag":      {`generator.image.repository="generator:v1"`, "'/generator/image/repository': 'generator:v1' does not match pattern"},
		"a limit of nothing":                   {`generator.cpuLimit="0"`, "'/generator/cpuLimit': '0' does not match pattern"},
		"a toleration without an effect":       {`generator.tolerations=[{"key":"a"}]`, "'/generator/tolerations/0': missing property 'effect'"},
		"a budget of all replicas":             {`podDisruptionBudget.minAvailable="100%"`, "'/podDisruptionBudget/minAvailable': '100%' does not match pattern"},
		"a namespace in capitals":              {`watchNamespaces=["Team"]`, "'/watchNamespaces/0': 'Team' does not match pattern"},
		"a namespace twice":                    {`watchNamespaces=["a","a"]`, "'/watchNamespaces': items at 0 and 1 are equal"},
		"namespaces in one word":               {`watchNamespaces="a,b"`, "'/watchNamespaces': got string, want array"},
		"a port that only root may open":       {"metrics.port=443", "'/metrics/port': minimum"},
		"the port that answers probes":         {"metrics.port=8081", "'/metrics/port': 'not' failed"},
		"no experiment with series":            {"metrics.maxExperiments=0", "'/metrics/maxExperiments': minimum"},
		"a reader without a namespace":         {`metrics.readers=[{"name":"prometheus"}]`, "'/metrics/readers/0': missing property 'namespace'"},
		"an unknown render mode":               {`metrics.serviceMonitor.renderMode="skip"`, "'/metrics/serviceMonitor/renderMode': value must be one of 'skipIfMissing', 'failIfMissing', 'alwaysRender'"},
		"an interval of a rule":                {`metrics.prometheusRule.interval="30s"`, "'/metrics/prometheusRule': additional properties 'interval' not allowed"},
		"an empty peer, which means everybody": {"networkPolicy.metricsFrom=[{}]", "'/networkPolicy/metricsFrom/0': minProperties"},
		"no port of the API server":            {"networkPolicy.apiServerPorts=[]", "'/networkPolicy/apiServerPorts': minItems"},
		"a URL with credentials":               {`k6.remoteWrite.url="http://a:b@prometheus/api/v1/write"`, "'/k6/remoteWrite/url': 'http://a:b@prometheus/api/v1/write' does not match pattern"},
		"an invalid URL":                       {`k6.remoteWrite.url="prometheus:9090"`, "'/k6/remoteWrite/url': 'prometheus:9090' does not match pattern"},
		"a Secret's path for its name":         {`k6.remoteWrite.secretName="team/k6"`, "'/k6/remoteWrite/secretName': 'team/k6' does not match pattern"},
	}
	for variable, helm := range helms(t) {
		for name, test := range tests {
			t.Run(variable+"/"+name, func(t *testing.T) {
				output, err := exec.CommandContext(t.Context(), helm, "template", "hashmark", source, "--set-json", test.set).CombinedOutput()
				if err == nil || !strings.Contains(string(output), test.want) {
					t.Errorf("%s: %v, output %.500q, want %q in it", test.set, err, output, test.want)
				}
			})
		}
	}
}
