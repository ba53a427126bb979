package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// accept plans the trials. An experiment ends at once if two of its variants resolve to the same
// settings, or if its baseline is not a measured variant.
func (p *experimentPass) accept() (refused bool) {
	seed := matrix.Seed(p.experiment)
	p.experiment.Status.Seed = &seed
	if err := p.check(seed); err != nil {
		p.planned = nil
		reason := v1beta1.ReasonNotAccepted
		if _, duplicate := errors.AsType[*matrix.DuplicateVariantError](err); duplicate {
			reason = v1beta1.ReasonDuplicateVariant
		}
		if _, forbidden := errors.AsType[*objects.ImageNotAllowedError](err); forbidden {
			reason = v1beta1.ReasonImageNotAllowed
		}
		if _, forbidden := errors.AsType[*objects.SecretNotAllowedError](err); forbidden {
			reason = v1beta1.ReasonSecretNotAllowed
		}
		p.refuse(reason, err.Error())
		return true
	}
	p.setAccepted()
	return false
}

// check plans the trials and checks the rest of the spec. The schema rejects invalid prices;
// without this check, an experiment with an invalid one would be retried for ever. The image is
// checked first: whoever may not deploy one has no use for the other checks.
func (p *experimentPass) check(seed int64) error {
	if err := p.Settings.CheckImages(p.experiment.Spec.Service); err != nil {
		return err
	}
	if err := cmp.Or(p.secrets, p.Settings.CheckPools(p.experiment.Spec.Matrix.NodePools)); err != nil {
		return err
	}
	planned, err := matrix.Plan(p.experiment, seed)
	if err != nil {
		return err
	}
	p.planned = planned
	return p.checkSpec()
}

// readPolicy finds out whether the experiment may name Secrets: the policy that checks who may read them must be there as long
// as the experiment can be edited. It returns an error if that is unknown.
func (p *experimentPass) readPolicy(ctx context.Context) error {
	service := p.experiment.Spec.Service
	if p.secrets = p.Settings.CheckSecrets(service); p.secrets != nil || p.begun() || !objects.NamesSecret(service) {
		return nil
	}
	why, err := p.policyFault(ctx, client.ObjectKey{Name: p.Settings.SecretsPolicy})
	if why != "" {
		p.secrets = objects.RefuseSecrets(service, "the ValidatingAdmissionPolicy "+p.Settings.SecretsPolicy+", which checks who may read it, "+why)
	}
	return err
}

// policyFault returns why a policy, with its binding, does not check the Secrets of the experiment, or "" if it does.
func (p *experimentPass) policyFault(ctx context.Context, name client.ObjectKey) (why string, err error) {
	policy, binding := &admissionv1.ValidatingAdmissionPolicy{}, &admissionv1.ValidatingAdmissionPolicyBinding{}
	if err = p.Live.Get(ctx, name, policy); err == nil {
		err = p.Live.Get(ctx, name, binding)
	}
	switch {
	case apierrors.IsNotFound(err):
		return "has been deleted, or its binding", nil
	case apierrors.IsForbidden(err):
		return "can't be read by this operator, or its binding", nil
	case err != nil:
		return "", err
	case !denies(policy, binding):
		return "does not deny in all namespaces", nil
	case !checked(p.experiment, policy) || !checked(p.experiment, binding):
		return "is not older than the experiment, which was not checked; create the experiment again", nil
	}
	return "", nil
}

// inForce is how long the API servers may take to apply a new policy.
const inForce = 10 * time.Second

// checked reports whether an object of admission was in force when an experiment was created.
func checked(experiment *v1beta1.SizingExperiment, by client.Object) bool {
	return !experiment.CreationTimestamp.Time.Before(by.GetCreationTimestamp().Add(inForce))
}

// denies reports whether a policy denies in all namespaces.
func denies(policy *admissionv1.ValidatingAdmissionPolicy, binding *admissionv1.ValidatingAdmissionPolicyBinding) bool {
	return wholePolicy(policy) && binding.DeletionTimestamp == nil && binding.Spec.PolicyName == policy.Name && binding.Spec.MatchResources == nil &&
		binding.Spec.ParamRef == nil && slices.Contains(binding.Spec.ValidationActions, admissionv1.Deny)
}

