package login

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

func TestParseCredentials(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("é", MaxPasswordBytes/2)
	ann := Credentials{User: "ann", Password: "p w"}
	tests := map[string]struct {
		contentType, body string
		want              Credentials
		status            int
		says              string
	}{
		"JSON":                       {jsonType, `{"user":"ann","password":"p w"}`, ann, 0, ""},
		"JSON with a charset":        {jsonType + "; charset=utf-8", `{"user":"ann","password":"p w"}`, ann, 0, ""},
		"JSON with more in it":       {jsonType, `{"user":"ann","password":"p w","remember":true}`, ann, 0, ""},
		"a form":                     {formType, "user=ann&password=p+w", ann, 0, ""},
		"72 bytes of password":       {jsonType, `{"user":"ann","password":"` + longest + `"}`, Credentials{"ann", longest}, 0, ""},
		"73 bytes in 37 characters":  {jsonType, `{"user":"ann","password":"` + longest + `x"}`, Credentials{}, 400, "more than 72 bytes"},
		"73 bytes in a form":         {formType, "user=ann&password=" + strings.Repeat("x", 73), Credentials{}, 400, "bytes count, not characters"},
		"JSON without a user":        {jsonType, `{"password":"p"}`, Credentials{}, 400, "user is missing"},
		"JSON without a password":    {jsonType, `{"user":"ann"}`, Credentials{}, 400, "password is missing"},
		"a form without a password":  {formType, "user=ann", Credentials{}, 400, "password is missing"},
		"JSON that breaks off":       {jsonType, `{"user":"ann"`, Credentials{}, 400, "not JSON of the form"},
		"JSON followed by more":      {jsonType, `{"user":"ann","password":"p"} {}`, Credentials{}, 400, "not JSON of the form"},
		"a password that is no text": {jsonType, `{"user":"ann","password":7}`, Credentials{}, 400, "not JSON of the form"},
		"a form with a bad escape":   {formType, "user=%zz", Credentials{}, 400, "not a form"},
		"another type":               {"text/plain", "user=ann", Credentials{}, 415, "send user and password as"},
		"no type":                    {"", "user=ann", Credentials{}, 415, "send user and password as"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseCredentials(test.contentType, []byte(test.body))
			if test.status == 0 {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("credentials (-want +got):\n%s", diff)
				}
				return
			}
			var refused *refusal
			if !errors.As(err, &refused) || refused.status != test.status || !strings.Contains(refused.sentence, test.says) {
				t.Errorf("error %#v, want %d and %q", err, test.status, test.says)
			}
		})
	}
}

func FuzzParseCredentials(f *testing.F) {
	f.Add(jsonType, []byte(`{"user":"ann","password":"p w"}`))
	f.Add(formType, []byte("user=ann&password=p+w"))
	f.Add("application/json;;", []byte("\x00"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		c, err := parseCredentials(contentType, body)
		if err != nil {
			var refused *refusal
			if !errors.As(err, &refused) || refused.status < http.StatusBadRequest || refused.sentence == "" {
				t.Fatalf("%#v is not a refusal with a sentence", err)
			}
			return
		}
		if c.User == "" || c.Password == "" || len(c.Password) > MaxPasswordBytes {
			t.Fatalf("%+v was not refused", c)
		}
	})
}

func FuzzFormAndJSONAgree(f *testing.F) {
	f.Add("ann", "p w")
	f.Add("é", "&=%\"\\")
	f.Fuzz(func(t *testing.T, user, password string) {
		// JSON can't carry bytes that are not UTF-8.
		user, password = strings.ToValidUTF8(user, "x"), strings.ToValidUTF8(password, "x")
		text, err := json.Marshal(map[string]string{"user": user, "password": password})
		if err != nil {
			t.Fatal(err)
		}
		form := url.Values{"user": {user}, "password": {password}}.Encode()
		fromJSON, jsonErr := parseCredentials(jsonType, text)
		fromForm, formErr := parseCredentials(formType, []byte(form))
		if (jsonErr == nil) != (formErr == nil) {
			t.Fatalf("JSON: %v, form: %v", jsonErr, formErr)
		}
		if jsonErr == nil && fromJSON != fromForm {
			t.Fatalf("JSON: %+v, form: %+v", fromJSON, fromForm)
		}
	})
}
