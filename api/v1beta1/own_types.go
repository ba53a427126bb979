package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

// OwnService is a login service of the user's, which is deployed instead of Hashmark's.
//
// Its texts have a largest size, because the operator keeps each experiment and trial in memory.
// +kubebuilder:validation:XValidation:rule="(self.command + (has(self.args) ? self.args : [])).map(a, size(bytes(a))).sum() + (has(self.env) ? self.env.map(e, size(bytes(e.name)) + size(bytes(e.value))).sum() : 0) + (has(self.files) ? self.files.map(f, size(bytes(f.path)) + size(bytes(f.content))).sum() : 0) <= 131072",message="command, args, env and files of service.own have more than 128 KiB together; shorten them, or put them into the image"
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
	// +kubebuilder:validation:XValidation:rule="self.map(f, size(bytes(f.content))).sum() <= 65536",message="service.own.files have more than 64 KiB in total; shorten them, or put them into the image"
	Files []File `json:"files,omitempty"`
	// How to log in.
	Login handover.Login `json:"login"`
}

// EnvVar is an environment variable.
type EnvVar struct {
	// The name of the variable. Names that begin with HASHMARK_ are reserved.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_.-]*$') && !self.startsWith('HASHMARK_')",message="a name of service.own.env must begin with a letter or _, have only letters, digits, _, - and ., and not begin with HASHMARK_"
	Name string `json:"name"`
	// The value, which can be empty.
	// +kubebuilder:validation:MaxLength=4096
	Value string `json:"value"`
}

// File is a file that a user's own login service reads.
type File struct {
	// The absolute path.
	// +kubebuilder:validation:MaxLength=256
	Path string `json:"path"`
	// The text of the file.
	// +kubebuilder:validation:MaxLength=65536
	Content string `json:"content"`
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
