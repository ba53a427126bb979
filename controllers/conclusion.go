package controllers

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

// mostConclusions is the largest number of conclusions that are kept. One is forgotten once it has
// been written.
const mostConclusions = 16

// conclusion is what follows from all trials of an experiment. It takes seconds to compute.
type conclusion struct {
	status v1beta1.SizingExperimentStatus
	next   v1beta1.Verification
	needed bool // whether next is
	load   v1beta1.DecisionLoad
	goesOn bool // load is measured before that
	took   time.Duration
	err    error
}

// conclusion returns the conclusion of the experiment. It is computed once for the same trials: a pass
// that was in vain, because somebody edited the experiment meanwhile, is repeated within milliseconds.
func (p *experimentPass) conclusion() (conclusion, error) {
	from, err := p.concludedFrom()
	if err != nil {
		return conclusion{}, err
	}
	found := p.conclusions.of(p.experiment.UID, from, mostConclusions, func() conclusion {
		began, e := p.Clock.Now(), p.experiment.DeepCopy()
		c := conclusion{}
		// A verification that failed also changes the sizing of rows.
		if c.err = sizing.Conclude(e.Spec, p.trials, &e.Status); c.err == nil {
			c.next, c.needed = sizing.NextVerification(e, p.trials)
			c.load, c.goesOn, c.err = sizing.Decide(e.Spec, p.trials, &e.Status)
		}
		c.status, c.took = e.Status, p.Clock.Since(began)
		return c
	})
	return found, found.err
}

// concludedFrom returns a digest of all that a conclusion depends on.
func (p *experimentPass) concludedFrom() (string, error) {
	type version struct {
		Name, ResourceVersion string
		UID                   types.UID
	}
	spec, status := p.experiment.Spec, &p.experiment.Status
	spec.Suspend, spec.Cancel, spec.TTLSecondsAfterFinished = nil, nil, nil
	trials := make([]version, 0, len(p.trials))
	for i := range p.trials {
		trials = append(trials, version{p.trials[i].Name, p.trials[i].ResourceVersion, p.trials[i].UID})
	}
	// With a verification, the predictions of the status are used again.
	text, err := json.Marshal([]any{spec, trials, status.Verifications, status.Predictions, status.ModelCheck, loadsOf(p.experiment)})
	digest := sha256.Sum256(text)
	return string(digest[:]), err
}

// loadsOf returns the variants that measure: Decision measures.
func loadsOf(e *v1beta1.SizingExperiment) []v1beta1.DecisionLoad {
	return ptr.Deref(e.Status.Decision, v1beta1.Decision{}).Loads
}

// take copies a conclusion into the status.
func (c conclusion) take(status *v1beta1.SizingExperimentStatus) {
	from := c.status.DeepCopy()
	status.Speed, status.Results, status.HashTimes = from.Speed, from.Results, from.HashTimes
	status.CostFits, status.Decision = from.CostFits, from.Decision
	status.Predictions, status.ModelCheck, status.Recommendation = from.Predictions, from.ModelCheck, from.Recommendation
}
