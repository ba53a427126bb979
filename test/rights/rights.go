// Package rights holds what an account was granted against what it asked for, as
// the API server's audit log tells.
//
// Granted is every rule of every role that is bound to the account by name,
// taken apart into single rights: one verb on one resource, within the binding's
// namespace. A request uses each right that covers it. A request that no right
// covers is outside; a right that no request used is idle. rights.yaml says of
// each idle right why it is granted all the same.
//
// What Kubernetes lets every account do, such as discovery, is no right of the
// account's own and is left out. Whether a right ought to be granted at all is
// asked elsewhere.
package rights

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Right is one verb on one resource that a role grants.
type Right struct {
	// Role is the role's kind and name, such as ClusterRole/hashmark-operator.
	Role string
	// Namespace is the one the right is good for; "" is all, and what is in none.
	Namespace string
	// Group, Resource and Verb are as in a role's rule: a subresource is
	// pods/status, and * stands for all.
	Group, Resource, Verb string
	// Name is the only object the right is good for; "" is any.
	Name string
}

// Bindings is what a cluster says of who may do what.
type Bindings struct {
	ClusterRoles        []rbacv1.ClusterRole
	ClusterRoleBindings []rbacv1.ClusterRoleBinding
	Roles               []rbacv1.Role
	RoleBindings        []rbacv1.RoleBinding
}

// Granted is every right of a service account that is bound to it by its name,
// sorted and each once.
func Granted(b Bindings, namespace, account string) []Right {
	var all []Right
	for _, binding := range b.ClusterRoleBindings {
		if names(binding.Subjects, "", namespace, account) {
			all = append(all, apart(b.rules("", binding.RoleRef), binding.RoleRef, "")...)
		}
	}
	for _, binding := range b.RoleBindings {
		if names(binding.Subjects, binding.Namespace, namespace, account) {
			all = append(all, apart(b.rules(binding.Namespace, binding.RoleRef), binding.RoleRef, binding.Namespace)...)
		}
	}
	slices.SortFunc(all, Right.compare)
	return slices.Compact(all)
}

// names tells whether a binding names the account. A subject without a namespace
// is of the binding's.
func names(subjects []rbacv1.Subject, bindingNamespace, namespace, account string) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		return s.Kind == rbacv1.ServiceAccountKind && s.Name == account && cmp.Or(s.Namespace, bindingNamespace) == namespace
	})
}

// rules are those of the role that a binding refers to. A role that is not there
// grants nothing.
func (b Bindings) rules(namespace string, ref rbacv1.RoleRef) []rbacv1.PolicyRule {
	if ref.Kind == "ClusterRole" {
		for _, role := range b.ClusterRoles {
			if role.Name == ref.Name {
				return role.Rules
			}
		}
		return nil
	}
	for _, role := range b.Roles {
		if role.Name == ref.Name && role.Namespace == namespace {
			return role.Rules
		}
	}
	return nil
}

// apart is each right of a role's rules by itself.
func apart(rules []rbacv1.PolicyRule, ref rbacv1.RoleRef, namespace string) []Right {
	var all []Right
	for _, rule := range rules {
		named := rule.ResourceNames
		if len(named) == 0 {
			named = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					for _, name := range named {
						all = append(all, Right{Role: ref.Kind + "/" + ref.Name, Namespace: namespace, Group: group, Resource: resource, Verb: verb, Name: name})
					}
				}
			}
		}
	}
	return all
}

// covers tells whether a right allows a request.
func (r Right) covers(request Request) bool {
	return (r.Namespace == "" || r.Namespace == request.Namespace) &&
		(r.Group == rbacv1.APIGroupAll || r.Group == request.Group) &&
		coversResource(r.Resource, request.Resource) &&
		(r.Verb == rbacv1.VerbAll || r.Verb == request.Verb) &&
		(r.Name == "" || r.Name == request.Name)
}

// coversResource knows the two wildcards of a rule: every resource, and one
// subresource of every resource.
func coversResource(granted, asked string) bool {
	if granted == rbacv1.ResourceAll || granted == asked {
		return true
	}
	subresource, every := strings.CutPrefix(granted, "*/")
	_, asks, has := strings.Cut(asked, "/")
	return every && has && subresource == asks
}

func (r Right) compare(other Right) int {
	return cmp.Or(
		cmp.Compare(r.Role, other.Role), cmp.Compare(r.Namespace, other.Namespace), cmp.Compare(r.Group, other.Group),
		cmp.Compare(r.Resource, other.Resource), cmp.Compare(r.Verb, other.Verb), cmp.Compare(r.Name, other.Name))
}

// String is the right as kubectl would say it.
func (r Right) String() string {
	text := r.Role + ": " + r.Verb + " " + resource(r.Group, r.Resource)
	if r.Name != "" {
		text += " " + r.Name
	}
	if r.Namespace != "" {
		text += " in " + r.Namespace
	}
	return text
}

// resource is a resource with its group, as in deployments.apps/scale.
func resource(group, name string) string {
	if group == "" {
		return name
	}
	kind, subresource, has := strings.Cut(name, "/")
	if has {
		return kind + "." + group + "/" + subresource
	}
	return kind + "." + group
}
