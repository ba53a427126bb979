package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// questions returns the differences in the specs. The matrices can differ: variants of only
// one side are listed elsewhere.
func questions(a, b report.Document) []string {
	from, to := a.Experiment.Spec, b.Experiment.Spec
	var texts []string
	texts = append(texts, differ("The objective differs", report.ObjectiveWords(from.Objective), report.ObjectiveWords(to.Objective))...)
	texts = append(texts, differ("The demand differs", demand(a), demand(b))...)
	texts = append(texts, differ("The prices differ", priceList(from), priceList(to))...)
	texts = append(texts, differ("The load's mode differs", string(from.Load.Mode()), string(to.Load.Mode()))...)
	texts = append(texts, differ("The arrivals differ", arrivals(from.Load), arrivals(to.Load))...)
	if from.Load.Mode() == to.Load.Mode() && !equality.Semantic.DeepEqual(steps(from.Load), steps(to.Load)) {
		texts = append(texts, "The load's steps differ; p95 is at other rates or from other numbers of samples.")
	}
	texts = append(texts, differ("The replicas behind the Service differ", count(from.Service.Replicas), count(to.Service.Replicas))...)
	texts = append(texts, differ("The encryption of logins differs", strings.Join(report.TLSWords(from.Service), ""), strings.Join(report.TLSWords(to.Service), ""))...)
	texts = append(texts, differ("The service's memory limit differs", units.Written(from.Service.MemoryLimit), units.Written(to.Service.MemoryLimit))...)
	return append(texts, unfinished(a, b)...)
}

func differ(what, a, b string) []string {
	if a == b {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s in A, %s in B.", what, cmp.Or(a, "none"), cmp.Or(b, "none"))}
}

func demand(d report.Document) string {
	text, demand := d.Demand(), d.Experiment.Spec.Demand
	if demand == nil {
		return ""
	}
	if len(demand.Hashes) > 0 {
		text += ", any of " + words(demand.Hashes)
	}
	if demand.MinimumCost != nil {
		text += fmt.Sprintf(", at least cost %d", *demand.MinimumCost)
	}
	if demand.MaxTotalCPU != nil {
		text += fmt.Sprintf(", at most %s CPU", demand.MaxTotalCPU.String())
	}
	if demand.MaxReplicas != nil {
		text += fmt.Sprintf(", at most %d replicas", *demand.MaxReplicas)
	}
	return text
}

func words(hashes []v1beta1.HashKind) string {
	var names []string
	for _, hash := range hashes {
		names = append(names, string(hash))
	}
	return strings.Join(names, " and ")
}

func priceList(spec v1beta1.SizingExperimentSpec) string {
	p := spec.Prices
	if p == nil {
		return ""
	}
	list := []string{fmt.Sprintf("%s %s per CPU-hour", p.Currency, cmp.Or(units.Written(p.PerCPUHour), "none")), cmp.Or(units.Written(p.GPUHour), "none") + " per GPU-hour"}
	if p.PerGiBHour != nil {
		list = append(list, p.PerGiBHour.String()+" per GiB-hour")
	}
	if p.GuessesPerSecondAtCost10 != nil {
		list = append(list, fmt.Sprintf("%d guesses/s", *p.GuessesPerSecondAtCost10))
	}
	for _, hash := range spec.Matrix.Hashes {
		if hash.GuessesPerSecond != nil {
			list = append(list, fmt.Sprintf("%d guesses/s at hash %s", *hash.GuessesPerSecond, hash.Name))
		}
	}
	return strings.Join(list, ", ")
}

func arrivals(load v1beta1.Load) string {
	if load.Mode() == v1beta1.LoadUsers {
		return ""
	}
	return string(load.Arrivals())
}

// steps returns the load with its defaults, and without the arrivals, which have their own
// sentence.
func steps(load v1beta1.Load) v1beta1.Load {
	switch load.Mode() {
	case v1beta1.LoadRates:
		load.Rates = &v1beta1.RatesLoad{PerSecond: load.Rates.PerSecond}
	case v1beta1.LoadCapacity:
		load.Capacity = &v1beta1.CapacityLoad{MinSamples: ptr.To(load.MinSamples()), MaxStepSeconds: ptr.To(load.MaxStepSeconds())}
	}
	return load
}

func count(n int32) string { return fmt.Sprintf("%d", max(1, n)) }

func unfinished(sides ...report.Document) []string {
	var texts []string
	for i, d := range sides {
		if !d.Experiment.Status.Phase.Finished() {
			texts = append(texts, fmt.Sprintf("%s (%s) has not finished. %s", d.Name(), string(rune('A'+i)), d.Answer()))
		}
	}
	return texts
}

// circumstances returns the differences in the software and the machines. Facts about the
// spec and the run, such as its times and its seed, do not count.
func circumstances(a, b report.Document) []string {
	var texts []string
	for _, label := range []string{report.FactCPU, report.FactGo, report.FactCgroups, report.FactK6} {
		texts = append(texts, differ(label+" differs", fact(a, label), fact(b, label))...)
	}
	return append(texts, speeds(a, b)...)
}

// speeds returns the reference speeds that differ by 1 % or more. Rows are at the reference speed of
// their own experiment, so that their numbers differ too.
func speeds(a, b report.Document) []string {
	var texts []string
	for _, from := range a.Experiment.Status.Speed {
		at := slices.IndexFunc(b.Experiment.Status.Speed, func(p v1beta1.PoolSpeed) bool { return p.NodePool == from.NodePool })
		if at < 0 || from.HashMicrosecondsAtCost8 <= 0 {
			continue
		}
		to := b.Experiment.Status.Speed[at]
		perMille := results.PerMille(to.HashMicrosecondsAtCost8-from.HashMicrosecondsAtCost8, float64(from.HashMicrosecondsAtCost8))
		if -10 < perMille && perMille < 10 {
			continue
		}
		pool := ""
		if from.NodePool != "" {
			pool = " on " + from.NodePool
		}
		texts = append(texts, fmt.Sprintf("The reference speed%s differs: a hash of cost 8 takes %s in A and %s in B (%s).", pool,
			units.Latency(&from.HashMicrosecondsAtCost8), units.Latency(&to.HashMicrosecondsAtCost8), units.Difference(&perMille)))
	}
	return texts
}

func fact(d report.Document, label string) string {
	at := slices.IndexFunc(d.Method.Facts, func(f report.Fact) bool { return f.Label == label })
	if at < 0 {
		return ""
	}
	return d.Method.Facts[at].Value
}
