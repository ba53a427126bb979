package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Section is a part of the report with a title, paragraphs, a table and a list. Each of
// them can be empty.
type Section struct {
	Title string
	// The paragraphs before the table.
	Paragraphs []string
	// The titles of the columns. Columns without any text are left out.
	Columns []string
	Lines   [][]string
	// Other orders of the lines than this one.
	Orders []Order
	// The list after the table.
	Items []string
}

// Sections returns the sections of the report, from the reason for the recommendation to
// how it was measured. Empty sections are left out.
func (d Document) Sections() []Section {
	return nonEmpty(
		d.whySection(), d.verificationSection(), d.variantsSection(), d.sizesSection(), d.differencesSection(),
		d.speedSection(), d.hashTimesSection(), d.predictionsSection(), d.verdictsSection(), d.methodSection(),
	)
}

// nonEmpty leaves out empty sections and empty columns.
func nonEmpty(sections ...Section) []Section {
	for i := range sections {
		sections[i].DropEmptyColumns()
	}
	return slices.DeleteFunc(sections, func(s Section) bool {
		return len(s.Paragraphs) == 0 && len(s.Lines) == 0 && len(s.Items) == 0
	})
}

// DropEmptyColumns removes the columns in which every line is empty.
func (s *Section) DropEmptyColumns() {
	for column := range slices.Backward(s.Columns) {
		if slices.ContainsFunc(s.Lines, func(line []string) bool { return line[column] != "" }) {
			continue
		}
		s.dropColumn(column)
	}
}

func (s *Section) dropColumn(column int) {
	s.Columns = slices.Delete(s.Columns, column, column+1)
	for i := range s.Lines {
		s.Lines[i] = slices.Delete(s.Lines[i], column, column+1)
	}
}

func (d Document) whySection() Section {
	recommendation := d.Experiment.Status.Recommendation
	if recommendation == nil {
		return Section{}
	}
	why := Section{Title: "Why", Columns: []string{"Quantity", "Needs", "Has"}}
	if recommendation.Variant != "" {
		why.Paragraphs, why.Lines = []string{sentence(recommendation.Reason)}, d.needsAndHas(recommendation.Size, recommendation.P95Microseconds)
	} else if recommendation.Nearest != nil {
		why.Lines = d.needsAndHas(*recommendation.Nearest, nil)
	}
	for _, row := range d.Experiment.Status.Results {
		for _, reason := range row.Reasons {
			if row.Variant == recommendation.Variant && reason.Verdict == "" {
				why.Items = append(why.Items, reason.Type+": "+sentence(reason.Message))
			}
		}
	}
	if recommendation.RunnerUp != nil {
		why.Items = append(why.Items, "Next best: "+d.sizeInWords(*recommendation.RunnerUp)+".")
	}
	if recommendation.Nearest != nil {
		why.Items = append(why.Items, "Nearest: "+d.sizeInWords(*recommendation.Nearest)+".")
	}
	for _, change := range recommendation.Changes {
		why.Items = append(why.Items, sentence(change))
	}
	return why
}

// needsAndHas compares what the demand needs with what a size has, a line for each quantity. p95 is the
// model's at the demanded rate, or nil.
func (d Document) needsAndHas(size v1beta1.Size, p95 *int64) [][]string {
	demand := d.Experiment.Spec.Demand
	if demand == nil || size.Replicas == 0 {
		return nil
	}
	rate, capacity, down := demand.MilliPerSecond(), ptr.Deref(size.CapacityMilliPerSecond, 0), int64(ptr.Deref(demand.SurviveReplicas, 0))
	headroom, objective := int64(ptr.Deref(demand.HeadroomPercent, 0)), 1000*int64(d.Experiment.Spec.Objective.P95Milliseconds)
	atRate, withoutDown := " at "+units.PerSecond(float64(rate)), ""
	if down > 0 {
		left := capacity / int64(size.Replicas) * (int64(size.Replicas) - down)
		withoutDown = d.orMore(size) + units.PerSecond(float64(left))
	}
	lines := [][]string{
		{"Rate", units.PerSecond(float64(rate) * (1 + float64(headroom)/100)), d.orMore(size) + units.PerSecond(float64(capacity))},
		{fmt.Sprintf("Rate with %d down", down), units.PerSecond(float64(rate)), withoutDown},
		{"Load" + atRate, "", units.Share(size.LoadPerMille)},
		{"p95" + atRate, atMost(units.Latency(&objective)), units.Latency(p95)},
		{"Hash", atLeast(d.Experiment.Spec), hashOf(size)},
		{"CPU", atMost(units.Written(demand.MaxTotalCPU)), size.TotalCPU},
		{"Replicas", atMost(whole(demand.MaxReplicas)), strconv.Itoa(int(size.Replicas))},
		{"Memory limit of each", "", size.MemoryLimit},
		{"Price of a month", "", d.money(size.PricePerMonth)},
		{"Price of 10⁶ logins" + atRate, "", d.money(size.PricePerMillionLogins)},
		{"Attacker’s price of 10⁹ guesses", "", d.money(size.AttackerPricePerBillionGuesses)},
	}
	// Lines about what the size does not have are left out.
	return slices.DeleteFunc(lines, func(line []string) bool { return line[2] == "" })
}

