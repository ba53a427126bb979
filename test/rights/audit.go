package rights

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Request is a request in an audit log.
type Request struct {
	// Verb is the API's verb, such as list or watch. For a path it is the HTTP method in lower
	// case.
	Verb string
	// Group, Resource, Namespace and Name are of the requested object. A subresource is
	// written as pods/status. Name is empty if no single object was requested.
	Group, Resource, Namespace, Name string
	// Path is set, with Verb only, if the request was not for a resource.
	Path string
	// Forbidden means that the account lacked the right. The status 403 alone does not mean
	// that: admission also returns it, for example in a namespace that is being deleted.
	Forbidden bool
}

// event has the fields of an audit event, audit.k8s.io/v1, that are used here.
type event struct {
	Verb       string
	RequestURI string
	User       struct{ Username string }
	ObjectRef  *struct {
		Resource, Subresource, Namespace, Name string
		APIGroup                               string
	}
	StageTimestamp time.Time
	Annotations    map[string]string
}

// decision is the annotation that says whether the API server allowed a request, and allowed
// is its value if it did.
const (
	decision = "authorization.k8s.io/decision"
	allowed  = "allow"
)

// Read returns each different request of a user since a time, in the order of its first
// occurrence. It ignores an incomplete last line, which the API server may be writing. Any
// other line that is not an event is an error.
func Read(log io.Reader, user string, since time.Time) ([]Request, error) {
	var all []Request
	seen := map[Request]bool{}
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("the audit log has a line that is not an event: %w", err)
		}
		if e.User.Username != user || e.StageTimestamp.Before(since) {
			continue
		}
		if request := e.request(); !seen[request] {
			seen[request] = true
			all = append(all, request)
		}
	}
}

func (e event) request() Request {
	r := Request{Verb: e.Verb, Forbidden: e.Annotations[decision] != allowed}
	if e.ObjectRef == nil {
		r.Path = e.RequestURI
		return r
	}
	r.Group, r.Resource, r.Namespace, r.Name = e.ObjectRef.APIGroup, e.ObjectRef.Resource, e.ObjectRef.Namespace, e.ObjectRef.Name
	if e.ObjectRef.Subresource != "" {
		r.Resource += "/" + e.ObjectRef.Subresource
	}
	return r
}

// String returns the request in the form of kubectl.
func (r Request) String() string {
	if r.Path != "" {
		return r.Verb + " " + r.Path
	}
	text := r.Verb + " " + resource(r.Group, r.Resource)
	if r.Name != "" {
		text += " " + r.Name
	}
	if r.Namespace != "" {
		text += " in " + r.Namespace
	}
	return text
}
