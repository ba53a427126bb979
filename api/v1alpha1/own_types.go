package v1alpha1

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
	Login OwnLogin `json:"login"`
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

// OwnLogin is how to log in at a user's own login service. In paths, header values, JSON values,
// form values and bodies, $(NAME) stands for HASHMARK_USER, HASHMARK_PASSWORD or what an earlier
// step extracted, and $$ for a single $.
// +kubebuilder:validation:XValidation:rule="!has(self.steps) || self.steps.filter(s, has(s.timed) && s.timed).size() <= 1",message="at most one of service.own.login.steps can be timed"
// +kubebuilder:validation:XValidation:rule="has(self.steps) != has(self.script)",message="service.own.login must have either steps or script"
type OwnLogin struct {
	// Requests that are sent once to each pod, before the first login, for example to create the
	// account.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.map(r, size(bytes(r.path)) + (has(r.body) ? size(bytes(r.body)) : 0) + (has(r.headers) ? r.headers.map(k, size(bytes(k)) + size(bytes(r.headers[k]))).sum() : 0) + (has(r.json) ? r.json.map(k, size(bytes(k)) + size(bytes(r.json[k]))).sum() : 0) + (has(r.form) ? r.form.map(k, size(bytes(k)) + size(bytes(r.form[k]))).sum() : 0)).sum() <= 65536",message="service.own.login.setup has more than 64 KiB of text; shorten the requests"
	Setup []LoginRequest `json:"setup,omitempty"`
	// The requests of one login, in their order. A login begins without cookies, and keeps those
	// that it gets.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.map(r, size(bytes(r.path)) + (has(r.body) ? size(bytes(r.body)) : 0) + (has(r.headers) ? r.headers.map(k, size(bytes(k)) + size(bytes(r.headers[k]))).sum() : 0) + (has(r.json) ? r.json.map(k, size(bytes(k)) + size(bytes(r.json[k]))).sum() : 0) + (has(r.form) ? r.form.map(k, size(bytes(k)) + size(bytes(r.form[k]))).sum() : 0)).sum() <= 65536",message="service.own.login.steps have more than 64 KiB of text; shorten the requests"
	Steps []LoginRequest `json:"steps,omitempty"`
	// A k6 script for a login that steps can't express, at most 32 KiB. It exports a function login,
	// which k6 calls for each login with an object {address, user, password, timeout}, the timeout in
	// milliseconds. login returns an object {response, ok, untimed}: the response that decided, whether
	// the login succeeded, and how many milliseconds do not count towards its latency, by default 0.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32768
	Script string `json:"script,omitempty"`
	// What the last step, or the response that the script returns, must be like after a wrong
	// password. If a wrong password is accepted, the hash was not compared, and nothing is measured.
	Wrong ExpectedResponse `json:"wrong"`
}

// LoginRequest is one HTTP request.
// +kubebuilder:validation:XValidation:rule="[has(self.json), has(self.form), has(self.body)].filter(x, x).size() <= 1",message="a request of service.own.login can have only one of json, form and body"
type LoginRequest struct {
	// A name for messages. When absent: the number of the step.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
	// The method; by default GET.
	// +optional
	// +kubebuilder:validation:Enum=GET;POST;PUT;PATCH
	Method string `json:"method,omitempty"`
	// The path, with a query if there is one.
	// +kubebuilder:validation:Pattern=`^/`
	// +kubebuilder:validation:MaxLength=2048
	Path string `json:"path"`
	// Header fields.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) <= 128)",message="a name of headers can have at most 128 characters; shorten it"
	Headers map[string]RequestText `json:"headers,omitempty"`
	// Whether user and password are sent by HTTP's Basic authentication.
	// +optional
	BasicAuth bool `json:"basicAuth,omitempty"`
	// The body as a JSON object of strings. Use body for any other JSON.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) <= 128)",message="a name of json can have at most 128 characters; shorten it"
	JSON map[string]RequestText `json:"json,omitempty"`
	// The body as an HTML form.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) <= 128)",message="a name of form can have at most 128 characters; shorten it"
	Form map[string]RequestText `json:"form,omitempty"`
	// The body as text. Set its content type in headers.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8192
	Body string `json:"body,omitempty"`
	// What the response must be like; by default any status from 200 to 299. Redirects are not
	// followed.
	// +optional
	Expect ExpectedResponse `json:"expect,omitzero"`
	// Values that later steps need, by the names that $(NAME) refers to.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) <= 128)",message="a name of extract can have at most 128 characters; shorten it"
	// +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[A-Za-z_][A-Za-z0-9_]*$') && !name.startsWith('HASHMARK_'))",message="a name of extract must begin with a letter or _, have only letters, digits and _, and not begin with HASHMARK_"
	Extract map[string]Extraction `json:"extract,omitempty"`
	// Whether only this step counts towards the latency of a login. By default all steps do.
	// +optional
	Timed bool `json:"timed,omitempty"`
}

// RequestText is a value in a request.
// +kubebuilder:validation:MaxLength=2048
type RequestText string

// ExpectedResponse is what a response must be like.
type ExpectedResponse struct {
	// The accepted statuses.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:Minimum=200
	// +kubebuilder:validation:items:Maximum=599
	Status []int32 `json:"status,omitempty"`
}

// Extraction says where a value is in a response.
// +kubebuilder:validation:XValidation:rule="[has(self.header), has(self.cookie), has(self.formField), has(self.json), has(self.regexp)].filter(x, x).size() == 1",message="an extraction must have exactly one of header, cookie, formField, json and regexp"
type Extraction struct {
	// The name of a header field.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Header string `json:"header,omitempty"`
	// The name of a cookie that the response sets.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Cookie string `json:"cookie,omitempty"`
	// The name of an input element in an HTML page.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	FormField string `json:"formField,omitempty"`
	// The path of a text, a number or a boolean in a JSON response: names with dots between, such
	// as session.token.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	JSON string `json:"json,omitempty"`
	// A regular expression for the body. Its first group is the value.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Regexp string `json:"regexp,omitempty"`
}
