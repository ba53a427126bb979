package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/summary"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Section is a part of the report under a title: paragraphs, a table and a list,
// each of which may be empty.
type Section struct {
	Title string
	// What is told before the table, a paragraph each.
	Paragraphs []string
	// The table's heads; columns of which no line has anything are left out.
	Columns []string
	Lines   [][]string
	// What is told after the table, an entry each.
	Items []string
}

// Sections is the report in words, from the reason of the answer to how it was
// measured. Sections that have nothing to tell are left out.
func (d Document) Sections() []Section {
	return told(
		d.whySection(), d.variantsSection(), d.sizesSection(), d.differencesSection(),
		d.hashTimesSection(), d.predictionsSection(), d.verdictsSection(), d.methodSection(),
	)
}

// told leaves out the sections, and the columns, that have nothing to tell.
func told(sections ...Section) []Section {
	for i := range sections {
		sections[i].dropEmptyColumns()
	}
	return slices.DeleteFunc(sections, func(s Section) bool {
		return len(s.Paragraphs) == 0 && len(s.Lines) == 0 && len(s.Items) == 0
	})
}

// dropEmptyColumns leaves out what no line tells.
func (s *Section) dropEmptyColumns() {
	for column := range slices.Backward(s.Columns) {
		if slices.ContainsFunc(s.Lines, func(line []string) bool { return line[column] != "" }) {
			continue
		}
		s.Columns = slices.Delete(s.Columns, column, column+1)
		for i := range s.Lines {
			s.Lines[i] = slices.Delete(s.Lines[i], column, column+1)
		}
	}
}

func (d Document) whySection() Section {
	answer := d.Experiment.Status.Recommendation
	if answer == nil {
		return Section{}
	}
	why := Section{Title: "Why", Paragraphs: []string{sentence(answer.Reason)}}
	if answer.RunnerUp != nil {
		why.Items = append(why.Items, "Next best: "+d.sizeInWords(*answer.RunnerUp)+".")
	}
	if answer.Nearest != nil {
		why.Items = append(why.Items, "Nearest: "+d.sizeInWords(*answer.Nearest)+".")
	}
	for _, change := range answer.Changes {
		why.Items = append(why.Items, sentence(change))
	}
	return why
}

// sizeInWords reads 2×c10-500m (bcrypt cost 10, 500m CPU each, 1 in all), USD 29.20 a month.
func (d Document) sizeInWords(size v1alpha1.Size) string {
	text := size.Variant
	if size.Replicas > 0 {
		text = fmt.Sprintf("%d×%s", size.Replicas, size.Variant)
	}
	text += " (" + strings.Join(sizeWords(size), ", ") + ")"
	if size.PricePerMonth != "" {
		text += ", " + d.money(size.PricePerMonth) + " a month"
	}
	return text
}

func (d Document) variantsSection() Section {
	s := Section{
		Title:   "Variants",
		Columns: []string{"Variant", "Capacity", "p95", "At", "Throttled", "Maximum", "Objective", "Verdict"},
	}
	for _, row := range d.Rows {
		if !row.Predicted {
			s.Lines = append(s.Lines, []string{
				row.Result.Variant, row.Capacity(), row.P95(), row.Load(), percent(row.Result.ThrottledPercent),
				units.Rate(row.Result.MaxThroughputMilliPerSecond), row.Objective(), row.Verdict(),
			})
		}
	}
	return s
}

func (d Document) sizesSection() Section {
	s := Section{
		Title:   "Prices",
		Columns: []string{"Variant", "Replicas", "CPU in all", "Load", "Fits", "A month", "10⁶ logins", "10⁹ guesses"},
	}
	if d.Demanded() {
		s.Title = "Sizes for the demand"
	}
	for _, row := range d.Rows {
		price := row.Result.Price
		if price == nil {
			price = &v1alpha1.Price{}
		}
		totalCPU, load := "", ""
		if sizing := row.Result.Sizing; sizing != nil {
			totalCPU, load = sizing.TotalCPU, percent(&sizing.LoadPercent)
		}
		line := []string{
			row.marked(), row.replicas(), totalCPU, load, row.Fits(),
			d.money(price.PerMonth), d.money(price.PerMillionLogins), d.money(price.AttackerPerBillionGuesses),
		}
		if strings.Join(line[1:], "") != "" {
			s.Lines = append(s.Lines, line)
		}
	}
	if len(s.Lines) > 0 {
		s.Paragraphs = d.sizesWords()
	}
	return s
}

