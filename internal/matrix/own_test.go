package matrix_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// ownSpec returns an experiment with a user's own login service that is valid.
func ownSpec() *v1beta1.SizingExperimentSpec {
	return &v1beta1.SizingExperimentSpec{
		Matrix: v1beta1.Matrix{
			Costs: []int32{8, 10}, CPULimits: fixture.Limits("500m"),
			Concurrency: []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](2)}},
		},
		Service: v1beta1.Service{Own: &v1beta1.OwnService{
			Image: "registry.example/team/login:v1", Command: []string{"/app/login"},
			Args: []string{"--cost=$(HASHMARK_COST)", "--price=$$(5)"}, Env: []v1beta1.EnvVar{{Name: "WORKERS", Value: "$(HASHMARK_WORKERS)"}},
			Writable: []string{"/data"}, Files: []v1beta1.File{{Path: "/etc/login/users", Content: "$(HASHMARK_USER):$(HASHMARK_PASSWORD_HASH)\n"}},
			Login: handover.Login{
				Setup: []handover.Request{{Method: "POST", Path: "/users", JSON: map[string]handover.RequestText{"name": "$(HASHMARK_USER)"}}},
				Steps: []handover.Request{
					{Path: "/login", Extract: []handover.Extraction{{Name: "csrf", Regexp: `csrf=(\w+)`}}},
					{Method: "POST", Path: "/login", Form: []handover.Field{{Name: "password", Value: "$(HASHMARK_PASSWORD)"}, {Name: "csrf", Value: "$(csrf)"}}},
				},
				Wrong: handover.ExpectedResponse{Status: []int32{401}},
			},
		}},
	}
}

// ofCompanion adds a companion with a change.
func ofCompanion(change func(*v1beta1.Companion)) func(*v1beta1.OwnService) {
	return func(own *v1beta1.OwnService) {
		own.Companions = []v1beta1.Companion{{
			Name: "db", Image: "registry.example/team/db:v1", Command: []string{"/db", "--name=$(NAME)"}, Port: 5432, Writable: []string{"/data", "/data2"},
		}}
		change(&own.Companions[0])
	}
}

func TestAValidServiceOfTheUsersIsAccepted(t *testing.T) {
	if err := matrix.CheckOwn(ownSpec().Service.Own); err != nil {
		t.Error(err)
	}
	with := ownSpec().Service.Own
	ofCompanion(func(*v1beta1.Companion) {})(with)
	if err := matrix.CheckOwn(with); err != nil {
		t.Errorf("with a companion: %v", err)
	}
	ofVariables := ownSpec().Service.Own
	ofVariables.Env = append(ofVariables.Env, v1beta1.EnvVar{Name: "URL", Value: "db://$(WORKERS)@db"})
	ofVariables.Args = append(ofVariables.Args, "--db=$(URL)")
	if err := matrix.CheckOwn(ofVariables); err != nil {
		t.Errorf("with references to variables of env: %v", err)
	}
	if err := matrix.CheckOwn(nil); err != nil {
		t.Errorf("without a service: %v", err)
	}
}

