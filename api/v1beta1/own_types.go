package v1beta1

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// OwnService is a login service of the user's, which is deployed instead of Hashmark's.
//
// Its texts have a largest size, because the operator keeps each experiment and trial in memory.
// +kubebuilder:validation:XValidation:rule="(self.command + (has(self.args) ? self.args : [])).map(a, size(bytes(a))).sum() + (has(self.env) ? self.env.map(e, size(bytes(e.name)) + (has(e.value) ? size(bytes(e.value)) : 0)).sum() : 0) + (has(self.files) ? self.files.map(f, size(bytes(f.path)) + (has(f.content) ? size(bytes(f.content)) : 0)).sum() : 0) <= 131072",message="command, args, env and files of service.own have more than 128 KiB together; shorten them, or put them into the image"
// +kubebuilder:validation:XValidation:rule="self.port != 18080",message="service.own.port must not be 18080, where Hashmark reads what the container uses"
// +kubebuilder:validation:XValidation:rule="!has(self.alivePath) || !has(self.ready.path) || self.alivePath != self.ready.path",message="service.own.alivePath is by default the path of ready; remove it, or set another path"
// +kubebuilder:validation:XValidation:rule="((has(self.files) ? self.files.map(f, f.path) : []) + (has(self.writable) ? self.writable.map(w, w) : [])).all(p, p.matches('^(/[^/:]+)+$') && !p.matches('/[.][.]?(/|$)'))",message="a path of service.own.files or writable can't be mounted; use an absolute path without a colon, . and .., and without a / at its end"
// +kubebuilder:validation:XValidation:rule="((has(self.files) ? self.files.map(f, f.path) : []) + (has(self.writable) ? self.writable.map(w, w) : [])).all(p, ['/proc', '/sys', '/dev', '/etc/hosts', '/etc/hostname', '/etc/resolv.conf', '/run/hashmark', '/run/secrets', '/var/run/hashmark', '/var/run/secrets'].all(s, p != s && !p.startsWith(s + '/') && !s.startsWith(p + '/')))",message="a path of service.own.files or writable is, contains or is in one that Kubernetes or Hashmark mounts (/proc, /sys, /dev, /etc/hosts, /etc/hostname, /etc/resolv.conf, /run/hashmark and /run/secrets); use another path"
// +kubebuilder:validation:XValidation:rule="((has(self.files) ? self.files.map(f, f.path) : []) + (has(self.writable) ? self.writable.map(w, w) : [])).all(p, ((has(self.files) ? self.files.map(f, f.path) : []) + (has(self.writable) ? self.writable.map(w, w) : [])).exists_one(o, p == o || p.startsWith(o + '/')))",message="a path of service.own.files or writable is the same as another one, or in it; use another path"
type OwnService struct {
	// The image, in a repository that the operator's loginService.allowedImages admits. A digest
	// makes sure that all trials measure the same image.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// The program that serves logins, as an absolute path or a name on the image's PATH, and its
	// first arguments. It is required because Hashmark starts it, and can't know the image's
	// entrypoint. It must run as any user and with a read-only root file system.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=4096
	Command []string `json:"command"`
	// More arguments.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=4096
	Args []string `json:"args,omitempty"`
	// Environment variables.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Env []EnvVar `json:"env,omitempty"`
	// The port where the service answers logins by HTTP, 1024 to 65535.
	// +kubebuilder:validation:Minimum=1024
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
	// When the service is ready.
	Ready ReadyWhen `json:"ready"`
	// The path of your liveness probe, which is probed once a second under load. When absent:
	// that of ready.
	// +optional
	// +kubebuilder:validation:Pattern=`^/`
	// +kubebuilder:validation:MaxLength=1024
	AlivePath string `json:"alivePath,omitempty"`
	// Folders that the service can write to, each empty at the start and at most 256 MiB. What the
	// service writes while it is calibrated is gone when the load begins.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=256
	Writable []string `json:"writable,omitempty"`
	// Files that the service reads, with at most 64 KiB in total.
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.map(f, has(f.content) ? size(bytes(f.content)) : 0).sum() <= 65536",message="service.own.files have more than 64 KiB in total; shorten them, or put them into the image"
	Files []File `json:"files,omitempty"`
	// What the service needs beside it, such as a database or a cache: at most three programs, each in a pod of
	// its own that only the service can reach. They are started for each attempt, before the service.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=3
	Companions []Companion `json:"companions,omitempty"`
	// How to log in.
	Login handover.Login `json:"login"`
}

