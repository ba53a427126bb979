package lifecycle

import (
	"regexp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// advice is what helps against what a cluster requires of pods, by what its refusals say. The first that matches counts.
var advice = []struct {
	says *regexp.Regexp
	do   string
}{
	{
		regexp.MustCompile(`must specify`),
		"A LimitRange of the namespace can set the default of what the quota wants every container to have",
	},
	{
		regexp.MustCompile(`exceeded quota|failed quota`),
		"Raise the quota, or lower spec.matrix.cpuLimits, spec.service.memoryLimit or spec.generator.cpuLimit; the operator's generator.memoryLimit is an administrator's",
	},
	{
		// LimitRanger's own words.
		regexp.MustCompile(`(cpu|memory|storage) .*per (Container|Pod)`),
		"The login service has the limits of spec.matrix.cpuLimits and spec.service.memoryLimit, and the load generator those of spec.generator.cpuLimit and the operator's generator.memoryLimit; its requests are equal to its limits",
	},
	{
		regexp.MustCompile(`(?i)cpu.{0,40}limit|limit.{0,40}cpu`),
		"Hashmark measures with CPU limits, also where services run without: ask for an exemption for pods with the label " + v1beta1.LabelComponent + ", and use the size as requests (docs/support.md)",
	},
	{
		regexp.MustCompile(`(?i)runAsUser|runAsGroup|user id|uid range`),
		"An administrator can leave the user to the platform with trialPods.runAsUser=platform",
	},
	{
		regexp.MustCompile(`(?i)\blabels?\b|annotation`),
		"An administrator can add labels and annotations with trialPods.labels, annotations and inheritedLabels",
	},
	{
		regexp.MustCompile(`(?i)pull ?secret`),
		"An administrator can name pull secrets with trialPods.imagePullSecrets",
	},
	{
		regexp.MustCompile(`(?i)registr(y|ies)|\bimages?\b`),
		"An administrator sets the registry of Hashmark's images with image.registry; that of your own is in service.own.image",
	},
	{
		regexp.MustCompile(`(?i)priority ?class|runtime ?class|toleration|node ?selector`),
		"An administrator can set it with trialPods",
	},
}

// adviceOn returns what helps against a refusal, as a sentence without its full stop, or "".
func adviceOn(message string) string {
	for _, a := range advice {
		if a.says.MatchString(message) {
			return a.do
		}
	}
	return ""
}
