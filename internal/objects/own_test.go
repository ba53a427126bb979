package objects_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
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
		err := settings.CheckImage(v1alpha1.Service{Own: &v1alpha1.OwnService{Image: test.image}})
		if (err == nil) != test.want {
			t.Errorf("with %q, %s: %v", test.allowed, test.image, err)
		}
	}
	if err := settings().CheckImage(v1alpha1.Service{}); err != nil {
		t.Errorf("Hashmark's own service: %v", err)
	}
	_, err := objects.New(settings(), ownTrial(), 1, deadline)
	if _, is := errors.AsType[*objects.ImageNotAllowedError](err); !is {
		t.Errorf("the objects of a forbidden image: %v", err)
	}
}

// The pods read how to log in with package loginflow, which knows nothing of the API.
func TestTheAPIAndThePodsAgreeHowToLogIn(t *testing.T) {
	checkRoundTrip(t, scriptTrial().Spec.Service.Own.Login)
	login := ownTrial().Spec.Service.Own.Login
	login.Setup = []v1alpha1.LoginRequest{{
		Name: "user", Method: "PUT", Path: "/users", Headers: map[string]v1alpha1.RequestText{"X": "y"}, BasicAuth: true,
		JSON: map[string]v1alpha1.RequestText{"name": "$(HASHMARK_USER)"},
		Extract: map[string]v1alpha1.Extraction{
			"a": {Header: "A"}, "b": {Cookie: "B"}, "c": {FormField: "C"}, "d": {JSON: "d.e"}, "e": {Regexp: "(.)"},
		},
	}, {Path: "/", Body: "text"}}
	checkRoundTrip(t, login)
}

// checkRoundTrip reads a login as the pods do, and as the API does.
func checkRoundTrip(t *testing.T, login v1alpha1.OwnLogin) {
	t.Helper()
	text, err := json.Marshal(login)
	if err != nil {
		t.Fatal(err)
	}
	flow, err := loginflow.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(flow)
	if err != nil {
		t.Fatal(err)
	}
	var back v1alpha1.OwnLogin
	if err := json.Unmarshal(again, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(login, back); diff != "" {
		t.Errorf("after a round trip (-want +got):\n%s", diff)
	}
}

// A script runs in the load generator, where it could read the credentials of a receiver and reach it.
func TestTheGeneratorOfAScriptKnowsNoReceiver(t *testing.T) {
	with := fullSettings()
	with.AllowedServiceImages = ownSettings().AllowedServiceImages
	for name, test := range map[string]struct {
		trial *v1alpha1.SizingTrial
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