// orMore returns "at least " if only a lower bound of the capacity of a size is known.
func (d Document) orMore(size v1beta1.Size) string {
	if row := d.Row(size.Variant); row != nil && ptr.Deref(row.Result.CapacityIsLowerBound, false) {
		return "at least "
	}
	return ""
}

// atLeast returns the weakest hash that a demand allows, as text, or "" if it names none.
func atLeast(spec v1beta1.SizingExperimentSpec) string {
	demand := spec.Demand
	switch {
	case demand.MinimumCost == nil:
		return ""
	case unrated(spec):
		return "any"
	case len(demand.Hashes) > 0 || len(matrix.Costs(spec.Matrix)) == 0:
		return fmt.Sprintf("as strong as bcrypt cost %d", *demand.MinimumCost)
	default:
		return fmt.Sprintf("bcrypt cost %d or more", *demand.MinimumCost)
	}
}

// unrated reports whether the matrix has one hash whose strength is unknown.
func unrated(spec v1beta1.SizingExperimentSpec) bool {
	tariff, err := pricing.Of(spec.Prices, spec.Matrix.NodePools)
	if err != nil || len(spec.Matrix.Costs) > 0 || len(spec.Matrix.Hashes) != 1 {
		return false
	}
	_, rated := tariff.BcryptCost(v1beta1.Variant{Hash: spec.Matrix.Hashes[0]})
	return !rated
}

func atMost(limit string) string {
	if limit == "" {
		return ""
	}
	return "at most " + limit
}

func (d Document) sizeInWords(size v1beta1.Size) string {
	text := size.Variant
	if size.Replicas > 0 {
		text = units.Size(size.Replicas, size.Variant)
	}
	text += " (" + strings.Join(sizeWords(size), ", ") + ")"
	if size.PricePerMonth != "" {
		text += ", " + d.money(size.PricePerMonth) + " per month"
	}
	return text
}

func (d Document) variantsSection() Section {
	s := Section{
		Title:   "Variants",
		Columns: []string{"Variant", "Verdict", "Objective", "Capacity", "p50", "p95", "p99", "At", "Failed", "Alive", "Throttled", "Memory", "Maximum", "Speed"},
	}
	objective := d.Experiment.Spec.Objective
	var listed []Row
	for _, row := range d.Rows {
		if !row.Predicted {
			listed = append(listed, row)
			r := row.Result
			s.Lines = append(s.Lines, []string{
				r.Variant, row.Verdict(), row.Objective(), row.Capacity(),
				percentile(r.P50Microseconds, r.P50Interval, objective.P50Milliseconds), row.P95(),
				percentile(r.P99Microseconds, r.P99Interval, objective.P99Milliseconds), row.Load(),
				failed(r.Failures), alive(r.Alive), units.Share(r.ThrottledPerMille), memory(r.MemoryPeakBytes),
				units.Rate(r.MaxThroughputMilliPerSecond), row.Speed(),
			})
			s.Items = append(s.Items, companions(&r)...)
		}
	}
	if len(s.Lines) > 0 {
		s.Paragraphs, s.Orders = d.atReferenceWords(), variantOrders(listed)
	}
	return s
}

func (d Document) sizesSection() Section {
	s := Section{
		Title:   "Prices",
		Columns: []string{"Variant", "Replicas", "Total CPU", "Load", "Fits", "Per month", "10⁶ logins", "10⁹ guesses"},
	}
	if d.HasDemand() {
		s.Title = "Sizes for the demand"
	}
	var listed []Row
	for _, row := range d.Rows {
		price := row.price()
		line := []string{
			row.marked(), positive(row.sizing().Replicas), row.sizing().TotalCPU, units.Share(row.loadPerMille()), row.Fits(),
			d.money(price.PerMonth), d.money(price.PerMillionLogins), d.money(price.AttackerPerBillionGuesses),
		}
		if strings.Join(line[1:], "") != "" {
			s.Lines, listed = append(s.Lines, line), append(listed, row)
		}
	}
	if len(s.Lines) > 0 {
		s.Paragraphs, s.Items, s.Orders = d.sizesWords(), d.guessesWords(), sizeOrders(listed)
	}
	return s
}

func (d Document) sizesWords() []string {
	var texts []string
	if d.HasDemand() {
		texts = append(texts, "What each variant needs to serve "+d.Demand()+".")
		if len(d.Experiment.Status.Speed) > 0 {
			texts = append(texts, "Each size serves the demand at the sizing speed of the CPU, computed from the lower end of the capacity's interval.")
		}
	}
	if d.Experiment.Spec.Prices != nil {
		texts = append(texts, "A month has 730 hours. The price of logins is at the variant's capacity. The price of guesses is what an attacker pays.")
	}
	return texts
}

