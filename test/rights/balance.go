package rights

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// Balance is the result of comparing requests with rights.
type Balance struct {
	// Outside are the requests that no right covers.
	Outside []Request
	// Forbidden are the requests that the API server refused because a right was missing.
	Forbidden []Request
	// Idle are the rights that no request used.
	Idle []Right
}

// Hold compares requests with rights. Requests that are not for a resource need no right, so
// they are never outside.
func Hold(granted []Right, requests []Request) Balance {
	var b Balance
	used := map[Right]bool{}
	for _, request := range requests {
		covered := request.Path != ""
		for _, right := range granted {
			if request.Path == "" && right.covers(request) {
				covered, used[right] = true, true
			}
		}
		if !covered {
			b.Outside = append(b.Outside, request)
		}
		if request.Forbidden {
			b.Forbidden = append(b.Forbidden, request)
		}
	}
	for _, right := range granted {
		if !used[right] {
			b.Idle = append(b.Idle, right)
		}
	}
	return b
}

// Excuse is the reason why rights are granted that no test uses.
type Excuse struct {
	// Role is the role's kind and name.
	Role string `json:"role"`
	// Group and Resource are as in a role's rule.
	Group    string `json:"group"`
	Resource string `json:"resource"`
	// Verbs are the idle verbs. Others of the same rule may be used.
	Verbs []string `json:"verbs"`
	// Reason is a sentence: what the rights are for, and why no test uses them.
	Reason string `json:"reason"`
	// Sometimes means that a race decides whether the rights are used, so the suite also
	// passes if they are.
	Sometimes bool `json:"sometimes,omitempty"`
}

//go:embed rights.yaml
var listed []byte

// Excuses reads rights.yaml.
func Excuses() ([]Excuse, error) { return parseExcuses(listed) }

// parseExcuses parses a list. It returns an error for an entry without a reason.
func parseExcuses(text []byte) ([]Excuse, error) {
	var all []Excuse
	if err := yaml.UnmarshalStrict(bytes.TrimSpace(text), &all); err != nil {
		return nil, fmt.Errorf("parsing the list of idle rights: %w", err)
	}
	for _, e := range all {
		if e.Role == "" || e.Resource == "" || len(e.Verbs) == 0 || e.Reason == "" {
			return nil, fmt.Errorf("%s of %s needs role, resource, verbs and reason", resource(e.Group, e.Resource), e.Role)
		}
	}
	return all, nil
}

// rights returns the excused rights, without a namespace.
func (e Excuse) rights() []Right {
	var all []Right
	for _, verb := range e.Verbs {
		all = append(all, Right{Role: e.Role, Group: e.Group, Resource: e.Resource, Verb: verb})
	}
	return all
}

// Explain compares idle rights with their excuses. It returns the idle rights without an
// excuse, and the excused rights that are not idle. An excuse with Sometimes is never
// needless.
func Explain(idle []Right, excuses []Excuse) (unexplained, needless []Right) {
	var excused, always, general []Right
	for _, e := range excuses {
		excused = append(excused, e.rights()...)
		if !e.Sometimes {
			always = append(always, e.rights()...)
		}
	}
	for _, right := range idle {
		anywhere := Right{Role: right.Role, Group: right.Group, Resource: right.Resource, Verb: right.Verb}
		general = append(general, anywhere)
		if !slices.Contains(excused, anywhere) {
			unexplained = append(unexplained, right)
		}
	}
	for _, right := range always {
		if !slices.Contains(general, right) {
			needless = append(needless, right)
		}
	}
	return unexplained, needless
}
