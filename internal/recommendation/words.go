package recommendation

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// mostReason and mostChange are the API's bounds in characters.
	mostReason, mostChange = 2048, 512

	noResult = "No variant with a bcrypt cost has a result that may be believed, so that nothing can be recommended; look at the reasons in status.results, and measure again"
)

// reason says why this size, how its replicas share the load, and how sure that is.
func (a answer) reason(best sized, told *v1alpha1.Recommendation, sure certainty) string {
	sentences := []string{
		fmt.Sprintf("Cost %d is the highest that can serve %s%s", best.Variant.Cost, a.demanded(), a.within()),
		fmt.Sprintf("%s (%s CPU in all) %s the objective up to %s, so that %s is %d %% of that",
			capital(replicas(best)), quantity(best.milliCPU), verb(best.replicas, "meets", "meet"),
			perSecond(best.replicas*best.Capacity), perSecond(a.MilliPerSecond), a.loadPercent(best)),
	}
	if told.P95Microseconds != nil {
		sentences = append(sentences, fmt.Sprintf("There the model expects a p95 of %s", units.Latency(told.P95Microseconds)))
	}
	if cheapest := a.cheapest(best); cheapest != "" {
		sentences = append(sentences, cheapest)
	}
	if best.replicas > 1 {
		sentences = append(sentences, fmt.Sprintf(
			"A Service sends each connection to one of the %d by chance: each replica then sees independent logins at %s, p95 is that of one replica at this rate, and nothing is gained by pooling; connections that are kept alive share the load less evenly",
			best.replicas, perSecond(a.MilliPerSecond/best.replicas)))
	}
	sentences = append(sentences, fmt.Sprintf("Confidence is %s: %s", sure.level, sure.why))
	return strings.Join(sentences, ". ")
}

// cheapest says by what the size was chosen among those of its cost.
func (a answer) cheapest(best sized) string {
	same := 0
	for _, s := range a.fit {
		if s.Variant.Cost == best.Variant.Cost {
			same++
		}
	}
	if same < 2 {
		return ""
	}
	by := "takes the least CPU"
	if month := a.Tariff.PerMonth(poolOf(best.Variant), best.milliCPU); month != nil {
		by = fmt.Sprintf("is the cheapest, %s %s a month", pricing.Text(month), a.Tariff.Currency())
	}
	return fmt.Sprintf("Of %d sizes with this cost that fit, it %s", same, by)
}

// noneReason says which bound broke first, and what comes nearest.
func (a answer) noneReason(nearest sized) string {
	if nearest.replicas == 0 {
		return fmt.Sprintf("No variant meets the objective at any rate, so that none can serve %s; %s comes nearest. Relax the objective, or measure lower costs or larger CPU limits",
			a.demanded(), nearest.Variant.Name)
	}
	return fmt.Sprintf("Nothing serves %s at cost %d or more%s. Nearest comes %s (%s CPU in all), which %s",
		a.demanded(), a.MinimumCost, a.within(), replicas(nearest), quantity(nearest.milliCPU), a.breaks(nearest))
}

// demanded reads 5/s with 30 % headroom (6.5/s).
func (a answer) demanded() string {
	if a.HeadroomPercent == 0 {
		return perSecond(a.MilliPerSecond)
	}
	return fmt.Sprintf("%s with %d %% headroom (%s)", perSecond(a.MilliPerSecond), a.HeadroomPercent, perSecond(a.required()))
}

// within names the bounds that were set; empty where none was.
func (a answer) within() string {
	var bounds []string
	if a.MaxMilliCPU > 0 {
		bounds = append(bounds, quantity(a.MaxMilliCPU)+" CPU in all")
	}
	if a.MaxReplicas < mostReplicas {
		bounds = append(bounds, fmt.Sprintf("%d replicas", a.MaxReplicas))
	}
	if len(bounds) == 0 {
		return ""
	}
	return " within " + strings.Join(bounds, " and ")
}

// breaks says of a size which bounds it breaks, and by how much.
func (q Question) breaks(s sized) string {
	var broken []string
	for _, bound := range s.breaks {
		switch bound {
		case v1alpha1.BoundObjective:
			broken = append(broken, "meets the objective at no rate")
		case v1alpha1.BoundMinimumCost:
			broken = append(broken, fmt.Sprintf("has a cost below minimumCost %d", q.MinimumCost))
		case v1alpha1.BoundMaxTotalCPU:
			broken = append(broken, fmt.Sprintf("takes %s CPU more than maxTotalCPU %s", quantity(s.milliCPU-q.MaxMilliCPU), quantity(q.MaxMilliCPU)))
		case v1alpha1.BoundMaxReplicas:
			broken = append(broken, fmt.Sprintf("takes %d replicas more than maxReplicas %d", s.replicas-q.MaxReplicas, q.MaxReplicas))
		}
	}
	return strings.Join(broken, " and ")
}

// replicas reads 3 replicas of c10-500m.
func replicas(s sized) string {
	return fmt.Sprintf("%d %s of %s", s.replicas, verb(s.replicas, "replica", "replicas"), s.Variant.Name)
}

func verb(n int64, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func perSecond(milli int64) string { return units.Rate(&milli) }

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// clip keeps a text within a number of characters.
func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
