package follow

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Refused returns an error that says in one sentence why the API server refused a request, and what to do, or nil
// for nil. verb is the verb of the request.
func Refused(err error, verb string, key client.ObjectKey) error {
	switch {
	case err == nil:
		return nil
	case meta.IsNoMatchError(err):
		return UnknownKinds(err)
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return fmt.Errorf("namespace %s is being deleted; use another --namespace", key.Namespace)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("you can't %s sizingexperiments %s; ask for the chart's %s role (%w)",
			verb, Within(key.Namespace), roleWith(verb), err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server does not accept your credentials; log in again, or use another --user (%w)", err)
	case apierrors.IsNotFound(err):
		return missing(err, key)
	case unreachable(err):
		return fmt.Errorf("the API server can't be reached: %w", err)
	default:
		return rejected(err, verb, key)
	}
}

// UnknownKinds explains the error of a cluster without Hashmark's CustomResourceDefinitions. It returns other errors
// unchanged.
func UnknownKinds(err error) error {
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("the cluster does not know Hashmark's kinds: apply config/crd, "+
			"or install the chart with crds.enabled=true (%w)", err)
	}
	return err
}

// Within says where: in a namespace, or in all of them.
func Within(namespace string) string {
	if namespace == "" {
		return "in all namespaces"
	}
	return "in namespace " + namespace
}

// missing returns an error that says what was not found.
func missing(err error, key client.ObjectKey) error {
	if details := detailsOf(err); details != nil && details.Kind == "namespaces" {
		return fmt.Errorf("namespace %s does not exist; create it, or use another --namespace", key.Namespace)
	}
	return fmt.Errorf("experiment %s was not found in namespace %s; see: kubectl get sizingexperiments -n %[2]s", key.Name, key.Namespace)
}

// rejected returns an error that says what is wrong with the experiment itself.
func rejected(err error, verb string, key client.ObjectKey) error {
	switch {
	case apierrors.IsAlreadyExists(err):
		return fmt.Errorf("experiment %s already exists in namespace %s; use another --name, or follow the existing one: "+
			"kubectl hashmark watch %[1]s -n %[2]s", key.Name, key.Namespace)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return fmt.Errorf("the experiment is invalid: %s", complaints(err))
	default:
		return fmt.Errorf("can't %s the experiment: %w", verb, err)
	}
}

func roleWith(verb string) string {
	if verb == "get" || verb == "list" || verb == "watch" {
		return "view"
	}
	return "edit"
}

// complaints returns the API server's messages, each with its field, without the text
// that it puts around them.
func complaints(err error) string {
	details := detailsOf(err)
	if details == nil || len(details.Causes) == 0 {
		return err.Error()
	}
	var each []string
	for _, cause := range details.Causes {
		each = append(each, strings.TrimPrefix(cause.Field+": ", "<nil>: ")+sentence(cause))
	}
	return strings.Join(each, "; ")
}

// detailsOf returns nil if the error is not from an API server.
func detailsOf(err error) *metav1.StatusDetails {
	if status, is := errors.AsType[*apierrors.StatusError](err); is {
		return status.ErrStatus.Details
	}
	return nil
}

// typeOfValue is what an API server puts before the message of a CEL rule. That of Kubernetes 1.34 also
// does so for lists.
var typeOfValue = regexp.MustCompile(`^"(object|array|string|integer|number|boolean)": `)

// sentence returns the message of a cause. The message of a CEL rule is complete; that of
// the schema needs the value that the API server puts before it.
func sentence(cause metav1.StatusCause) string {
	message := strings.TrimPrefix(cause.Message, "Invalid value: ")
	if strings.Contains(message, " in body ") {
		return cause.Message
	}
	return typeOfValue.ReplaceAllString(message, "")
}

// unreachable reports whether the API server could not be reached, as opposed to a server
// that refuses the request.
func unreachable(err error) bool {
	var network net.Error
	var status apierrors.APIStatus
	return errors.As(err, &network) && !errors.As(err, &status)
}

// transient reports whether an error goes away by itself: an API server that restarts refuses connections, then
// says that it is not ready.
func transient(err error) bool {
	return unreachable(err) || apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) ||
		apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err)
}
