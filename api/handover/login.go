package handover

import (
	"fmt"
	"slices"
	"strings"
)

// Login is how to log in at a user's own login service. In paths, header values, JSON values,
// form values and bodies, $(NAME) stands for HASHMARK_USER, HASHMARK_PASSWORD or what an earlier
// step extracted, and $$ for a single $.
// +kubebuilder:validation:XValidation:rule="!has(self.steps) || self.steps.filter(s, has(s.timed) && s.timed).size() <= 1",message="at most one of service.own.login.steps can be timed"
// +kubebuilder:validation:XValidation:rule="has(self.steps) != has(self.script)",message="service.own.login must have either steps or script"
// +kubebuilder:validation:XValidation:rule="!has(self.steps) || size(self.steps) == 0 || has(self.steps[size(self.steps) - 1].extract) || !self.wrong.status.exists(s, has(self.steps[size(self.steps) - 1].expect) ? self.steps[size(self.steps) - 1].expect.status.exists(e, e == s) : s >= 200 && s < 300)",message="service.own.login.wrong has a status that the last of steps expects, so nothing tells a wrong password from a login; remove the status, or add a last step that only a user who has logged in can do"
// +kubebuilder:validation:XValidation:rule="!has(self.accounts) || self.accounts == 1 || has(self.setup)",message="with several accounts, service.own.login.setup must create each of them; add setup with $(HASHMARK_USER), or remove accounts"
// +kubebuilder:validation:XValidation:rule="!has(self.accountDistribution) || has(self.accounts) && self.accounts > 1",message="accountDistribution has no effect with one account; add accounts, or remove it"
type Login struct {
	// How many accounts log in, 1 (the default) to 1,000, so that locks, limits and caches of an account
	// behave as in production. HASHMARK_USER is another name for each: hashmark, hashmark-1, hashmark-2 and
	// so on. Setup is sent for each of them, and must end within five minutes.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Accounts int32 `json:"accounts,omitempty"`
	// How logins are distributed over the accounts: Uniform (the default), or Zipf, by which account n logs in
	// 1/n times as often as the first.
	// +optional
	// +kubebuilder:validation:Enum=Uniform;Zipf
	AccountDistribution string `json:"accountDistribution,omitempty"`
	// Requests that are sent once to each pod for each account, before the first login, for example to create the
	// account.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.map(r, size(bytes(r.path)) + (has(r.body) ? size(bytes(r.body)) : 0) + (has(r.headers) ? r.headers.map(h, size(bytes(h.name)) + size(bytes(h.value))).sum() : 0) + (has(r.json) ? r.json.map(k, size(bytes(k)) + size(bytes(r.json[k]))).sum() : 0) + (has(r.form) ? r.form.map(f, size(bytes(f.name)) + size(bytes(f.value))).sum() : 0)).sum() <= 65536",message="service.own.login.setup has more than 64 KiB of text; shorten the requests"
	// +kubebuilder:validation:XValidation:rule="!self.exists(r, has(r.timed) && r.timed)",message="requests of service.own.login.setup are sent before the load and can't be timed; remove timed"
	// +kubebuilder:validation:XValidation:rule="self.all(r, !has(r.name) || self.exists_one(o, has(o.name) && o.name == r.name))",message="two requests of service.own.login.setup have the same name; rename one of them"
	Setup []Request `json:"setup,omitempty"`
	// The requests of one login, in their order. A login begins without cookies, and keeps those
	// that it gets.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.map(r, size(bytes(r.path)) + (has(r.body) ? size(bytes(r.body)) : 0) + (has(r.headers) ? r.headers.map(h, size(bytes(h.name)) + size(bytes(h.value))).sum() : 0) + (has(r.json) ? r.json.map(k, size(bytes(k)) + size(bytes(r.json[k]))).sum() : 0) + (has(r.form) ? r.form.map(f, size(bytes(f.name)) + size(bytes(f.value))).sum() : 0)).sum() <= 65536",message="service.own.login.steps have more than 64 KiB of text; shorten the requests"
	// +kubebuilder:validation:XValidation:rule="size(self) != 1 || !self.exists(r, has(r.timed) && r.timed)",message="the only one of service.own.login.steps is always timed; remove timed"
	// +kubebuilder:validation:XValidation:rule="self.all(r, !has(r.name) || self.exists_one(o, has(o.name) && o.name == r.name))",message="two requests of service.own.login.steps have the same name; rename one of them"
	Steps []Request `json:"steps,omitempty"`
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

// Title returns the name of a step, or its number from 1.
func (l *Login) Title(step int) string {
	if name := l.Steps[step].Name; name != "" {
		return name
	}
	return fmt.Sprintf("step %d", step+1)
}

// NumberOfAccounts returns how many accounts log in.
func (l *Login) NumberOfAccounts() int { return max(1, int(l.Accounts)) }

// Request is one HTTP request.
// +kubebuilder:validation:XValidation:rule="[has(self.json), has(self.form), has(self.body)].filter(x, x).size() <= 1",message="a request of service.own.login can have only one of json, form and body"
// +kubebuilder:validation:XValidation:rule="(has(self.method) && self.method != 'GET') || !(has(self.json) || has(self.form) || has(self.body))",message="a request of service.own.login with the method GET can't have json, form or body; set method: POST, or remove them"
// +kubebuilder:validation:XValidation:rule="!has(self.auth) || !has(self.headers) || !self.headers.exists(h, h.name.lowerAscii() == 'authorization')",message="a request with auth: Basic can't have the header Authorization, which Basic sets; remove one of them"
type Request struct {
	// A name for messages, which no other request of the list has. When absent: its number in the list.
	// +optional
	// +kubebuilder:validation:MinLength=1
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
	// Header fields. The values of a name that repeats are sent in one field, in their order, with
	// commas between them, or semicolons in Cookie.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(h, h.name.matches('^[A-Za-z0-9_.-]+$') && !(h.name.lowerAscii() in ['content-length', 'transfer-encoding', 'trailer']))",message="a name of headers must have only letters, digits, -, _ and ., and not be Content-Length, Transfer-Encoding or Trailer, which k6 sets by itself"
	Headers []Field `json:"headers,omitempty"`
	// How user and password are sent in addition to the rest. Basic sends them by HTTP's Basic
	// authentication. When absent: not at all.
	// +optional
	// +kubebuilder:validation:Enum=Basic
	Auth string `json:"auth,omitempty"`
	// The body as a JSON object of strings. Use body for any other JSON.
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(name, size(name) <= 128)",message="a name of json can have at most 128 characters; shorten it"
	JSON map[string]RequestText `json:"json,omitempty"`
	// The body as an HTML form, with its fields in their order. A name can repeat.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Form []Field `json:"form,omitempty"`
	// The body as text. Set its content type in headers.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8192
	Body string `json:"body,omitempty"`
	// What the response must be like; by default any status from 200 to 299. Redirects are not
	// followed.
	// +optional
	Expect ExpectedResponse `json:"expect,omitzero"`
	// Values in the response, which later requests of the list can refer to. Without one of them the
	// login fails.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Extract []Extraction `json:"extract,omitempty"`
	// Whether only this step counts towards the latency of a login. Not in setup. By default all steps
	// do.
	// +optional
	Timed bool `json:"timed,omitempty"`
}

// HealthCheck is how a user's own login service says that it is ready: by its response to a GET, or without a path by
// accepting a connection to its port.
type HealthCheck struct {
	// The path that answers a GET. When absent: a TCP connection is enough, also for the liveness probe.
	// +optional
	// +kubebuilder:validation:Pattern=`^/`
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path,omitempty"`
	// How user and password are sent. Basic sends them by HTTP's Basic authentication. The liveness probe
	// under load sends none, because it would be a login, and takes any status below 500 for alive.
	// When absent: not at all.
	// +optional
	// +kubebuilder:validation:Enum=Basic
	Auth string `json:"auth,omitempty"`
	// What the response must be like, such as {status: [401]} if every path wants a password; by default
	// any status from 200 to 399.
	// +optional
	Expect ExpectedResponse `json:"expect,omitzero"`
}

// Field is a field of a header or of a form.
type Field struct {
	// The name of the field.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Name string `json:"name"`
	// The value, which can be empty.
	Value RequestText `json:"value"`
}

// RequestText is a value in a request.
// +kubebuilder:validation:MaxLength=2048
type RequestText string

// ExpectedResponse is what a response must be like.
type ExpectedResponse struct {
	// The accepted statuses, at least one.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:Minimum=200
	// +kubebuilder:validation:items:Maximum=599
	Status []int32 `json:"status"`
}

// Accepts reports whether a status is expected.
func (e ExpectedResponse) Accepts(status int) bool {
	if len(e.Status) == 0 {
		return status >= 200 && status < 300
	}
	return slices.Contains(e.Status, int32(status))
}

// String lists the expected statuses.
func (e ExpectedResponse) String() string {
	if len(e.Status) == 0 {
		return "200 to 299"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Status), " ", " or "), "[]")
}

// Extraction names a value and says where it is in a response.
// +kubebuilder:validation:XValidation:rule="[has(self.header), has(self.cookie), has(self.formField), has(self.json), has(self.regexp)].filter(x, x).size() == 1",message="an extraction must have exactly one of header, cookie, formField, json and regexp"
type Extraction struct {
	// The name that $(NAME) refers to.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_]*$') && !self.startsWith('HASHMARK_')",message="a name of extract must begin with a letter or _, have only letters, digits and _, and not begin with HASHMARK_"
	Name string `json:"name"`
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
	// A regular expression of JavaScript, without flags, for the body. Its first group is the value.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Regexp string `json:"regexp,omitempty"`
}
