package objects_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

var deadline = time.Date(2026, 11, 21, 4, 0, 0, 0, time.FixedZone("CET", 3600))

func settings() objects.Settings {
	return objects.Settings{
		ServiceImage:         "example.test/loginservice:v1",
		GeneratorImage:       "example.test/generator:v1",
		PullPolicy:           corev1.PullIfNotPresent,
		GeneratorCPULimit:    "500m",
		GeneratorMemoryLimit: "512Mi",
	}
}

// fullSettings sets everything that settings leaves out.
func fullSettings() objects.Settings {
	full := settings()
	full.Pods = objects.PodSettings{
		Labels: map[string]string{"business-owner": "security"}, Annotations: map[string]string{"example.com/owner": "platform"},
		InheritedLabels:  []string{"team", "cost-centre"},
		ImagePullSecrets: []corev1.LocalObjectReference{{Name: "pull"}}, PriorityClassName: "measured", RuntimeClassName: "runc",
		NodeSelector: map[string]string{"kubernetes.io/os": "linux"}, Tolerations: []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}},
	}
	full.GeneratorTolerations = []corev1.Toleration{{
		Key: "hashmark.dev/load", Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectNoSchedule,
	}}
	full.GeneratorNodeSelector = map[string]string{"hashmark.dev/role": "load"}
	full.RemoteWrite = &objects.RemoteWrite{URL: "https://prometheus.monitoring.svc:9090/api/v1/write", SecretName: "k6-remote-write"}
	return full
}

func experiment() *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{
		Name: "login-sizing", Namespace: "team-a", UID: "11111111-2222-3333-4444-555555555555",
	}}
}

func trial() *v1beta1.SizingTrial {
	return &v1beta1.SizingTrial{
		ObjectMeta: metav1.ObjectMeta{
			Name: "login-sizing-c10-250m-1-0a1b2", Namespace: "team-a", UID: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(experiment(), v1beta1.GroupVersion.WithKind("SizingExperiment")),
			},
		},
		Spec: v1beta1.SizingTrialSpec{
			Variant: v1beta1.Variant{
				Name: "c10-250m", Hash: v1beta1.BcryptHash(10), CPULimit: "250m",
				Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded},
			},
			Repetition: 1,
			Service:    v1beta1.Service{Replicas: 1, MemoryLimit: ptr.To(intstr.Parse("128Mi"))},
			Load:       v1beta1.Load{RequestTimeoutSeconds: 10},
		},
	}
}

// tlsTrial has logins with TLS.
func tlsTrial() *v1beta1.SizingTrial {
	encrypted := trial()
	encrypted.Spec.Service.Builtin = &v1beta1.Builtin{TLS: &v1beta1.TLS{Handshakes: v1beta1.HandshakesEachLogin}}
	return encrypted
}

// fullTrial sets everything that trial leaves out.
func fullTrial() *v1beta1.SizingTrial {
	full := trial()
	full.Labels = map[string]string{"team": "a", "other": "b"}
	full.Spec.Variant.Name = "c10-1500m-w2q64-small"
	full.Spec.Variant.CPULimit = "1.5"
	full.Spec.Variant.Concurrency = v1beta1.Concurrency{
		Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](2), QueueLength: ptr.To[int32](64),
	}
	full.Spec.Variant.NodePool = &v1beta1.NodePool{
		Name:         "small",
		NodeSelector: map[string]v1beta1.LabelValue{"node.kubernetes.io/instance-type": "small"},
		Tolerations:  []v1beta1.Toleration{{Key: "dedicated", Operator: "Equal", Value: "login", Effect: "NoSchedule"}},
	}
	full.Spec.Service = v1beta1.Service{Replicas: 3, MemoryLimit: ptr.To(intstr.Parse("256Mi"))}
	full.Spec.Generator = v1beta1.Generator{CPULimit: ptr.To(intstr.Parse("2"))}
	return full
}

// hashTrial measures a memory-hard hash with sessions.
func hashTrial() *v1beta1.SizingTrial {
	other := trial()
	other.Name = "login-sizing-argon2id-1-1-0a1b2"
	other.Spec.Variant = v1beta1.Variant{
		Name: "argon2id-1", CPULimit: "1", Hash: v1beta1.Hash{Name: "argon2id", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}, Sessions: true},
		Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)},
	}
	return other
}

// ownSettings admit the image of ownTrial.
func ownSettings() objects.Settings {
	own := settings()
	own.AllowedServiceImages, own.SecretsPolicy = []string{"registry.example/other", "registry.example/team/"}, "hashmark-own-secrets"
	own.Pods.RunAsUser = ptr.To[int64](objects.Unprivileged)
	return own
}

