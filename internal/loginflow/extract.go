package loginflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// from returns the value of a variable in a response, and false if it is not there.
func from(e handover.Extraction, response *http.Response, body []byte) (string, bool) {
	switch {
	case e.Header != "":
		value := response.Header.Get(e.Header)
		return value, value != ""
	case e.Cookie != "":
		for _, cookie := range response.Cookies() {
			if cookie.Name == e.Cookie {
				return cookie.Value, true
			}
		}
		return "", false
	case e.FormField != "":
		return formField(body, e.FormField)
	case e.JSON != "":
		return jsonValue(body, e.JSON)
	default:
		return firstGroup(body, e.Regexp)
	}
}

// formField returns the value of the first input element with a name.
func formField(page []byte, name string) (string, bool) {
	tokens := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return "", false
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			if token.DataAtom == atom.Input && attribute(token, "name") == name {
				return attribute(token, "value"), true
			}
		}
	}
}

func attribute(token html.Token, key string) string {
	for _, a := range token.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// jsonValue returns a string, a number or a boolean as text.
func jsonValue(body []byte, path string) (string, bool) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return "", false
	}
	for name := range strings.SplitSeq(path, ".") {
		object, is := value.(map[string]any)
		if !is {
			return "", false
		}
		if value, is = object[name]; !is {
			return "", false
		}
	}
	switch value.(type) {
	case string, json.Number, bool:
		return fmt.Sprint(value), true
	default:
		return "", false
	}
}

func firstGroup(body []byte, expression string) (string, bool) {
	compiled, err := regexp.Compile(expression)
	if err != nil {
		return "", false
	}
	match := compiled.FindSubmatch(body)
	if len(match) < 2 {
		return "", false
	}
	return string(match[1]), true
}
