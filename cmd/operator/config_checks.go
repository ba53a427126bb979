package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hashmark-dev/hashmark/internal/objects"
)

func oneOf(name, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	last := len(values) - 1
	return fmt.Errorf("%s must be %s or %s, not %q", name, strings.Join(values[:last], ", "), values[last], value)
}

func positive(name, value string) error {
	if q, err := resource.ParseQuantity(value); err != nil || q.Sign() <= 0 {
		return fmt.Errorf("%s must be a quantity above 0, not %q", name, value)
	}
	return nil
}

func checkNamespaces(names []string) error {
	for i, name := range names {
		if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 {
			return fmt.Errorf("watchNamespaces: %q is not a valid namespace name", name)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("watchNamespaces: namespace %s is listed twice", name)
		}
	}
	return nil
}

// checkRepositories refuses an entry that has a tag or a digest, which would admit nothing, or the
// wrong thing.
func checkRepositories(field string, repositories []string) error {
	for _, repository := range repositories {
		last := repository[strings.LastIndex(repository, "/")+1:]
		if repository == "" || strings.ContainsAny(repository, " @*") || strings.Contains(last, ":") && strings.Contains(repository, "/") {
			return fmt.Errorf("%s: %q is not a repository such as registry.example/team; leave out tags, digests, wildcards and spaces", field, repository)
		}
	}
	return nil
}

func outOfRange(n, high int) bool { return n < 1 || n > high }

// checkPlacement refuses labels and taints with which the API server refuses every pod.
func checkPlacement(of string, nodeSelector map[string]string, tolerations []corev1.Toleration) error {
	for key, value := range nodeSelector {
		if err := checkLabel(key, value); err != nil {
			return fmt.Errorf("%s.nodeSelector: %w", of, err)
		}
	}
	for _, t := range tolerations {
		if err := checkToleration(t); err != nil {
			return fmt.Errorf("%s.tolerations: %w", of, err)
		}
	}
	return nil
}

// checkPods refuses settings with which the API server refuses every pod, or that would replace Hashmark's own labels.
func checkPods(pods objects.PodSettings, generator generatorConfiguration) error {
	var mirrors []string
	for _, m := range pods.ImageMirrors {
		mirrors = append(mirrors, m.Source, m.Mirror)
	}
	if user := pods.RunAsUser; user != nil && (*user < 1 || *user > math.MaxInt32) {
		return fmt.Errorf("trialPods.runAsUser is %d; use a user ID above 0, or null to leave it to the platform", *user)
	}
	for key, value := range generator.NodeSelector {
		if given, has := pods.NodeSelector[key]; has && given != value {
			return fmt.Errorf("generator.nodeSelector has %s=%s, and trialPods.nodeSelector %s=%s; no node has both", key, value, key, given)
		}
	}
	return cmp.Or(checkPodLabels(pods), checkPodNames(pods), checkRepositories("trialPods.imageMirrors", mirrors))
}

func checkPodLabels(pods objects.PodSettings) error {
	for _, key := range slices.Concat(slices.Sorted(maps.Keys(pods.Labels)), pods.InheritedLabels) {
		if err := checkLabel(key, pods.Labels[key]); err != nil {
			return fmt.Errorf("trialPods.labels and inheritedLabels: %w", err)
		}
		if strings.HasPrefix(key, "hashmark.dev/") {
			return fmt.Errorf("trialPods.labels and inheritedLabels: %q is reserved; use another label", key)
		}
	}
	for key := range pods.Annotations {
		if wrong := validation.IsQualifiedName(strings.ToLower(key)); len(wrong) > 0 {
			return fmt.Errorf("trialPods.annotations: %q is not a key of Kubernetes: %s", key, strings.Join(wrong, "; "))
		}
	}
	return nil
}

func checkPodNames(pods objects.PodSettings) error {
	type named struct{ field, name string }
	var names []named
	for _, secret := range pods.ImagePullSecrets {
		names = append(names, named{"imagePullSecrets", cmp.Or(secret.Name, "?")}) // an entry without a name is no Secret
	}
	names = append(names, named{"priorityClassName", pods.PriorityClassName}, named{"runtimeClassName", pods.RuntimeClassName})
	for _, n := range names {
		if wrong := validation.IsDNS1123Subdomain(n.name); n.name != "" && len(wrong) > 0 {
			return fmt.Errorf("trialPods.%s: %q is not a name of Kubernetes", n.field, n.name)
		}
	}
	return nil
}

func checkToleration(t corev1.Toleration) error {
	effects := []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule}
	switch {
	case !slices.Contains(effects, t.Effect):
		return fmt.Errorf("the effect %q is not NoSchedule, PreferNoSchedule or NoExecute", t.Effect)
	case !slices.Contains([]corev1.TolerationOperator{"", corev1.TolerationOpEqual, corev1.TolerationOpExists}, t.Operator):
		return fmt.Errorf("the operator %q is not Equal or Exists", t.Operator)
	case t.Operator == corev1.TolerationOpExists && t.Value != "":
		return fmt.Errorf("the operator Exists allows no value, but %s has %q", t.Key, t.Value)
	case t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute:
		return errors.New("tolerationSeconds is for the effect NoExecute only")
	case t.Key == "" && t.Operator != corev1.TolerationOpExists:
		return errors.New("a toleration without a key requires operator: Exists")
	case t.Key == "":
		return nil
	}
	return checkLabel(t.Key, t.Value)
}

// checkLabel returns an error for a label or taint with which the API server refuses every pod.
func checkLabel(key, value string) error {
	if wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
		return fmt.Errorf("%q with the value %q is not a label of Kubernetes: %s", key, value, strings.Join(wrong, "; "))
	}
	return nil
}
