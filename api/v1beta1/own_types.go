package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

// OwnService is a login service of the user's, which is deployed instead of Hashmark's.
//
// Its texts have a largest size, because the operator keeps each experiment and trial in memory.
// +kubebuilder:validation:XValidation:rule="(self.command + (has(self.args) ? self.args : [])).map(a, size(bytes(a))).sum() + (has(self.env) ? self.env.map(k, size(bytes(k)) + size(bytes(self.env[k]))).sum() : 0) + (has(self.files) ? self.files.map(p, size(bytes(p)) + size(bytes(self.files[p]))).sum() : 0) <= 131072",message="command, args, env and files of service.own have more than 128 KiB together; shorten them, or put them into the image"
// +kubebuilder:validation:XValidation:rule="self.port != 18080",message="service.own.port must not be 18080, where Hashmark reads what the container uses"
type OwnService struct {
	// The image, in a repository that the operator's --allowed-service-images admits. A digest
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
	// Environment variables. Names that begin with HASHMARK_ are reserved.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) <= 128)",message="a name of service.own.env can have at most 128 characters; shorten it"
	// +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_.-]*$') && !name.startsWith('HASHMARK_'))",message="a name of service.own.env must begin with a letter or _, have only letters, digits, _, - and ., and not begin with HASHMARK_"
	Env map[string]EnvValue `json:"env,omitempty"`
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
	// +kubebuilder:validation:items:Pattern=`^/[^:]+$`
	Writable []string `json:"writable,omitempty"`
	// Files that the service reads, by their absolute paths; at most 64 KiB in total.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(path, size(path) <= 256)",message="a path of service.own.files can have at most 256 characters; shorten it"
	// +kubebuilder:validation:XValidation:rule="self.all(path, path.matches('^/[^:]+$') && !path.endsWith('/'))",message="a name in service.own.files must be the absolute path of a file"
	Files map[string]FileContent `json:"files,omitempty"`
	// How to log in.
	Login handover.Login `json:"login"`
	// What a login computes. Bcrypt: a hash of the variant's cost; a service whose logins take too
	// little CPU time for that is not measured, because it computes another hash than the one that
	// was configured. Other: anything, for example to find what a login costs without its hash. The
	// cost of the matrix is then only a name, and nothing can be recommended. By default Bcrypt.
	// +optional
	// +kubebuilder:default=Bcrypt
	Hash OwnHash `json:"hash,omitempty"`
}

// OwnHash is what a login at a user's own login service computes.
// +kubebuilder:validation:Enum=Bcrypt;Other
type OwnHash string

const (
	// OwnHashBcrypt is a bcrypt hash of the variant's cost.
	OwnHashBcrypt OwnHash = "Bcrypt"
	// OwnHashOther is anything else.
	OwnHashOther OwnHash = "Other"
)

// EnvValue is the value of an environment variable.
// +kubebuilder:validation:MaxLength=4096
type EnvValue string

// FileContent is the content of a file.
// +kubebuilder:validation:MaxLength=65536
type FileContent string

// ReadyWhen says when a user's own login service is ready.
type ReadyWhen struct {
	// The path that answers a GET with a status from 200 to 399 once the service is ready.
	// +kubebuilder:validation:Pattern=`^/`
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path"`
	// How many seconds the service may take to be ready, 1 to 300. By default 120.
	// +optional
	// +kubebuilder:default=120
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=300
	WithinSeconds int32 `json:"withinSeconds,omitempty"`
}
