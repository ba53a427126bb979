package controllers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// templates returns the pods of the current attempt as the operator created them, to compare with
// those that ran. The Deployment's own template can't show a change, because whoever patches the
// Deployment changes its pods with it. The result is empty if this operator would create others.
func (r *TrialReconciler) templates(seen *lifecycle.Observation, action lifecycle.Action) lifecycle.Templates {
	attempt := lifecycle.Current(&seen.Trial.Status)
	builder, err := r.builder(seen.Trial, attempt)
	if err != nil || seen.Outdated {
		return lifecycle.Templates{}
	}
	planned := lifecycle.Templates{Service: &builder.Deployment(nil).Spec.Template.Spec, Companions: map[string]*corev1.PodSpec{}}
	for _, companion := range builder.Companions() {
		planned.Companions[companion.Labels[v1beta1.LabelCompanion]] = &companion.Spec.Template.Spec
	}
	if action != lifecycle.Harvest {
		return planned
	}
	// The rest of the Job follows from the plan in it. A plan that can't be read ends the attempt.
	if plan, err := objects.PlanOf(seen.Children.Job); err == nil {
		if job, err := r.job(seen, attempt, plan); err == nil {
			planned.Generator = &job.Spec.Template.Spec
		}
	}
	return planned
}

// digest returns a digest of the pods that this operator, with its settings, creates for an
// attempt, but for what the generator's pod has from the load. It is empty if it can't create them.
func (r *TrialReconciler) digest(trial *v1beta1.SizingTrial, attempt *v1beta1.Attempt) string {
	builder, err := r.builder(trial, attempt)
	if err != nil {
		return ""
	}
	job, err := builder.Job(objects.Load{})
	if err != nil {
		return ""
	}
	templates := []corev1.PodTemplateSpec{builder.Deployment(nil).Spec.Template, job.Spec.Template}
	for _, companion := range builder.Companions() {
		templates = append(templates, companion.Spec.Template)
	}
	text, err := json.Marshal(templates)
	if err != nil {
		return "" // both were read from a cluster, or can be written to one
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