func (r Row) marked() string {
	if r.Predicted {
		return r.Result.Variant + " (predicted)"
	}
	return r.Result.Variant
}

func (d Document) verdictsSection() Section {
	s := Section{Title: "Reasons for the verdicts"}
	for _, row := range d.Rows {
		for i, why := range row.ReasonLines() {
			s.Items = append(s.Items, row.subject(row.Result.Reasons[i])+sentence(why))
		}
	}
	for i := range d.Trials {
		s.Items = append(s.Items, discarded(&d.Trials[i])...)
	}
	return s
}

// subject begins a sentence about a reason: with the verdict, unless the reason only explains and the
// verdict has others.
func (r Row) subject(reason v1beta1.Reason) string {
	decides := func(reason v1beta1.Reason) bool { return reason.Verdict != "" }
	if !decides(reason) && slices.ContainsFunc(r.Result.Reasons, decides) {
		return r.Result.Variant + ": "
	}
	return fmt.Sprintf("%s is %s. ", r.Result.Variant, r.Verdict())
}

func discarded(trial *v1beta1.SizingTrial) []string {
	var texts []string
	for _, attempt := range trial.Status.Attempts {
		if attempt.Outcome == v1beta1.OutcomeBroken || attempt.Outcome == v1beta1.OutcomeInvalid {
			texts = append(texts, fmt.Sprintf("Attempt %d of %s was discarded. %s", attempt.Number, trial.Name, sentence(reasonText(attempt.Reason, attempt.Message))))
		}
	}
	return texts
}

func (d Document) methodSection() Section {
	s := Section{Title: "How it was measured", Columns: []string{"What", "Value"}}
	for _, fact := range d.Method.Facts {
		s.Lines = append(s.Lines, []string{fact.Label, fact.Value})
	}
	return s
}

// Concurrency returns the concurrency as text: pool 1, pool 2 queue 64, or unbounded. It
// is empty if the concurrency is unknown.
func (r Row) Concurrency() string {
	if r.Variant.Concurrency.Mode == "" {
		return ""
	}
	return results.Concurrency(r.Variant.Concurrency)
}

// memory returns a number of bytes as text: 11.3 MiB.
func memory(bytes *int64) string {
	if bytes == nil {
		return ""
	}
	return units.Number(float64(*bytes)/(1<<20)) + " MiB"
}

// failed returns the share of failed logins as text: at most 0.58 %. It is the upper limit
// that follows from the number of logins, not the counted share.
func failed(f *v1beta1.Failures) string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("at most %s %%", units.Number(float64(f.AtMostPerMillion)/1e4))
}

// companions says what the companions of a row's service need.
func companions(r *v1beta1.VariantResult) []string {
	const logins = 100
	var all []string
	for _, use := range r.Companions {
		text := fmt.Sprintf("%s: companion %s needs %s CPU for %d logins/s, and used at most %s of its limit",
			r.Variant, use.Name, units.Number(logins*float64(use.CPUPerLoginMicroseconds)/1e6), logins, units.Share(&use.BusiestPerMille))
		if use.MemoryPeakBytes != nil {
			text += " and " + memory(use.MemoryPeakBytes) + " of memory"
		}
		all = append(all, text)
	}
	return all
}

// alive returns how pods answered liveness probes: their p95, and how many failed.
func alive(a *handover.Alive) string {
	switch {
	case a == nil:
		return ""
	case a.Failed > 0:
		return fmt.Sprintf("%d of %d failed", a.Failed, a.Probes)
	default:
		return units.Latency(a.P95Microseconds)
	}
}

// oldDefaults is the footnote if a stored price differs from what this version computes,
// because the operator that stored it had other defaults.
const oldDefaults = "The price of guesses is from a version of Hashmark with other defaults; run kubectl hashmark recommend to compute it again."

// guessesWords returns the footnote about what the prices of guesses assume. It is empty
// if the report shows no such price.
func (d Document) guessesWords() []string {
	tariff, err := pricing.Of(d.Experiment.Spec.Prices, nil)
	if err != nil {
		return nil
	}
	var footnotes []string
	for _, row := range d.Rows {
		price := row.Result.Price
		if price == nil || price.AttackerPerBillionGuesses == "" {
			continue
		}
		variant := row.Variant
		variant.Hash = row.Result.Hash
		if pricing.Text(tariff.PerBillionGuesses(variant)) != price.AttackerPerBillionGuesses {
			return []string{oldDefaults}
		}
		for _, sentence := range []string{tariff.Assumption(), tariff.AssumptionOf(variant)} {
			if sentence != "" && !slices.Contains(footnotes, sentence) {
				footnotes = append(footnotes, sentence)
			}
		}
	}
	return footnotes
}
