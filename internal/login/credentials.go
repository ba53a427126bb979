package login

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// maxBodyBytes is more than enough for a user and a password of 72 bytes, escaped.
const maxBodyBytes = 4096

// Credentials are what a caller logs in with.
type Credentials struct {
	User     string
	Password string
}

// refusal is the answer to a request that is refused without a hash.
type refusal struct {
	status   int
	sentence string
}

func (r *refusal) Error() string { return r.sentence }

func badRequest(format string, arguments ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, sentence: fmt.Sprintf(format, arguments...)}
}

// readCredentials reads the whole body of POST /login. The body must be read before the
// login queues, because net/http notices that a caller is gone only after it has read the
// end of the body.
func readCredentials(w http.ResponseWriter, r *http.Request) (Credentials, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		return Credentials{}, bodyError(err)
	}
	return parseCredentials(r.Header.Get("Content-Type"), body)
}

func bodyError(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return &refusal{
			status:   http.StatusRequestEntityTooLarge,
			sentence: fmt.Sprintf("the body has more than %d bytes", maxBodyBytes),
		}
	}
	return badRequest("the body could not be read completely: %v", err)
}

// parseCredentials returns user and password from a form or from JSON. The error is a
// *refusal.
func parseCredentials(contentType string, body []byte) (Credentials, error) {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType = ""
	}
	var c Credentials
	switch mediaType {
	case "application/json":
		c, err = parseJSON(body)
	case "application/x-www-form-urlencoded":
		c, err = parseForm(body)
	default:
		return Credentials{}, &refusal{
			status:   http.StatusUnsupportedMediaType,
			sentence: "send user and password as application/json or application/x-www-form-urlencoded",
		}
	}
	if err != nil {
		return Credentials{}, err
	}
	return c, c.check()
}

func parseJSON(body []byte) (Credentials, error) {
	var fields struct {
		User     string `json:"user"`
		Password string `json:"password"`
	}
	if err := json.Unmarshal(body, &fields); err != nil {
		return Credentials{}, badRequest(`the body is not JSON of the form {"user": "...", "password": "..."}: %v`, err)
	}
	return Credentials{User: fields.User, Password: fields.Password}, nil
}

func parseForm(body []byte) (Credentials, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return Credentials{}, badRequest("the body is not a form: %v", err)
	}
	return Credentials{User: form.Get("user"), Password: form.Get("password")}, nil
}

// check refuses credentials that can't be right, to save the hash. The error is a *refusal.
func (c Credentials) check() error {
	switch {
	case c.User == "":
		return badRequest("the user is missing")
	case c.Password == "":
		return badRequest("the password is missing")
	case len(c.Password) > MaxPasswordBytes:
		return badRequest("%v", ErrPasswordTooLong)
	}
	return nil
}
