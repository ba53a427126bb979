package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Kind is the kind of a saved report. Its apiVersion is that of the API.
const Kind = "SizingReport"

// maxSaved is the maximum length of what Read reads: the largest experiment has 640 trials
// of about 20 KiB each.
const maxSaved = 64 << 20

// Saved is a report as JSON writes it: a header, and the resources as in Kubernetes. The
// API documents their fields.
type Saved struct {
	// The version of the resources, hashmark.dev/v1beta1.
	APIVersion string `json:"apiVersion"`
	// SizingReport.
	Kind string `json:"kind"`
	// The result in a sentence, as in Document.Answer.
	Answer string `json:"answer"`
	// Whether the objective can be met: with a demand, whether a size is recommended;
	// otherwise whether a Valid or Suspect variant meets it.
	ObjectiveMet bool `json:"objectiveMet"`
	// The experiment with its status.
	Experiment v1beta1.SizingExperiment `json:"experiment"`
	// The trials in the order in which they were planned.
	Trials []v1beta1.SizingTrial `json:"trials"`
}

// JSON writes the experiment and its trials, for programs and for Read.
func JSON(w io.Writer, d Document) error {
	saved := Saved{
		APIVersion: v1beta1.GroupVersion.String(), Kind: Kind,
		Answer: d.Answer(), ObjectiveMet: d.Met(),
		Experiment: *d.Experiment.DeepCopy(), Trials: []v1beta1.SizingTrial{},
	}
	saved.Experiment.SetGroupVersionKind(v1beta1.GroupVersion.WithKind("SizingExperiment"))
	saved.Experiment.ManagedFields = nil
	for i := range d.Trials {
		trial := *d.Trials[i].DeepCopy()
		trial.SetGroupVersionKind(v1beta1.GroupVersion.WithKind("SizingTrial"))
		trial.ManagedFields = nil
		saved.Trials = append(saved.Trials, trial)
	}
	return WriteJSON(w, saved)
}

// WriteJSON writes a value as JSON for programs, and keeps every character of it.
func WriteJSON(w io.Writer, value any) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(w, units.Escaped(text.String()))
	return err
}

// PlainYAML returns a value as YAML for people, with its texts as units.Plain returns them: YAML does
// not allow some of the characters that Plain replaces. changed reports whether it replaced any.
func PlainYAML(value any) (text string, changed bool, err error) {
	document, err := json.Marshal(value)
	if err != nil {
		return "", false, err
	}
	allowed := units.Plain(string(document))
	written, err := yaml.JSONToYAML([]byte(allowed))
	text = units.Plain(string(written))
	return text, allowed != string(document) || text != string(written), err
}

// Read reads a document that was written by JSON, or by kubectl get
// sizingexperiment,sizingtrials as YAML or JSON. It returns an error if the text can't be
// read, is too long or has another format, or if it does not contain exactly one experiment.
func Read(r io.Reader) (Document, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSaved+1))
	if err != nil {
		return Document{}, fmt.Errorf("can't read the report: %w", err)
	}
	if len(text) > maxSaved {
		return Document{}, fmt.Errorf("the report is longer than %d MiB", maxSaved>>20)
	}
	if !json.Valid(text) {
		if text, err = yaml.YAMLToJSON(text); err != nil {
			return Document{}, fmt.Errorf("the report is neither JSON nor YAML: %w", err)
		}
	}
	var header struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &header); err != nil {
		return Document{}, fmt.Errorf("this is not a report: %w", err)
	}
	switch {
	case header.Kind == Kind && header.APIVersion == v1beta1.GroupVersion.String():
		return readSaved(text)
	case header.Kind == "List":
		return readList(header.Items)
	default:
		return Document{}, fmt.Errorf("this is %s %s, not a report; save one with -o json, which writes %s %s",
			orUnnamed(header.APIVersion), orUnnamed(header.Kind), v1beta1.GroupVersion, Kind)
	}
}

func orUnnamed(word string) string {
	if word == "" {
		return "(none)"
	}
	return fmt.Sprintf("%q", word)
}

func readSaved(text []byte) (Document, error) {
	var saved Saved
	if err := json.Unmarshal(text, &saved); err != nil {
		return Document{}, fmt.Errorf("the report can't be read: %w", err)
	}
	if saved.Experiment.Name == "" {
		return Document{}, errNoExperiment
	}
	return New(&saved.Experiment, saved.Trials), nil
}

var (
	errNoExperiment   = errors.New("the report contains no experiment")
	errTwoExperiments = errors.New("the list contains more than one experiment; save one experiment with its trials")
)

func readList(items []json.RawMessage) (Document, error) {
	var experiment *v1beta1.SizingExperiment
	var trials []v1beta1.SizingTrial
	for _, item := range items {
		var header struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(item, &header); err != nil {
			return Document{}, fmt.Errorf("an item of the list can't be read: %w", err)
		}
		switch header.Kind {
		case "SizingExperiment":
			if experiment != nil {
				return Document{}, errTwoExperiments
			}
			experiment = &v1beta1.SizingExperiment{}
			if err := json.Unmarshal(item, experiment); err != nil {
				return Document{}, fmt.Errorf("the experiment can't be read: %w", err)
			}
		case "SizingTrial":
			var trial v1beta1.SizingTrial
			if err := json.Unmarshal(item, &trial); err != nil {
				return Document{}, fmt.Errorf("a trial can't be read: %w", err)
			}
			trials = append(trials, trial)
		}
	}
	if experiment == nil {
		return Document{}, errNoExperiment
	}
	return New(experiment, ownedBy(experiment, trials)), nil
}

// ownedBy returns the trials that the experiment owns. A list can contain others.
func ownedBy(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) []v1beta1.SizingTrial {
	var own []v1beta1.SizingTrial
	for _, trial := range trials {
		for _, owner := range trial.OwnerReferences {
			if owner.UID == experiment.UID {
				own = append(own, trial)
			}
		}
	}
	return own
}
