package objects_test

import (
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

func TestOnlyImagesOfAllowedRepositoriesAreDeployed(t *testing.T) {
	for _, test := range []struct {
		allowed []string
		image   string
		want    bool
	}{
		{nil, "registry.example/team/login:v1", false},
		{[]string{""}, "registry.example/team/login:v1", false},
		{[]string{"registry.example/team"}, "registry.example/team/login:v1", true},
		{[]string{"registry.example/team/"}, "registry.example/team/login@sha256:0123", true},
		{[]string{"registry.example/team/login"}, "registry.example/team/login:v1", true},
		{[]string{"registry.example/team/login"}, "registry.example/team/login@sha256:0123", true},
		{[]string{"registry.example/team"}, "registry.example/team-evil/login:v1", false},
		{[]string{"registry.example/team/login"}, "registry.example/team/login2:v1", false},
		{[]string{"registry.example"}, "registry.example.evil/team/login:v1", false},
		{[]string{"registry.example"}, "registry.example/team/login:v1", true},
		{[]string{"registry.example"}, "registry.example:5000/team/login:v1", false},
		{[]string{"registry.example:5000"}, "registry.example:5000/team/login:v1", true},
		{[]string{"registry.example/team"}, "evil.example/registry.example/team/login", false},
		{[]string{"registry.example/team"}, "registry.example/team", false},
		{[]string{"other.example", "registry.example/team"}, "registry.example/team/login", true},
	} {
		settings := objects.Settings{AllowedServiceImages: test.allowed}
		err := settings.CheckImages(v1beta1.Service{Own: &v1beta1.OwnService{Image: test.image}})
		if (err == nil) != test.want {
			t.Errorf("with %q, %s: %v", test.allowed, test.image, err)
		}
	}
	if err := settings().CheckImages(v1beta1.Service{}); err != nil {
		t.Errorf("Hashmark's own service: %v", err)
	}
	_, err := objects.New(settings(), ownTrial(), 1, deadline)
	if _, is := errors.AsType[*objects.ImageNotAllowedError](err); !is {
		t.Errorf("the objects of a forbidden image: %v", err)
	}
}

// A script runs in the load generator, where it could read the credentials of a receiver and reach it.
func TestTheGeneratorOfAScriptKnowsNoReceiver(t *testing.T) {
	with := fullSettings()
	with.AllowedServiceImages = ownSettings().AllowedServiceImages
	for name, test := range map[string]struct {
		trial *v1beta1.SizingTrial
		sends bool
	}{"steps": {ownTrial(), true}, "a script": {scriptTrial(), false}} {
		attempt := mustNew(t, with, test.trial)
		job, err := attempt.Job(load())
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal([]any{job, attempt.GeneratorPolicy()})
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"K6_PROMETHEUS_RW", "k6-remote-write", "monitoring"} {
			if strings.Contains(string(text), word) != test.sends {
				t.Errorf("with %s, %q in the Job and its policy: %t, want %t", name, word, !test.sends, test.sends)
			}
		}
	}
}

// longestText is what Linux takes as one argument, or as one variable with its name, in bytes.
const longestText = 128 << 10

// Linux would refuse to start a program with a longer text, and the turn would be held until the start
// timeout.
func TestALargestSpecFitsIntoTheVariablesOfItsProcesses(t *testing.T) {
	for place, put := range map[string]func(own *v1beta1.OwnService, text string){
		"a file":      func(own *v1beta1.OwnService, text string) { own.Files[1].Content = text },
		"an argument": func(own *v1beta1.OwnService, text string) { own.Args[0] = text },
		"a variable":  func(own *v1beta1.OwnService, text string) { own.Env[0].Value = text },
		"a body":      func(own *v1beta1.OwnService, text string) { own.Login.Setup[0].Body = text },
		"a script":    func(own *v1beta1.OwnService, text string) { own.Login.Steps, own.Login.Script = nil, text },
	} {
		for _, character := range []string{"a", "<", "&", "$", `"`, "\x01", "\u2028", "é", "世"} {
			own := func(n int) *v1beta1.SizingTrial {
				trial := ownTrial()
				put(trial.Spec.Service.Own, strings.Repeat(character, n))
				return trial
			}
			largest := sort.Search(longestText, func(n int) bool {
				return matrix.CheckSize(v1beta1.SizingExperimentSpec{Service: own(n).Spec.Service}) != nil
			}) - 1
			checkTexts(t, place+" of "+character, mustNew(t, ownSettings(), own(largest)))
		}
	}
}

// checkTexts checks all arguments and variables of an attempt's containers.
func checkTexts(t *testing.T, what string, attempt objects.Builder) {
	t.Helper()
	job, err := attempt.Job(load())
	if err != nil {
		t.Fatal(err)
	}
	pods, longest := []corev1.PodSpec{attempt.Deployment(nil).Spec.Template.Spec, job.Spec.Template.Spec}, 0
	for _, pod := range pods {
		for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
			texts := slices.Concat(container.Command, container.Args)
			for _, variable := range container.Env {
				texts = append(texts, variable.Name+"="+variable.Value)
			}
			for _, text := range texts {
				started := strings.ReplaceAll(text, "$$", "$") + "\x00"
				longest = max(longest, len(started))
			}
		}
	}
	if longest > longestText || longest < longestText/8 {
		t.Errorf("%s: the longest text has %d bytes", what, longest)
	}
}
