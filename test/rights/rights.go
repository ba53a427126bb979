// Package rights compares the rights that an account was granted with its requests in the API
// server's audit log.
//
// Granted lists the rights of every role that is bound to the account by name. A right is one
// verb on one resource, within the binding's namespace. A request uses each right that covers
// it. A request that no right covers is outside; a right that no request used is idle.
// rights.yaml gives the reason for each idle right.
//
// What Kubernetes allows every account, such as discovery, is not included. The package does
// not decide whether a right should be granted.
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
	// Namespace is the namespace that the right applies to; "" means all, and cluster-wide resources.
	Namespace string
	// Group, Resource and Verb are as in a role's rule: a subresource is pods/status, and *
	// means all.
	Group, Resource, Verb string
	// Name is the only object that the right applies to; "" means any.
	Name string
}

// Bindings are the roles and bindings of a cluster.
type Bindings struct {
	ClusterRoles        []rbacv1.ClusterRole
	ClusterRoleBindings []rbacv1.ClusterRoleBinding
	Roles               []rbacv1.Role
	RoleBindings        []rbacv1.RoleBinding
}

// Granted returns every right of a service account that is bound to it by name, sorted and
// without duplicates.
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

// names reports whether a binding names the account. A subject without a namespace is in the
// binding's namespace.
func names(subjects []rbacv1.Subject, bindingNamespace, namespace, account string) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		return s.Kind == rbacv1.ServiceAccountKind && s.Name == account && cmp.Or(s.Namespace, bindingNamespace) == namespace
	})
}

// rules returns the rules of the role that a binding refers to. A missing role grants nothing.
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

// apart returns the single rights of a role's rules.
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

// covers reports whether a right allows a request.
func (r Right) covers(request Request) bool {
	return (r.Namespace == "" || r.Namespace == request.Namespace) &&
		(r.Group == rbacv1.APIGroupAll || r.Group == request.Group) &&
		coversResource(r.Resource, request.Resource) &&
		(r.Verb == rbacv1.VerbAll || r.Verb == request.Verb) &&
		(r.Name == "" || r.Name == request.Name)
}

// coversResource supports the two wildcards of a rule: every resource, and one subresource of
// every resource.
func coversResource(granted, requested string) bool {
	if granted == rbacv1.ResourceAll || granted == requested {
		return true
	}
	subresource, every := strings.CutPrefix(granted, "*/")
	_, wanted, has := strings.Cut(requested, "/")
	return every && has && subresource == wanted
}

func (r Right) compare(other Right) int {
	return cmp.Or(
		cmp.Compare(r.Role, other.Role), cmp.Compare(r.Namespace, other.Namespace), cmp.Compare(r.Group, other.Group),
		cmp.Compare(r.Resource, other.Resource), cmp.Compare(r.Verb, other.Verb), cmp.Compare(r.Name, other.Name))
}

// String returns the right in the form of kubectl.
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

// resource returns a resource with its group, as in deployments.apps/scale.
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