// sizesWords says what the table of sizes and prices is about.
func (d Document) sizesWords() []string {
	var told []string
	if d.Demanded() {
		told = append(told, "What it takes to carry "+d.Demand()+".")
	}
	if d.Experiment.Spec.Prices != nil {
		told = append(told, "A month has 730 hours; logins are priced at the variant's capacity; guesses are what an attacker pays.")
	}
	return told
}

// marked is the variant's name, with a note where it was predicted.
func (r Row) marked() string {
	if r.Predicted {
		return r.Result.Variant + " (predicted)"
	}
	return r.Result.Variant
}

func (r Row) replicas() string {
	if r.Result.Sizing == nil {
		return ""
	}
	return strconv.Itoa(int(r.Result.Sizing.Replicas))
}

func (d Document) differencesSection() Section {
	s := Section{
		Title:   "Difference from the baseline",
		Columns: []string{"Variant", "p95", "Capacity", "Maximum", "Price of logins"},
	}
	for _, row := range d.Rows {
		if c := row.Result.Comparison; c != nil {
			s.Lines = append(s.Lines, []string{
				row.Result.Variant, difference(c.P95), difference(c.Capacity), difference(c.MaxThroughput), difference(c.PricePerMillionLogins),
			})
		}
	}
	if floor := d.Experiment.Status.NoiseFloor; floor != nil {
		s.Items = append(s.Items, d.noiseWords(floor)...)
	}
	if len(s.Lines) == 0 {
		s.Title = "Noise"
		return s
	}
	s.Paragraphs = []string{"The baseline is " + d.Experiment.Spec.Baseline + "."}
	if d.Experiment.Spec.Repetitions > 1 {
		s.Paragraphs[0] += " The chance is how often there would be such a difference where there is none."
	}
	return s
}

// noiseWords says how far two measurements of the same thing lie apart.
func (d Document) noiseWords(floor *v1alpha1.NoiseFloor) []string {
	var told []string
	for _, of := range []struct {
		words string
		noise *v1alpha1.Noise
	}{
		{"with equal arrivals", floor.EqualSeeds},
		{"with different arrivals", floor.DifferentSeeds},
	} {
		if of.noise != nil {
			told = append(told, fmt.Sprintf("%s measure the same thing; %s they lie apart by %s.",
				strings.Join(floor.Pair, " and "), of.words, noiseFigures(*of.noise)))
		}
	}
	return told
}

func noiseFigures(n v1alpha1.Noise) string {
	var told []string
	for _, figure := range []struct {
		words    string
		perMille *int64
	}{{"in p95", n.P95PerMille}, {"in capacity", n.CapacityPerMille}, {"in maximum", n.MaxThroughputPerMille}} {
		if figure.perMille != nil {
			told = append(told, units.Number(float64(*figure.perMille)/10)+" % "+figure.words)
		}
	}
	return strings.Join(told, ", ")
}

func (d Document) hashTimesSection() Section {
	s := Section{Title: "Time of a hash", Columns: []string{"Hash"}}
	for _, pool := range d.HashTimes.Pools {
		if pool == "" {
			pool = "CPU time"
		}
		s.Columns = append(s.Columns, pool)
	}
	for _, line := range d.HashTimes.Lines {
		cells := []string{line.Name()}
		for _, cell := range line.Cells {
			cells = append(cells, cellWords(cell))
		}
		s.Lines = append(s.Lines, cells)
	}
	for _, fit := range d.Experiment.Status.CostFits {
		s.Items = append(s.Items, fitWords(fit))
	}
	return s
}

