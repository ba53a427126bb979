package rights

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Request is what one line of an audit log asked for.
type Request struct {
	// Verb is the API's, such as list or watch; for a path it is HTTP's, in lower
	// case.
	Verb string
	// Group, Resource, Namespace and Name are of the object asked for; a
	// subresource is pods/status. Name is empty where none was asked for.
	Group, Resource, Namespace, Name string
	// Path is set, and nothing above but Verb, where no resource was asked for.
	Path string
	// Forbidden says that the account lacked the right. An answer 403 by itself
	// does not: admission answers so too, as to what is created in a namespace that
	// is ending.
	Forbidden bool
}

// event is the part of an audit event, audit.k8s.io/v1, that is read here.
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

// decision is the annotation in which the API server says whether it allowed a
// request, and allowed its value when it did.
const (
	decision = "authorization.k8s.io/decision"
	allowed  = "allow"
)

// Read gives each different request of a user's since a moment, in the order of
// their first coming. A last line that is not whole is left out, since the API
// server may be writing it. Any other line that is no event is an error.
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
			return nil, fmt.Errorf("the audit log holds what is no event: %w", err)
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

// String is the request as kubectl would say it.
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