// wholePolicy reports whether a policy leaves nobody out. Its only condition is that the own service changes.
func wholePolicy(policy *admissionv1.ValidatingAdmissionPolicy) bool {
	spec, matches := policy.Spec, ptr.Deref(policy.Spec.MatchConstraints, admissionv1.MatchResources{})
	everything := func(selector *metav1.LabelSelector) bool {
		return selector == nil || len(selector.MatchLabels)+len(selector.MatchExpressions) == 0
	}
	return policy.DeletionTimestamp == nil && ptr.Deref(spec.FailurePolicy, admissionv1.Fail) == admissionv1.Fail && spec.ParamKind == nil &&
		len(spec.Validations) > 0 && len(spec.MatchConditions) <= 1 && len(matches.ExcludeResourceRules) == 0 &&
		everything(matches.NamespaceSelector) && everything(matches.ObjectSelector)
}

// mostChecks is the largest number of experiments whose checks are kept.
const mostChecks = 1000

// checkSpec checks what only the spec decides, once for each generation.
func (p *experimentPass) checkSpec() error {
	generation := strconv.FormatInt(p.experiment.Generation, 10)
	spec := p.experiment.Spec
	if p.begun() {
		spec.AlsoMeasure = nil // it can be changed, and must not end what has begun
		p.warnOfAlso()
	}
	return p.checks.of(p.experiment.UID, generation, mostChecks, func() error { return sizing.Check(spec) })
}

// warnOfAlso sends an event if alsoMeasure was changed and can't be measured as it says.
func (p *experimentPass) warnOfAlso() {
	if p.experiment.Status.ObservedGeneration == p.experiment.Generation {
		return
	}
	if err := matrix.CheckAlso(p.experiment.Spec); err != nil {
		p.events.add(warning, v1beta1.ReasonNotAccepted, "Accept", err.Error())
	}
}

// needs returns what an attempt with the largest CPU limit needs under load. A decision plans that trial later, if at all.
func (p *experimentPass) needs() (most objects.Needs) {
	if len(p.planned) == 0 {
		return most
	}
	largest := p.planned[0].Spec
	largest.Role, largest.Service = "", p.experiment.Spec.Service
	for _, limit := range p.experiment.Spec.Matrix.CPULimits {
		largest.Variant.CPULimit = units.Written(&limit)
		if n, err := p.Settings.NeedsOf(largest); err == nil && n.CPU.Cmp(most.CPU) > 0 {
			most = n
		}
	}
	return most
}

// setAccepted records that the experiment can be measured, and warns about CPU that is never used.
func (p *experimentPass) setAccepted() {
	if status := &p.experiment.Status; status.Phase.Finished() {
		if status.StartTime != nil && status.CompletionTime != nil { // it measures more
			status.SuspendedSeconds += int64(p.now.Sub(status.CompletionTime.Time) / time.Second)
		}
		status.Phase, status.CompletionTime = v1beta1.ExperimentPending, nil // its spec was changed
	}
	accepted := meta.FindStatusCondition(p.experiment.Status.Conditions, v1beta1.ConditionAccepted)
	edited := !p.begun() && accepted != nil && accepted.ObservedGeneration != p.experiment.Generation
	message := fmt.Sprintf("%d trials are planned", len(p.planned))
	if len(p.planned) == 1 {
		message = "1 trial is planned"
	}
	if most := p.needs(); most.Pods > 0 {
		message += "; an attempt needs up to " + most.String()
	}
	if !p.condition(v1beta1.ConditionAccepted, true, v1beta1.ReasonAccepted, message) && !edited {
		return
	}
	p.events.add(normal, v1beta1.ReasonAccepted, "Accept", message)
	if unused := matrix.AllUnused(p.experiment.Spec.Matrix); len(unused) > 0 {
		p.events.add(warning, v1beta1.ReasonCPUUnused, "Accept", strings.Join(unused, ". "))
	}
}
