package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// An experiment may name a Secret only as long as the policy that checks it denies.
func TestASecretNeedsThePolicyThatChecksIt(t *testing.T) {
	const name = "hashmark-own-secrets"
	errUnavailable := errors.New("the API server is away")
	for what, test := range map[string]struct {
		change func(*ExperimentReconciler, *admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding, *v1beta1.SizingExperiment)
		fails  error
		want   string
	}{
		"in force": {},
		"without a setting": {func(r *ExperimentReconciler, _ *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			r.Settings.SecretsPolicy = ""
		}, nil, "service.own.env A names Secret db, but this operator has no admission policy"},
		"deleted": {func(_ *ExperimentReconciler, p *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			p.Name = "another"
		}, nil, "has been deleted"},
		"without its binding": {func(_ *ExperimentReconciler, _ *admissionv1.ValidatingAdmissionPolicy, b *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			b.Name = "another"
		}, nil, "has been deleted, or its binding"},
		"that only warns": {func(_ *ExperimentReconciler, _ *admissionv1.ValidatingAdmissionPolicy, b *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			b.Spec.ValidationActions = []admissionv1.ValidationAction{admissionv1.Warn}
		}, nil, "does not deny in all namespaces"},
		"in some namespaces": {func(_ *ExperimentReconciler, _ *admissionv1.ValidatingAdmissionPolicy, b *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			b.Spec.MatchResources = &admissionv1.MatchResources{}
		}, nil, "does not deny in all namespaces"},
		"that admits after an error": {func(_ *ExperimentReconciler, p *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			p.Spec.FailurePolicy = ptr.To(admissionv1.Ignore)
		}, nil, "does not deny in all namespaces"},
		"in namespaces with a label": {func(_ *ExperimentReconciler, p *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			p.Spec.MatchConstraints = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}}
		}, nil, "does not deny in all namespaces"},
		"with another condition": {func(_ *ExperimentReconciler, p *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			p.Spec.MatchConditions = make([]admissionv1.MatchCondition, 2)
		}, nil, "does not deny in all namespaces"},
		"without a rule": {func(_ *ExperimentReconciler, p *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, _ *v1beta1.SizingExperiment) {
			p.Spec.Validations = nil
		}, nil, "does not deny in all namespaces"},
		"younger than the experiment": {func(_ *ExperimentReconciler, p *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, e *v1beta1.SizingExperiment) {
			p.CreationTimestamp = metav1.NewTime(e.CreationTimestamp.Add(time.Second))
		}, nil, "create the experiment again"},
		"with a binding that is younger than the experiment": {func(_ *ExperimentReconciler, _ *admissionv1.ValidatingAdmissionPolicy, b *admissionv1.ValidatingAdmissionPolicyBinding, e *v1beta1.SizingExperiment) {
			b.CreationTimestamp = metav1.NewTime(e.CreationTimestamp.Add(-5 * time.Second))
		}, nil, "create the experiment again"},
		"that can't be read": {nil, apierrors.NewForbidden(schema.GroupResource{}, name, nil), "can't be read by this operator"},
		"deleted, once it has begun": {func(_ *ExperimentReconciler, p *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, e *v1beta1.SizingExperiment) {
			p.Name, e.Status.StartTime = "another", &metav1.Time{}
		}, nil, ""},
		"deleted, without a Secret": {func(_ *ExperimentReconciler, p *admissionv1.ValidatingAdmissionPolicy, _ *admissionv1.ValidatingAdmissionPolicyBinding, e *v1beta1.SizingExperiment) {
			p.Name, e.Spec.Service.Own.Env = "another", nil
		}, nil, ""},
		"of an API server that is away": {nil, errUnavailable, "the API server is away"},
	} {
		t.Run(what, func(t *testing.T) {
			installed := metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.Unix(1000, 0)}
			policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: installed, Spec: admissionv1.ValidatingAdmissionPolicySpec{Validations: make([]admissionv1.Validation, 9)}}
			binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: installed, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
			}}
			e := withOwnImage("registry.example/team/login:v1")
			e.CreationTimestamp = metav1.Unix(2000, 0)
			e.Spec.Service.Own.Env = []v1beta1.EnvVar{{Name: "A", ValueFrom: &v1beta1.KeySource{SecretKeyRef: &v1beta1.KeyRef{Name: "db", Key: "password"}}}}
			r := &ExperimentReconciler{}
			r.Settings.AllowedServiceImages, r.Settings.SecretsPolicy = []string{"registry.example/team"}, name
			if test.change != nil {
				test.change(r, policy, binding, e)
			}
			r.Live = fake.NewClientBuilder().WithObjects(policy, binding).WithInterceptorFuncs(interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					if test.fails != nil {
						return test.fails
					}
					return c.Get(ctx, key, o, opts...)
				},
			}).Build()
			p := &experimentPass{ExperimentReconciler: r, experiment: e}
			err := p.readPolicy(t.Context())
			if (err != nil) != errors.Is(test.fails, errUnavailable) {
				t.Fatalf("it is unknown whether it is in force: %v", err)
			}
			if err == nil {
				err = p.check(1)
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the check returned %v, want %q", err, test.want)
			}
		})
	}
}