func TestAServiceOfTheUsersThatCannotWorkIsRefused(t *testing.T) {
	for want, change := range map[string]func(*v1beta1.OwnService){
		"service.own.args[0] refers to $(COST), which is unknown; use one of HASHMARK_COST": func(own *v1beta1.OwnService) {
			own.Args[0] = "--cost=$(COST)"
		},
		"service.own.env WORKERS refers to $(HASHMARK_LOGIN)": func(own *v1beta1.OwnService) { own.Env[0].Value = "$(HASHMARK_LOGIN)" },
		"service.own.env WORKERS refers to $(LATER)": func(own *v1beta1.OwnService) {
			own.Env[0].Value = "$(LATER)"
			own.Env = append(own.Env, v1beta1.EnvVar{Name: "LATER"})
		},
		"service.own.files /etc/login/users refers to $(WORKERS)": func(own *v1beta1.OwnService) { own.Files[0].Content = "$(WORKERS)" },
		"service.own.files /etc/login/users refers to $(A)":       func(own *v1beta1.OwnService) { own.Files[0].Content = "$(A)" },
		"service.own.login.steps[0] refers to $(csrf), which is unknown there; use HASHMARK_USER, HASHMARK_PASSWORD, or a name": func(own *v1beta1.OwnService) {
			own.Login.Steps[0].Path = "/login?$(csrf)"
		},
		"service.own.login.steps[0] refers to $(token)": func(own *v1beta1.OwnService) {
			own.Login.Steps[0].Headers = []handover.Field{{Name: "Authorization", Value: "$(token)"}}
		},
		"service.own.login.setup[0] refers to $(HASHMARK_COST)":                                      func(own *v1beta1.OwnService) { own.Login.Setup[0].Body = "$(HASHMARK_COST)" },
		"service.own.login.setup[0] refers to $(name)":                                               func(own *v1beta1.OwnService) { own.Login.Setup[0].JSON["name"] = "$(name)" },
		"service.own.companions localhost has the name of every container itself":                    ofCompanion(func(c *v1beta1.Companion) { c.Name = "localhost" }),
		`service.own.companions db can't write to "data"; use an absolute path`:                      ofCompanion(func(c *v1beta1.Companion) { c.Writable = []string{"data"} }),
		`service.own.companions db can't write to "/data/"; use an absolute path`:                    ofCompanion(func(c *v1beta1.Companion) { c.Writable = []string{"/data/"} }),
		`service.own.companions db can't write to "/run", which is, contains or is in /run/hashmark`: ofCompanion(func(c *v1beta1.Companion) { c.Writable = []string{"/run"} }),
		`service.own.companions db can't write to "/data/a", which is, contains or is in /data`:      ofCompanion(func(c *v1beta1.Companion) { c.Writable = []string{"/data", "/data/a"} }),
		"service.own.companions db refers to $(HASHMARK_USER), which only service.own has":           ofCompanion(func(c *v1beta1.Companion) { c.Args = []string{"--user=$(HASHMARK_USER)"} }),
		"service.own.login.steps[0].extract csrf: the regular expression is invalid": func(own *v1beta1.OwnService) {
			own.Login.Steps[0].Extract[0].Regexp = "("
		},
		"service.own.login.steps[0].extract csrf: the regular expression must have one group, which is the value, and has 0": func(own *v1beta1.OwnService) {
			own.Login.Steps[0].Extract[0].Regexp = "x"
		},
	} {
		own := ownSpec().Service.Own
		change(own)
		if err := matrix.CheckOwn(own); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s…", err, want)
		}
	}
}

func TestASpecThatIsTooLargeIsRefused(t *testing.T) {
	spec := ownSpec()
	spec.Service.Own.Args = slices.Repeat([]string{strings.Repeat("<", 4096)}, 31)
	if err := matrix.CheckSize(*spec); err != nil {
		t.Error(err)
	}
	spec.Service.Own.Args = slices.Repeat([]string{strings.Repeat("<", 4096)}, 32)
	want := "the spec has 131934 bytes as JSON, and at most 131072 are allowed; shorten the texts of service.own, or put them into the image"
	if err := matrix.CheckSize(*spec); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// An own service needs at least the memory of the hashes that it computes at the same time.
func TestTheMemoryOfAnOwnServiceHoldsItsHashes(t *testing.T) {
	for limit, want := range map[string]string{"128Mi": "", "127Mi": "logins that hash at the same time need 128Mi for their hashes alone"} {
		spec := ownSpec()
		spec.Matrix.Costs, spec.Matrix.Hashes = nil, []v1beta1.Hash{{Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: 65_536, Iterations: 1, Parallelism: 1}}}
		spec.Service.MemoryLimit = ptr.To(intstr.Parse(limit))
		if err := matrix.CheckMemory(*spec); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", limit, err, want)
		}
	}
}
