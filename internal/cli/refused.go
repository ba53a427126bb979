package cli

import (
	"errors"
	"fmt"
	"net"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/internal/smoke"
)

// refused says in a sentence why the cluster did not do what it was asked to,
// and what to do. The verb is what was asked.
func refused(err error, verb string, key client.ObjectKey) error {
	switch {
	case err == nil:
		return nil
	case meta.IsNoMatchError(err):
		return smoke.Unknown(err)
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return fmt.Errorf("namespace %s is being deleted; name another by --namespace", key.Namespace)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("you may not %s sizingexperiments in namespace %s; the chart's %s role has that right (%w)",
			verb, key.Namespace, roleWith(verb), err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server does not know you; log in again, or name another user by --user (%w)", err)
	case apierrors.IsNotFound(err):
		return missing(err, key)
	case unreachable(err):
		return fmt.Errorf("the API server can't be reached: %w", err)
	default:
		return unwanted(err, verb, key)
	}
}

// missing says what is not there.
func missing(err error, key client.ObjectKey) error {
	if aboutNamespace(err) {
		return fmt.Errorf("namespace %s does not exist; create it, or name another by --namespace", key.Namespace)
	}
	return fmt.Errorf("there is no experiment %s in namespace %s; see: kubectl get sizingexperiments -n %[2]s", key.Name, key.Namespace)
}

// unwanted says what is wrong with the experiment itself.
func unwanted(err error, verb string, key client.ObjectKey) error {
	switch {
	case apierrors.IsAlreadyExists(err):
		return fmt.Errorf("there is an experiment %s in namespace %s already; give this one another name by --name, or follow that one: "+
			"kubectl hashmark watch %[1]s -n %[2]s", key.Name, key.Namespace)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return fmt.Errorf("the experiment is refused: %s", complaints(err))
	default:
		return fmt.Errorf("the API server would not %s the experiment: %w", verb, err)
	}
}

func roleWith(verb string) string {
	if verb == "get" || verb == "list" || verb == "watch" {
		return "view"
	}
	return "edit"
}

// complaints are the API server's, each with its field, without the frame that
// it puts around them.
func complaints(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err.Error()
	}
	details := status.Status().Details
	if details == nil || len(details.Causes) == 0 {
		return status.Status().Message
	}
	var each []string
	for _, cause := range details.Causes {
		each = append(each, strings.TrimPrefix(cause.Field+": ", "<nil>: ")+sentence(cause))
	}
	return strings.Join(each, "; ")
}

// sentence is a complaint's message. One of a CEL rule says all by itself; one of
// the schema needs the value that the API server puts before it.
func sentence(cause metav1.StatusCause) string {
	message := strings.TrimPrefix(cause.Message, "Invalid value: ")
	if strings.Contains(message, " in body ") {
		return cause.Message
	}
	return strings.TrimPrefix(message, `"object": `)
}

func aboutNamespace(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Kind == "namespaces"
}

// unreachable tells an API server that is away from one that says no.
func unreachable(err error) bool {
	var network net.Error
	var said apierrors.APIStatus
	return errors.As(err, &network) && !errors.As(err, &said)
}
