package follow

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestRefusedSaysInOneLineWhatToDo(t *testing.T) {
	experiments := schema.GroupResource{Group: v1beta1.GroupVersion.Group, Resource: "sizingexperiments"}
	kind := schema.GroupKind{Group: v1beta1.GroupVersion.Group, Kind: "SizingExperiment"}
	rule := field.Invalid(field.NewPath("spec", "matrix", "costs"), "object", "costs contains a cost twice; remove the duplicate")
	list := field.Invalid(field.NewPath("spec", "matrix", "costs"), "array", "costs contains a cost twice; remove the duplicate")
	ending := apierrors.NewForbidden(experiments, "login", errors.New("it is being terminated"))
	ending.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for name, tt := range map[string]struct {
		err  error
		verb string
		want string
	}{
		"no definitions": {&meta.NoKindMatchError{GroupKind: kind}, "create", "the cluster does not know Hashmark's kinds"},
		"the name is taken": {apierrors.NewAlreadyExists(experiments, "login"), "create",
			"experiment login already exists in namespace ns; use another --name, or follow the existing one: kubectl hashmark watch login -n ns"},
		"no right to create": {apierrors.NewForbidden(experiments, "login", errors.New("no")), "create",
			"you can't create sizingexperiments in namespace ns; ask for the chart's edit role"},
		"no right to watch": {apierrors.NewForbidden(experiments, "login", errors.New("no")), "watch", "the chart's view role"},
		"nobody knows you":  {apierrors.NewUnauthorized("no"), "get", "the API server does not accept your credentials"},
		"a rule is broken": {apierrors.NewInvalid(kind, "login", field.ErrorList{rule}), "create",
			"the experiment is invalid: spec.matrix.costs: costs contains a cost twice; remove the duplicate"},
		"a rule of a list is broken, in Kubernetes 1.34": {apierrors.NewInvalid(kind, "login", field.ErrorList{list}), "create",
			"the experiment is invalid: spec.matrix.costs: costs contains a cost twice; remove the duplicate"},
		"a field is unknown": {apierrors.NewBadRequest(`strict decoding error: unknown field "spec.cost"`), "create",
			`the experiment is invalid: strict decoding error: unknown field "spec.cost"`},
		"the namespace ends": {ending, "create", "namespace ns is being deleted"},
		"no namespace": {apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "ns"), "create",
			"namespace ns does not exist; create it"},
		"no experiment": {apierrors.NewNotFound(experiments, "login"), "get",
			"experiment login was not found in namespace ns; see: kubectl get sizingexperiments -n ns"},
		"no API server": {&url.Error{Op: "Get", URL: "https://x", Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}, "get",
			"the API server can't be reached"},
		"something else": {apierrors.NewInternalError(errors.New("etcd is full")), "create", "can't create the experiment"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Refused(tt.err, tt.verb, client.ObjectKey{Namespace: "ns", Name: "login"})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("it says %q, want %q in it", err, tt.want)
			}
		})
	}
}

func TestTransient(t *testing.T) {
	experiments := schema.GroupResource{Group: v1beta1.GroupVersion.Group, Resource: "sizingexperiments"}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"no connection":           {&url.Error{Op: "Get", URL: "https://x", Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}, true},
		"a server that starts":    {apierrors.NewServiceUnavailable("not ready"), true},
		"a server that is busy":   {apierrors.NewTooManyRequests("later", 1), true},
		"a right that was taken":  {apierrors.NewForbidden(experiments, "login", errors.New("no")), false},
		"a login that ran out":    {apierrors.NewUnauthorized("no"), false},
		"definitions that went":   {&meta.NoKindMatchError{}, false},
		"an experiment that went": {ErrGone, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := transient(tt.err); got != tt.want {
				t.Errorf("waited for: %t, want %t", got, tt.want)
			}
		})
	}
}