// Companion is a program that a user's own login service needs. It has one pod, whose CPU is not that of the service, and
// runs where the load generator does. What it stores is gone after the attempt.
type Companion struct {
	// The name of the host at which the service reaches it, such as database: lower-case letters, digits and
	// dashes, at most 16 characters.
	// +kubebuilder:validation:Pattern=`^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=16
	Name string `json:"name"`
	// The image, in a repository that the operator's loginService.allowedImages admits.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image"`
	// The program and its first arguments, as in service.own.command.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=4096
	Command []string `json:"command"`
	// More arguments.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=4096
	Args []string `json:"args,omitempty"`
	// Environment variables.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Env []EnvVar `json:"env,omitempty"`
	// The port where the service reaches it, 1024 to 65535, but for 18080, where Hashmark reads what it uses.
	// +kubebuilder:validation:Minimum=1024
	// +kubebuilder:validation:Maximum=65535
	// +kubebuilder:validation:XValidation:rule="self != 18080",message="the port of a companion must not be 18080, where Hashmark reads what the container uses"
	Port int32 `json:"port"`
	// When it is ready. When absent: once it accepts connections.
	// +optional
	// +kubebuilder:default={}
	Ready CompanionReady `json:"ready,omitzero"`
	// The CPU limit, a quantity such as 100m, which is also requested. By default 100m.
	// +optional
	// +kubebuilder:default="100m"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('10m')) >= 0 && quantity(string(self)).compareTo(quantity('64')) <= 0",message="the cpuLimit of a companion must be a CPU quantity of at least 10m and at most 64, such as 100m or 1"
	CPULimit *intstr.IntOrString `json:"cpuLimit,omitempty"`
	// The memory limit, a quantity such as 256Mi, which is also requested. By default 128Mi.
	// +optional
	// +kubebuilder:default="128Mi"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('32Mi')) >= 0 && quantity(string(self)).compareTo(quantity('64Gi')) <= 0 && (type(self) == string || self <= 2147483647)",message="the memoryLimit of a companion must be a quantity from 32Mi to 64Gi, such as 128Mi"
	MemoryLimit *intstr.IntOrString `json:"memoryLimit,omitempty"`
	// Folders that it can write to, as in service.own.writable.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=256
	Writable []string `json:"writable,omitempty"`
}

// CompanionReady says when a companion is ready.
type CompanionReady struct {
	// The path that answers a GET with a status from 200 to 399. When absent: a TCP connection is enough.
	// +optional
	// +kubebuilder:validation:Pattern=`^/`
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path,omitempty"`
	// How many seconds it can take to be ready, 1 to 300. By default 120.
	// +optional
	// +kubebuilder:default=120
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=300
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`
}

// EnvVar is an environment variable.
// +kubebuilder:validation:XValidation:rule="!has(self.valueFrom) || !has(self.value) || size(self.value) == 0",message="a variable can't have both value and valueFrom; remove one of them"
type EnvVar struct {
	// The name of the variable. Names that begin with HASHMARK_ are reserved.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_.-]*$') && !self.startsWith('HASHMARK_')",message="a name of service.own.env must begin with a letter or _, have only letters, digits, _, - and ., and not begin with HASHMARK_"
	Name string `json:"name"`
	// The value. When absent, it is empty.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Value string `json:"value,omitempty"`
	// Where the value is, instead of value.
	// +optional
	ValueFrom *KeySource `json:"valueFrom,omitempty"`
}

// KeySource is a key of a Secret or a ConfigMap in the experiment's namespace. Kubelet reads it when a pod starts; the operator
// never does. With a Secret named, no status quotes what the service or its companions answer or print.
// +kubebuilder:validation:XValidation:rule="has(self.secretKeyRef) != has(self.configMapKeyRef)",message="valueFrom and contentFrom must have exactly one of secretKeyRef and configMapKeyRef"
type KeySource struct {
	// A key of a Secret, which whoever creates or edits the experiment must be able to get.
	// +optional
	SecretKeyRef *KeyRef `json:"secretKeyRef,omitempty"`
	// A key of a ConfigMap, for which the same holds where the chart's policy is installed.
	// +optional
	ConfigMapKeyRef *KeyRef `json:"configMapKeyRef,omitempty"`
}

// KeyRef names a key.
type KeyRef struct {
	// The name of the Secret or ConfigMap.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// The key in it, which must exist.
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9._-]+$`
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// File is a file that a user's own login service reads.
// +kubebuilder:validation:XValidation:rule="!has(self.contentFrom) || !has(self.content) || size(self.content) == 0",message="a file can't have both content and contentFrom; remove one of them"
type File struct {
	// The absolute path.
	// +kubebuilder:validation:MaxLength=256
	Path string `json:"path"`
	// The text of the file. When absent, it is empty.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Content string `json:"content,omitempty"`
	// Where the content is, instead of content. Variables in it are not replaced.
	// +optional
	ContentFrom *KeySource `json:"contentFrom,omitempty"`
}

// ReadyWhen says when a user's own login service is ready.
// +kubebuilder:validation:XValidation:rule="has(self.path) || !has(self.auth) && !has(self.expect)",message="auth and expect of service.own.ready are about the response at its path; add path, or remove them to wait for a TCP connection"
type ReadyWhen struct {
	handover.HealthCheck `json:",inline"`
	// How many seconds the service can take to be ready, 1 to 300. By default 120.
	// +optional
	// +kubebuilder:default=120
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=300
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`
}
