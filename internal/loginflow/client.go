package loginflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/envvar"
)

const (
	// longestBody is how much of a response is read to find variables, in bytes.
	longestBody = 1 << 20
	// quotedBody is how much of a response an error quotes, in characters.
	quotedBody = 200
)

// Client logs in at one service, one login after another.
type Client struct {
	flow    handover.Login
	target  string
	direct  *Direct
	timeout time.Duration
}

// NewClient returns a client for the service at an address such as http://127.0.0.1:8080. Each
// request may take as long as the timeout.
func NewClient(flow handover.Login, target string, timeout time.Duration) *Client {
	// A connection per client is kept, as k6's virtual users do.
	return &Client{flow: flow, target: strings.TrimSuffix(target, "/"), direct: NewDirect(timeout, true), timeout: timeout}
}

// StepError is a request whose response is not as expected.
type StepError struct {
	// Step is the name of the request.
	Step string
	// Message says what was wrong, with the status and the beginning of the response.
	Message string
}

// Error returns both.
func (e *StepError) Error() string { return e.Step + ": " + e.Message }

// Setup sends the requests before the first login.
func (c *Client) Setup(ctx context.Context, user, password string) error {
	session, variables := c.session(), credentials(user, password)
	for i, request := range c.flow.Setup {
		name := request.Name
		if name == "" {
			name = fmt.Sprintf("setup request %d", i+1)
		}
		if err := c.send(ctx, session, request, name, variables); err != nil {
			return err
		}
	}
	return nil
}

// Login logs in once, without cookies of earlier logins. The error is a *StepError, or says why
// the service could not be reached.
func (c *Client) Login(ctx context.Context, user, password string) error {
	session, variables := c.session(), credentials(user, password)
	for i, request := range c.flow.Steps {
		if err := c.send(ctx, session, request, c.flow.Title(i), variables); err != nil {
			return err
		}
	}
	return nil
}

// LoginWrongly logs in with a wrong password. The steps before the last must succeed, and the last
// must be refused as the flow says.
func (c *Client) LoginWrongly(ctx context.Context, user, password string) error {
	wrong := *c
	wrong.flow.Steps = slices.Clone(c.flow.Steps)
	last := &wrong.flow.Steps[len(wrong.flow.Steps)-1]
	last.Expect, last.Extract = c.flow.Wrong, nil
	return wrong.Login(ctx, user, password)
}

func credentials(user, password string) map[string]string {
	return map[string]string{envvar.User: user, envvar.Password: password}
}

// session returns a client on the same connections that keeps cookies, and has none yet.
func (c *Client) session() *Direct {
	session := *c.direct
	session.client.Jar, _ = cookiejar.New(nil) // never fails
	return &session
}

// send sends a request, and adds what it extracts from the response to the variables.
func (c *Client) send(ctx context.Context, session *Direct, r handover.Request, name string, variables map[string]string) error {
	request, err := c.request(ctx, r, variables)
	if err != nil {
		return &StepError{Step: name, Message: err.Error()}
	}
	response, body, err := session.send(request, longestBody)
	switch {
	case response == nil:
		return &StepError{Step: name, Message: "there was no response: " + cause(err)}
	case err != nil:
		return &StepError{Step: name, Message: "the response ended early: " + cause(err)}
	}
	if !r.Expect.Accepts(response.StatusCode) {
		return &StepError{Step: name, Message: fmt.Sprintf("the status was %d, and %s was expected. %s", response.StatusCode, r.Expect, quoted(response, body))}
	}
	for _, variable := range slices.Sorted(maps.Keys(r.Extract)) {
		value, found := from(r.Extract[variable], response, body)
		if !found {
			return &StepError{Step: name, Message: fmt.Sprintf("%s was not found in the response, which has the status %d and begins with %.*q",
				variable, response.StatusCode, quotedBody, body)}
		}
		variables[variable] = value
	}
	return nil
}

// quoted says what is in a response. That of a redirect is where to.
func quoted(response *http.Response, body []byte) string {
	if location := response.Header.Get("Location"); location != "" {
		return fmt.Sprintf("The response redirects to %.*q", quotedBody, location)
	}
	return fmt.Sprintf("The response begins with %.*q", quotedBody, body)
}

// request builds an HTTP request.
func (c *Client) request(ctx context.Context, r handover.Request, variables map[string]string) (*http.Request, error) {
	body, kind := bodyOf(r, variables)
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, c.target+Expand(r.Path, variables), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	for name, value := range expandAll(r.Headers, variables) {
		request.Header.Set(name, value)
	}
	if r.BasicAuth {
		request.SetBasicAuth(variables[envvar.User], variables[envvar.Password])
	}
	return request, nil
}

// bodyOf returns the body of a request and its content type.
func bodyOf(r handover.Request, variables map[string]string) (body, kind string) {
	switch {
	case r.JSON != nil:
		text, _ := json.Marshal(expandAll(r.JSON, variables)) // a map of strings always has a JSON form
		return string(text), "application/json"
	case r.Form != nil:
		form := url.Values{}
		for name, value := range expandAll(r.Form, variables) {
			form.Set(name, value)
		}
		return form.Encode(), "application/x-www-form-urlencoded"
	default:
		return Expand(r.Body, variables), ""
	}
}

// cause returns the innermost error, without the address of the request.
func cause(err error) string {
	if failed, is := errors.AsType[*url.Error](err); is {
		err = failed.Err
	}
	return err.Error()
}
