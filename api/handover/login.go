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
type Login struct {
	// Requests that are sent once to each pod, before the first login, for example to create the
	// account.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.map(r, size(bytes(r.path)) + (has(r.body) ? size(bytes(r.body)) : 0) + (has(r.headers) ? r.headers.map(k, size(bytes(k)) + size(bytes(r.headers[k]))).sum() : 0) + (has(r.json) ? r.json.map(k, size(bytes(k)) + size(bytes(r.json[k]))).sum() : 0) + (has(r.form) ? r.form.map(k, size(bytes(k)) + size(bytes(r.form[k]))).sum() : 0)).sum() <= 65536",message="service.own.login.setup has more than 64 KiB of text; shorten the requests"
	Setup []Request `json:"setup,omitempty"`
	// The requests of one login, in their order. A login begins without cookies, and keeps those
	// that it gets.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.map(r, size(bytes(r.path)) + (has(r.body) ? size(bytes(r.body)) : 0) + (has(r.headers) ? r.headers.map(k, size(bytes(k)) + size(bytes(r.headers[k]))).sum() : 0) + (has(r.json) ? r.json.map(k, size(bytes(k)) + size(bytes(r.json[k]))).sum() : 0) + (has(r.form) ? r.form.map(k, size(bytes(k)) + size(bytes(r.form[k]))).sum() : 0)).sum() <= 65536",message="service.own.login.steps have more than 64 KiB of text; shorten the requests"
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

// Request is one HTTP request.
// +kubebuilder:validation:XValidation:rule="[has(self.json), has(self.form), has(self.body)].filter(x, x).size() <= 1",message="a request of service.own.login can have only one of json, form and body"
type Request struct {
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
	// A regular expression of JavaScript, without flags, for the body. Its first group is the value.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Regexp string `json:"regexp,omitempty"`
}
