package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/preview"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// shortestHash and longestHash are the limits of --hash-time.
const shortestHash, longestHash = time.Millisecond, 10 * time.Second

type plan struct {
	program      Program
	file, format string
	hash         time.Duration
}

// previews is what plan prints as JSON and YAML.
type previews struct {
	Experiments []preview.Preview `json:"experiments"`
}

// errRefused ends a command after it has printed why an experiment is refused.
var errRefused = errors.New("an experiment is refused")

func planCommand(p Program) *cobra.Command {
	o := &plan{program: p}
	command := &cobra.Command{
		Use:   "plan -f FILE",
		Short: "Say without a cluster what an experiment would do, or why it is refused",
		Long: `Checks the experiments in a file as the API server and the operator would, and shows
what would be measured, about how long that takes, and which variants can't be
recommended, whatever is measured. Other objects in the file are skipped.

Times follow from --hash-time. It creates nothing and does not connect to a cluster.

Exit codes: 0 if each experiment is accepted, 1 if one is refused, 2 if the file can't
be read or contains no experiment.`,
		Example: `  kubectl hashmark plan -f experiment.yaml
  kubectl hashmark plan -f experiment.yaml --hash-time 80ms -o json

  # What a chart or a kustomization renders
  kubectl kustomize overlays/sizing | kubectl hashmark plan -f -`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.run(command.Context(), command.Flags().Changed("hash-time"))
		},
	}
	command.Flags().StringVarP(&o.file, "filename", "f", "", "the file with the experiments, or - for standard input")
	command.Flags().DurationVar(&o.hash, "hash-time", preview.UsualHashTime().Round(time.Millisecond), "CPU time of a bcrypt hash at cost 10; calibrate measures yours")
	addFormat(command, &o.format, []string{"json", "table", "yaml"})
	_ = command.MarkFlagRequired("filename") // it fails only if the flag does not exist
	return command
}

func (o *plan) run(ctx context.Context, given bool) error {
	if o.hash < shortestHash || o.hash > longestHash {
		return fmt.Errorf("--hash-time %s: must be between %s and %s", o.hash, shortestHash, longestHash)
	}
	written, err := o.read()
	if err != nil {
		return err
	}
	var all previews
	refused := false
	for _, object := range written {
		p, err := preview.Of(ctx, object, o.hash)
		if err != nil {
			return err
		}
		refused = refused || len(p.Refusals) > 0
		all.Experiments = append(all.Experiments, p)
	}
	if err := o.write(all, given); err != nil {
		return err
	}
	if refused {
		return errRefused
	}
	return nil
}

// read returns the experiments of the file, with the types of JSON that an API server decodes: whole numbers stay whole.
func (o *plan) read() ([]map[string]any, error) {
	content, err := read(o.file, o.program.Streams.In)
	if err != nil {
		return nil, err
	}
	all, err := documents(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.file, err)
	}
	var found []map[string]any
	for _, document := range all {
		text, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return nil, fmt.Errorf("%s is not valid YAML: %w", o.file, err)
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, fmt.Errorf("%s contains a document that is no object: %w", o.file, err)
		}
		switch version, kind := object["apiVersion"], object["kind"]; {
		case kind != "SizingExperiment":
			fmt.Fprintln(o.program.messages(), units.Line(fmt.Sprintf("Skips a %v of %v", kind, version)))
		case version != v1beta1.GroupVersion.String():
			return nil, fmt.Errorf("%s contains a SizingExperiment of %q; write apiVersion: %s", o.file, fmt.Sprint(version), v1beta1.GroupVersion)
		default:
			found = append(found, object)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s contains no SizingExperiment of %s", o.file, v1beta1.GroupVersion)
	}
	return found, nil
}

func (o *plan) write(all previews, given bool) error {
	out := o.program.Streams.Out
	switch o.format {
	case "json":
		return report.WriteJSON(out, all)
	case "yaml":
		text, _, err := report.PlainYAML(all)
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, text)
		return err
	}
	for i, p := range all.Experiments {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := report.WriteTable(out, verdictOf(p), sectionsOf(p, given)); err != nil {
			return err
		}
	}
	return nil
}

func verdictOf(p preview.Preview) string {
	if len(p.Refusals) > 0 {
		return p.Experiment + " is refused."
	}
	return p.Experiment + " is accepted."
}

// sectionsOf returns what is shown of a preview. given reports whether the hash time was given on the command line.
func sectionsOf(p preview.Preview, given bool) []report.Section {
	if len(p.Refusals) > 0 {
		section := report.Section{Title: "Reasons"}
		for _, refusal := range p.Refusals {
			section.Items = append(section.Items, refusal.String())
		}
		return []report.Section{section}
	}
	all := []report.Section{loadSection(p, given), planSection(p)}
	ruledOut := report.Section{Title: "Ruled out", Paragraphs: []string{"These variants can't be recommended if hashes take that long, even if their CPU does nothing else:"}}
	for _, v := range p.Variants {
		if v.RuledOut != "" {
			ruledOut.Items = append(ruledOut.Items, v.Name+" "+v.RuledOut)
		}
	}
	if len(ruledOut.Items) > 0 {
		all = append(all, ruledOut)
	}
	if len(p.Notes) > 0 {
		all = append(all, report.Section{Title: "Notes", Items: p.Notes})
	}
	return all
}

// loadSection says how much is measured, and how long that takes.
func loadSection(p preview.Preview, given bool) report.Section {
	trials := strconv.Itoa(p.Trials)
	if p.Verifies {
		trials += ", and a verification of the recommended size"
	}
	hash := units.Latency(&p.HashMicroseconds) + " for bcrypt at cost 10"
	if !given {
		hash += " (assumed; kubectl hashmark calibrate measures yours, and --hash-time sets it)"
	}
	return report.Section{Title: "Load", Columns: []string{"", ""}, Lines: [][]string{
		{"trials", trials},
		{"time", about(p.EstimatedSeconds) + ", one trial at a time"},
		{"login services", cpuHours(p.ServiceCPUSeconds)},
		{"load generators", cpuHours(p.GeneratorCPUSeconds)},
		{"hash time", hash},
	}}
}

func about(seconds int64) string {
	minutes := (seconds + 59) / 60
	if minutes >= 60 {
		return fmt.Sprintf("about %d h %02d min", minutes/60, minutes%60)
	}
	return fmt.Sprintf("about %d min", minutes)
}

func cpuHours(seconds int64) string {
	return "at most " + units.Number(float64(seconds)/time.Hour.Seconds()) + " CPU-hours"
}

func planSection(p preview.Preview) report.Section {
	section := report.Section{Title: "Variants", Columns: []string{"variant", "hash", "hash time", "CPU limit", "concurrency", "node pool", "result"}}
	for _, v := range p.Variants {
		result := "measured"
		if !v.Measured {
			result = "predicted"
		}
		section.Lines = append(section.Lines, []string{
			v.Name, v.Hash, units.Latency(&v.HashMicroseconds), v.CPULimit, results.Concurrency(v.Concurrency), v.NodePool, result,
		})
	}
	section.DropEmptyColumns()
	return section
}
