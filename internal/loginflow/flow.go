package loginflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Flow is how to log in. As JSON, it is the field spec.service.own.login of an experiment.
type Flow struct {
	// Setup is sent once, before the first login.
	Setup []Request `json:"setup,omitempty"`
	// Steps are the requests of one login, in their order.
	Steps []Request `json:"steps,omitempty"`
	// Script is a k6 script that logs in, if there are no steps.
	Script string `json:"script,omitempty"`
	// Wrong is what the last step, or the script's response, must be like after a wrong password.
	Wrong Expect `json:"wrong"`
}

// Request is one HTTP request. In Path, and in the values of Headers, JSON, Form and Body, $(NAME)
// stands for a variable.
type Request struct {
	Name string `json:"name,omitempty"`
	// Method is GET if empty.
	Method string `json:"method,omitempty"`
	// Path begins with a slash.
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers,omitempty"`
	// BasicAuth sends user and password in the header Authorization.
	BasicAuth bool `json:"basicAuth,omitempty"`
	// At most one of JSON, Form and Body is set.
	JSON map[string]string `json:"json,omitempty"`
	Form map[string]string `json:"form,omitempty"`
	Body string            `json:"body,omitempty"`
	// Expect any status from 200 to 299 if it has none.
	Expect Expect `json:"expect,omitzero"`
	// Extract sets variables from the response, by their names.
	Extract map[string]Extraction `json:"extract,omitempty"`
	// Timed is true if only this request counts towards the latency.
	Timed bool `json:"timed,omitempty"`
}

// Expect is what a response must be like.
type Expect struct {
	// Status has the accepted statuses.
	Status []int `json:"status,omitempty"`
}

// Extraction says where a variable's value is in a response. Exactly one field is set.
type Extraction struct {
	// Header is the name of a header.
	Header string `json:"header,omitempty"`
	// Cookie is the name of a cookie that the response sets.
	Cookie string `json:"cookie,omitempty"`
	// FormField is the name of an input element of an HTML page.
	FormField string `json:"formField,omitempty"`
	// JSON is the path of a value in a JSON response, names with dots between, such as session.token.
	JSON string `json:"json,omitempty"`
	// Regexp is a regular expression for the body. Its first group is the value.
	Regexp string `json:"regexp,omitempty"`
}

// Parse reads a flow. It refuses unknown fields: they would be a part of the login that is not
// sent.
func Parse(text string) (Flow, error) {
	var flow Flow
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&flow); err != nil {
		return Flow{}, fmt.Errorf("read how to log in: %w", err)
	}
	if (len(flow.Steps) == 0) == (flow.Script == "") {
		return Flow{}, errors.New("read how to log in: it needs either steps or a script")
	}
	return flow, nil
}

// Title returns the name of a step, or its number from 1.
func (f Flow) Title(step int) string {
	if name := f.Steps[step].Name; name != "" {
		return name
	}
	return fmt.Sprintf("step %d", step+1)
}