// ownTrial measures a user's own login service.
func ownTrial() *v1beta1.SizingTrial {
	own := trial()
	own.Spec.Variant.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](2)}
	own.Spec.Load.WarmupSeconds = ptr.To[int32](60)
	own.Spec.Service = v1beta1.Service{Replicas: 1, MemoryLimit: ptr.To(intstr.Parse("256Mi")), Own: &v1beta1.OwnService{
		Image: "registry.example/team/login@sha256:0123", Command: []string{"/app/login", "--listen=:9000"},
		Args: []string{"--cost=$(HASHMARK_COST)"}, Env: []v1beta1.EnvVar{{Name: "DB", Value: "/data/login.db"}, {Name: "A_FIRST", Value: "$(HASHMARK_WORKERS)"}},
		Port: 9000, Ready: v1beta1.ReadyWhen{HealthCheck: handover.HealthCheck{Path: "/ready"}, TimeoutSeconds: 90}, AlivePath: "/alive",
		Writable: []string{"/data", "/tmp"},
		Files:    []v1beta1.File{{Path: "/etc/login/users", Content: "$(HASHMARK_USER):$(HASHMARK_PASSWORD_HASH)\n"}, {Path: "/etc/a", Content: "100 $"}},
		Login: handover.Login{
			Setup: []handover.Request{{Method: "PUT", Path: "/users"}},
			Steps: []handover.Request{
				{Path: "/login", Extract: []handover.Extraction{{Name: "csrf", Header: "X-CSRF-Token"}}},
				{
					Name: "password", Method: "POST", Path: "/login", Timed: true, Expect: handover.ExpectedResponse{Status: []int32{302}},
					Form: []handover.Field{{Name: "password", Value: "$(HASHMARK_PASSWORD)"}, {Name: "csrf", Value: "$(csrf)"}},
				},
			},
			Wrong: handover.ExpectedResponse{Status: []int32{401, 403}},
		},
	}}
	return own
}

func scriptTrial() *v1beta1.SizingTrial {
	own := ownTrial()
	login := &own.Spec.Service.Own.Login
	login.Steps, login.Script = nil, "export function login() { return `${1}$(HASHMARK_USER)`; }"
	own.Spec.Variant.Hash = v1beta1.Hash{Name: "plain", Other: &v1beta1.Other{}}
	return own
}

// companionTrial has a database with everything that can be set, and a cache with as little as possible. Keys of Secrets and
// ConfigMaps are variables and files.
func companionTrial() *v1beta1.SizingTrial {
	own := ownTrial()
	secret := &v1beta1.KeySource{SecretKeyRef: &v1beta1.KeyRef{Name: "database", Key: "password"}}
	settings := &v1beta1.KeySource{ConfigMapKeyRef: &v1beta1.KeyRef{Name: "settings", Key: "site"}}
	own.Spec.Service.Own.Env = append(own.Spec.Service.Own.Env, v1beta1.EnvVar{Name: "DB_PASSWORD", ValueFrom: secret}, v1beta1.EnvVar{Name: "SITE", ValueFrom: settings})
	own.Spec.Service.Own.Files = append(own.Spec.Service.Own.Files, v1beta1.File{Path: "/etc/password", ContentFrom: secret}, v1beta1.File{Path: "/etc/site", ContentFrom: settings})
	own.Spec.Service.Own.Companions = []v1beta1.Companion{
		{
			Name: "database", Image: "registry.example/team/postgres@sha256:4567", Command: []string{"/bin/sh", "-c", "exec postgres"}, Args: []string{"-D", "/data"},
			Env: []v1beta1.EnvVar{{Name: "LANG", Value: "C.UTF-8"}, {Name: "POSTGRES_PASSWORD", ValueFrom: secret}}, Port: 5432, Ready: v1beta1.CompanionReady{Path: "/ready", TimeoutSeconds: 60},
			CPULimit: ptr.To(intstr.Parse("250m")), MemoryLimit: ptr.To(intstr.Parse("256Mi")), Writable: []string{"/data", "/run/postgresql"},
		},
		{Name: "cache", Image: "registry.example/team/valkey:9", Command: []string{"/usr/bin/valkey-server"}, Port: 6379},
	}
	return own
}

func companionLoad() objects.Load {
	with := load()
	with.Companions = map[string]string{"database": "198.18.16.20", "cache": "198.18.16.21"}
	return with
}

func load() objects.Load {
	return objects.Load{
		Plan: loadplan.Plan{
			Version: loadplan.Version, TimeoutMilliseconds: 10_000,
			Steps: []loadplan.Step{{
				Kind: loadplan.Open, StartMilliseconds: 0, SettleMilliseconds: 1_000, CountedMilliseconds: 25_000,
				DrainMilliseconds: 10_000, Callers: 40, Arrivals: "Poisson", SettleRequests: 4, Requests: 100,
				Seed: 7, OfferedMilliPerSecond: 4_000, LoadPercent: 50, Reported: true,
			}},
		},
		ClusterIP:   "198.19.0.7",
		PodIPs:      []string{"198.18.16.4"},
		ActiveLimit: 90 * time.Second,
		Deadline:    deadline.Add(-time.Hour),
	}
}

func mustNew(t *testing.T, settings objects.Settings, trial *v1beta1.SizingTrial) objects.Builder {
	t.Helper()
	attempt, err := objects.New(settings, trial, 2, deadline)
	if err != nil {
		t.Fatal(err)
	}
	return attempt
}
