package matrix_test

import (
	"slices"
	"strings"
	"testing"

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
			Args: []string{"--cost=$(HASHMARK_COST)", "--price=$$(5)"}, Env: map[string]v1beta1.EnvValue{"WORKERS": "$(HASHMARK_WORKERS)"},
			Writable: []string{"/data"}, Files: map[string]v1beta1.FileContent{"/etc/login/users": "$(HASHMARK_USER):$(HASHMARK_PASSWORD_HASH)\n"},
			Login: handover.Login{
				Setup: []handover.Request{{Path: "/users", JSON: map[string]handover.RequestText{"name": "$(HASHMARK_USER)"}}},
				Steps: []handover.Request{
					{Path: "/login", Extract: map[string]handover.Extraction{"csrf": {Regexp: `csrf=(\w+)`}}},
					{Path: "/login", Form: map[string]handover.RequestText{"password": "$(HASHMARK_PASSWORD)", "csrf": "$(csrf)"}},
				},
				Wrong: handover.ExpectedResponse{Status: []int32{401}},
			},
		}},
	}
}

func TestAValidServiceOfTheUsersIsAccepted(t *testing.T) {
	if err := matrix.CheckOwn(*ownSpec()); err != nil {
		t.Error(err)
	}
	if err := matrix.CheckOwn(v1beta1.SizingExperimentSpec{}); err != nil {
		t.Errorf("without a service: %v", err)
	}
}

func TestAServiceOfTheUsersThatCannotWorkIsRefused(t *testing.T) {
	for want, change := range map[string]func(*v1beta1.SizingExperimentSpec){
		"matrix.controls are hashes of Hashmark's own login service": func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Controls = []v1beta1.Control{{}} },
		"matrix.concurrency must say how many logins":                func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Concurrency = nil },
		"service.own.args[0] refers to $(COST), which is unknown; use one of HASHMARK_COST": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Args[0] = "--cost=$(COST)"
		},
		"service.own.env.WORKERS refers to $(HASHMARK_LOGIN)": func(s *v1beta1.SizingExperimentSpec) { s.Service.Own.Env["WORKERS"] = "$(HASHMARK_LOGIN)" },
		"the matrix has several costs, but neither $(HASHMARK_COST) nor $(HASHMARK_PASSWORD_HASH)": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Args, s.Service.Own.Files = nil, nil
		},
		"service.own.files have 65537 bytes in total": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Files["/etc/login/users"] = v1beta1.FileContent(strings.Repeat("x", 65_537))
		},
		"/data/../etc in service.own can't be mounted": func(s *v1beta1.SizingExperimentSpec) { s.Service.Own.Writable = []string{"/data/../etc"} },
		"/run/hashmark/x in service.own can't be":      func(s *v1beta1.SizingExperimentSpec) { s.Service.Own.Writable = []string{"/run/hashmark/x"} },
		"/sys/fs/cgroup in service.own can't be mounted, because Kubernetes or Hashmark mounts /sys; use another path": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Writable = []string{"/sys/fs/cgroup"}
		},
		"/etc/hosts in service.own can't be mounted, because Kubernetes or Hashmark mounts /etc/hosts": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Files["/etc/hosts"] = "x"
		},
		"/data/ in service.own can't be mounted; use an absolute path without . and .., and without a / at its end": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Writable = []string{"/data/"}
		},
		"/data/users in service.own is in the writable folder /data": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Files["/data/users"] = "x"
		},
		"service.own.login.steps[0] refers to $(csrf), which is unknown there; use HASHMARK_USER, HASHMARK_PASSWORD, or a name": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Login.Steps[0].Path = "/login?$(csrf)"
		},
		"service.own.login.setup[0] refers to $(HASHMARK_COST)": func(s *v1beta1.SizingExperimentSpec) { s.Service.Own.Login.Setup[0].Body = "$(HASHMARK_COST)" },
		"service.own.login.steps[0].extract.csrf: the regular expression is invalid": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Login.Steps[0].Extract["csrf"] = handover.Extraction{Regexp: "("}
		},
		"service.own.login.steps[0].extract.csrf: the regular expression must have one group, which is the value, and has 0": func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Login.Steps[0].Extract["csrf"] = handover.Extraction{Regexp: "x"}
		},
		"service.own.login.wrong.status is empty": func(s *v1beta1.SizingExperimentSpec) { s.Service.Own.Login.Wrong.Status = nil },
	} {
		spec := ownSpec()
		change(spec)
		if err := matrix.CheckOwn(*spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s…", err, want)
		}
	}
}

func TestNothingIsMountedOverASystemPath(t *testing.T) {
	for at, want := range map[string]bool{
		"/": false, "/proc": false, "/proc/self": false, "/sys": false, "/sys/fs/cgroup/cpu": false,
		"/dev": false, "/dev/shm": false, "/dev/termination-log": false,
		"/etc": false, "/etc/hosts": false, "/etc/hostname": false, "/etc/resolv.conf": false,
		"/run": false, "/run/hashmark": false, "/run/hashmark/loginservice": false, "/run/secrets/kubernetes.io": false,
		"/var": false, "/var/run": false, "/var/run/hashmark": false, "/var/run/secrets": false,
		"/data": true, "/tmp": true, "/run/apache2": true, "/run/hashmark2": true, "/var/lib/login": true, "/etc/login2": true, "/process": true,
	} {
		spec := ownSpec()
		spec.Service.Own.Writable = []string{at}
		if err := matrix.CheckOwn(*spec); (err == nil) != want {
			t.Errorf("%s is accepted: %t, want %t (%v)", at, err == nil, want, err)
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
	want := "the spec has 131851 bytes as JSON, and at most 131072 are allowed; shorten the texts of service.own, or put them into the image"
	if err := matrix.CheckSize(*spec); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