// Name is cost 10, or the control's name.
func (l HashLine) Name() string {
	if l.Control != "" {
		return l.Control
	}
	return "cost " + strconv.Itoa(int(l.Cost))
}

// cellWords reads 60.1ms ± 410µs.
func cellWords(cell *v1alpha1.HashTime) string {
	if cell == nil {
		return ""
	}
	return units.Latency(&cell.HashMicroseconds) + " ± " + units.Latency(&cell.ErrorMicroseconds)
}

// fitWords says how the time grows with the cost.
func fitWords(fit v1alpha1.CostFit) string {
	text := fmt.Sprintf("A hash takes %s + 2^cost × %s", micro(fit.ConstantNanoseconds), micro(fit.RoundNanoseconds))
	if fit.NodePool != "" {
		text += " on " + fit.NodePool
	}
	return text + "."
}

// micro reads a time in nanoseconds as microseconds.
func micro(nanoseconds int64) string {
	return units.Number(float64(nanoseconds)/1e3) + "µs"
}

func (d Document) predictionsSection() Section {
	s := Section{
		Title:   "Predicted, not measured",
		Columns: []string{"Variant", "Hash", "Capacity", "p95", "At", "Objective", "In the matrix"},
	}
	for _, row := range d.Rows {
		if !row.Predicted {
			continue
		}
		inMatrix := ""
		if row.InMatrix {
			inMatrix = "yes"
		}
		s.Lines = append(s.Lines, []string{
			row.Result.Variant, row.HashTime(), row.Capacity(), row.P95(), row.Load(), row.Objective(), inMatrix,
		})
	}
	if check := d.Experiment.Status.ModelCheck; check != nil {
		s.Items = append(s.Items, sentence(check.Message))
		for _, held := range check.HeldOut {
			s.Items = append(s.Items, heldOutWords(held))
		}
	}
	if len(s.Lines) == 0 {
		s.Title = "The model beside the measurement"
	}
	return s
}

func heldOutWords(held v1alpha1.HeldOut) string {
	var told []string
	if held.CapacityPerMille != nil {
		told = append(told, "capacity "+units.Difference(held.CapacityPerMille))
	}
	if held.P95PerMille != nil {
		told = append(told, "p95 "+units.Difference(held.P95PerMille))
	}
	if len(told) == 0 {
		told = []string{"nothing to compare"}
	}
	return fmt.Sprintf("%s, predicted against measured: %s.", held.Variant, strings.Join(told, ", "))
}

func (d Document) verdictsSection() Section {
	s := Section{Title: "Reasons of the verdicts"}
	for _, row := range d.Rows {
		for _, why := range row.Why() {
			s.Items = append(s.Items, fmt.Sprintf("%s is %s. %s", row.Result.Variant, row.Verdict(), sentence(why)))
		}
	}
	for i := range d.Trials {
		s.Items = append(s.Items, discarded(&d.Trials[i])...)
	}
	return s
}

// discarded tells of the attempts that gave no numbers, or none worth keeping.
func discarded(trial *v1alpha1.SizingTrial) []string {
	var told []string
	for _, attempt := range trial.Status.Attempts {
		if attempt.Outcome == v1alpha1.OutcomeBroken || attempt.Outcome == v1alpha1.OutcomeInvalid {
			told = append(told, fmt.Sprintf("Attempt %d of %s was not kept. %s", attempt.Number, trial.Name, sentence(because(attempt.Reason, attempt.Message))))
		}
	}
	return told
}

func (d Document) methodSection() Section {
	s := Section{Title: "How it was measured", Columns: []string{"What", "Value"}}
	for _, fact := range d.Method.Facts {
		s.Lines = append(s.Lines, []string{fact.Label, fact.Value})
	}
	return s
}

// Concurrency reads pool 1, pool 2 queue 64, or unbounded; empty where nothing
// says so.
func (r Row) Concurrency() string {
	if r.Variant.Concurrency.Mode == "" {
		return ""
	}
	return summary.Concurrency(r.Variant.Concurrency)
}
