package report

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Method describes how the numbers were measured, so that they can be measured again.
type Method struct {
	// Facts about the experiment, the software and the machines, in the order of the report.
	Facts []Fact
	// The experiment as YAML, with the seed that was used: applied to the same machines, it
	// offers the same logins in the same order.
	Manifest string
}

// The labels of the facts about software and machines, for package compare.
const (
	FactCPU     = "CPU"
	FactGo      = "Go"
	FactCgroups = "cgroups"
	FactK6      = "k6"
)

// Fact is a fact about the measurement, such as k6: v1.8.1.
type Fact struct {
	// What the fact is about, in a word or two.
	Label string
	// The value. Several values are separated by commas.
	Value string
}

// facts leaves out those without a value.
func facts(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) []Fact {
	status := &experiment.Status
	all := []Fact{
		{"Experiment", Document{Experiment: experiment}.Name()},
		{"Phase", string(status.Phase)},
		{"Started", moment(status.StartTime)},
		{"Finished", moment(status.CompletionTime)},
		{"Trials", trialWords(trials)},
		{"Objective", ObjectiveWords(experiment.Spec.Objective)},
		{"Load", loadWords(experiment.Spec.Load)},
		{"Service", serviceWords(experiment.Spec.Service)},
		{"Seed", whole(status.Seed)},
		{"Reference speed", speedWords(status.Speed)},
		{FactCPU, each(trials, func(c handover.Calibration, _ v1beta1.Evidence) []string { return []string{c.CPUModel} })},
		{FactGo, each(trials, func(c handover.Calibration, _ v1beta1.Evidence) []string { return []string{c.GoVersion} })},
		{FactCgroups, each(trials, func(c handover.Calibration, _ v1beta1.Evidence) []string { return []string{cgroupWords(c)} })},
		{FactK6, each(trials, func(_ handover.Calibration, e v1beta1.Evidence) []string { return []string{e.K6Version} })},
		{"Service nodes", each(trials, func(_ handover.Calibration, e v1beta1.Evidence) []string { return e.ServiceNodes })},
		{"Generator nodes", each(trials, func(_ handover.Calibration, e v1beta1.Evidence) []string { return []string{e.GeneratorNode} })},
	}
	return slices.DeleteFunc(all, func(f Fact) bool { return f.Value == "" })
}

func trialWords(trials []v1beta1.SizingTrial) string {
	if len(trials) == 0 {
		return ""
	}
	attempts, kept := 0, 0
	for i := range trials {
		attempts += len(trials[i].Status.Attempts)
		if trials[i].Status.Result != nil {
			kept++
		}
	}
	return fmt.Sprintf("%d of %d with a result, in %d attempts", kept, len(trials), attempts)
}

// ObjectiveWords returns the objective as text: p95 at most 1000 ms, p99 at most 2000 ms,
// at most 1 ‰ failed.
func ObjectiveWords(o v1beta1.Objective) string {
	text := fmt.Sprintf("p95 at most %d ms", o.P95Milliseconds)
	if o.P50Milliseconds != nil {
		text = fmt.Sprintf("p50 at most %d ms, ", *o.P50Milliseconds) + text
	}
	if o.P99Milliseconds != nil {
		text += fmt.Sprintf(", p99 at most %d ms", *o.P99Milliseconds)
	}
	return fmt.Sprintf("%s, at most %d ‰ failed", text, ptr.Deref(o.MaxErrorPerMille, v1beta1.DefaultMaxErrorPerMille))
}

func loadWords(load v1beta1.Load) string {
	arrivals := "random (Poisson) arrivals"
	if load.Arrivals() == v1beta1.ArrivalsUniform {
		arrivals = "evenly spaced arrivals"
	}
	switch load.Mode() {
	case v1beta1.LoadRates:
		return fmt.Sprintf("%d rates, %s, %d s each, %s s of warm-up", len(load.Rates.PerSecond), arrivals, load.StepSeconds, units.Number(load.Warmup().Seconds()))
	case v1beta1.LoadUsers:
		return fmt.Sprintf("%d user counts, %d s each, %s s of warm-up", len(load.Users.Counts), load.StepSeconds, units.Number(load.Warmup().Seconds()))
	default:
		samples := ""
		if capacity := load.Capacity; capacity != nil && capacity.MinSamples != nil {
			samples = fmt.Sprintf(" for %d samples", *capacity.MinSamples)
		}
		return fmt.Sprintf("capacity, %s, steps of %d–%d s%s, %s s of warm-up",
			arrivals, load.StepSeconds, load.MaxStepSeconds(), samples, units.Number(load.Warmup().Seconds()))
	}
}

func serviceWords(service v1beta1.Service) string {
	var words []string
	if service.Replicas > 1 {
		words = append(words, fmt.Sprintf("%d replicas behind one Service", service.Replicas))
	}
	return strings.Join(append(words, TLSWords(service)...), ", ")
}

// TLSWords says how logins are encrypted; nothing if they are not.
func TLSWords(service v1beta1.Service) []string {
	switch tls := ptr.Deref(service.Builtin, v1beta1.Builtin{}).TLS; {
	case tls == nil:
		return nil
	case tls.Handshakes == v1beta1.HandshakesEachCaller:
		return []string{"TLS with a handshake for each caller"}
	}
	return []string{"TLS with a handshake for each login"}
}

// each returns the values that the calibrations and the evidence of all trials have, sorted and without
// duplicates.
func each(trials []v1beta1.SizingTrial, of func(handover.Calibration, v1beta1.Evidence) []string) string {
	var values []string
	for i := range trials {
		status := &trials[i].Status
		values = append(values, of(ptr.Deref(status.Calibration, handover.Calibration{}), ptr.Deref(status.Evidence, v1beta1.Evidence{}))...)
	}
	slices.Sort(values)
	values = slices.DeleteFunc(slices.Compact(values), func(value string) bool { return value == "" })
	return strings.Join(values, ", ")
}

func cgroupWords(c handover.Calibration) string {
	if c.CgroupVersion == 0 {
		return ""
	}
	return fmt.Sprintf("version %d", c.CgroupVersion)
}

// manifest returns the experiment as YAML, to measure it again. Fields that control this
// run, such as cancel, are left out.
func manifest(experiment *v1beta1.SizingExperiment) string {
	spec := experiment.Spec.DeepCopy()
	spec.Suspend, spec.Cancel, spec.TTLSecondsAfterFinished = nil, nil, nil
	if experiment.Status.Seed != nil {
		spec.Seed = experiment.Status.Seed
	}
	type metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitempty"`
	}
	text, _, err := PlainYAML(struct {
		APIVersion string                       `json:"apiVersion"`
		Kind       string                       `json:"kind"`
		Metadata   metadata                     `json:"metadata"`
		Spec       v1beta1.SizingExperimentSpec `json:"spec"`
	}{v1beta1.GroupVersion.String(), "SizingExperiment", metadata{experiment.Name, experiment.Namespace}, *spec})
	if err != nil {
		return "" // a text of the API server always has a JSON form, and that is YAML
	}
	return text
}
