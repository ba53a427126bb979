package controllers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// templates returns the pods of the current attempt as the operator would create them now, to
// compare with those that ran. The Deployment's own template can't show a change, because whoever
// patches the Deployment changes its pods with it. The result is empty if the operator's settings
// have changed since the attempt began, for example by an upgrade.
func (r *TrialReconciler) templates(seen *lifecycle.Observation, action lifecycle.Action) lifecycle.Templates {
	attempt := lifecycle.Current(&seen.Trial.Status)
	builder, err := r.builder(seen.Trial, attempt)
	if err != nil || attempt.Settings != r.settingsDigest() {
		return lifecycle.Templates{}
	}
	planned := lifecycle.Templates{Service: &builder.Deployment().Spec.Template.Spec}
	if action == lifecycle.Harvest {
		// A plan that can't be built any more also ends the attempt.
		if job, _, err := r.job(seen, attempt); err == nil {
			planned.Generator = &job.Spec.Template.Spec
		}
	}
	return planned
}

// settingsDigest returns a digest of the settings that pods are created with.
func (r *TrialReconciler) settingsDigest() string {
	text, err := json.Marshal(r.Settings)
	if err != nil {
		return "" // strings, maps and lists of them can always be marshalled
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
