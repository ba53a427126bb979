package dashboards

const (
	// tag is the tag by which the three dashboards link to each other.
	tag = "hashmark"
	// docs is the documentation of the dashboards.
	docs = "https://github.com/hashmark-dev/hashmark/blob/main/docs/monitoring.md"

	overviewUID   = "hashmark-overview"
	experimentUID = "hashmark-experiment"
	liveUID       = "hashmark-live"
)

// link is a button at the top of the page.
type link struct {
	AsDropdown  bool     `json:"asDropdown"`
	Icon        string   `json:"icon"`
	IncludeVars bool     `json:"includeVars"`
	KeepTime    bool     `json:"keepTime"`
	Tags        []string `json:"tags"`
	TargetBlank bool     `json:"targetBlank"`
	Title       string   `json:"title"`
	Tooltip     string   `json:"tooltip"`
	Type        string   `json:"type"`
	URL         string   `json:"url,omitempty"`
}

// links returns links to the other dashboards, which keep the experiment and the time range,
// and to the documentation.
func links() []link {
	return []link{
		{
			Type: "dashboards", Title: "Hashmark", Icon: "external link", Tags: []string{tag},
			Tooltip: "The same experiment on the other dashboards", IncludeVars: true, KeepTime: true,
		},
		{
			Type: "link", Title: "How to read this", Icon: "doc", Tags: []string{}, URL: docs,
			Tooltip: "What each panel shows, and the sources of the numbers", TargetBlank: true,
		},
	}
}

// variable is a choice at the top of the page.
type variable struct {
	Name        string  `json:"name"`
	Type        string  `json:"type"`
	Label       string  `json:"label"`
	Description string  `json:"description"`
	Datasource  *source `json:"datasource,omitempty"`
	Query       any     `json:"query"`
	Regex       string  `json:"regex"`
	Refresh     int     `json:"refresh"`
	Sort        int     `json:"sort,omitempty"`
	Multi       bool    `json:"multi"`
	IncludeAll  bool    `json:"includeAll"`
	AllValue    string  `json:"allValue,omitempty"`
	Current     *option `json:"current,omitempty"`
}

type option struct {
	Text  string `json:"text"`
	Value string `json:"value"`
}

const (
	// onTimeRange reloads the values of a variable when the time range changes, so that a
	// deleted experiment can be selected.
	onTimeRange = 2
	onLoad      = 1
	naturalSort = 7
)

// datasource is the variable for the Prometheus to query.
func datasource() variable {
	return variable{
		Name: "datasource", Type: "datasource", Label: "Data source", Query: "prometheus", Refresh: onLoad,
		Description: "The Prometheus that scrapes Hashmark and receives k6's series.",
	}
}

// one returns a variable with the values of a label of some series.
func one(name, title, description, selector string) variable {
	return variable{
		Name: name, Type: "query", Label: title, Description: description, Datasource: &prometheus,
		Query:   map[string]any{"qryType": 1, "query": "label_values(" + selector + ", " + name + ")", "refId": name},
		Refresh: onTimeRange, Sort: naturalSort,
	}
}

// some is like one, but several values can be selected. The default is all.
func some(name, title, description, selector string) variable {
	v := one(name, title, description, selector)
	v.Multi, v.IncludeAll, v.AllValue = true, true, ".+"
	v.Current = &option{Text: "All", Value: "$__all"}
	return v
}

// ofOneExperiment returns the variables of a page about one experiment.
func ofOneExperiment() []variable {
	return []variable{
		datasource(),
		one("namespace", "Namespace", "The namespace of the experiment.", "hashmark_experiment_phase"),
		one("experiment", "Experiment", "The SizingExperiment to show.", `hashmark_experiment_phase{namespace="$namespace"}`),
		some("variant", "Variant", "The variants to show.",
			`hashmark_variant_verdict{namespace="$namespace",experiment="$experiment"}`),
	}
}

// annotation marks times in every panel with a time axis.
type annotation struct {
	Name       string `json:"name"`
	Datasource source `json:"datasource"`
	Enable     bool   `json:"enable"`
	IconColor  string `json:"iconColor"`
	Target     target `json:"target"`
	Title      string `json:"titleFormat"`
	Text       string `json:"textFormat"`
	TagKeys    string `json:"tagKeys"`
}

// trialsRunning marks each trial from its start to its end: Grafana joins consecutive
// samples to one region.
func trialsRunning(filter string) annotation {
	return annotation{
		Name: "Trials", Datasource: prometheus, Enable: true, IconColor: "blue",
		Target: target{
			Datasource: prometheus, RefID: "Trials", Legend: "{{trial}}", Format: timeSeries, Range: true,
			Expr: "max by (experiment, variant, trial) (hashmark_trial_phase{" + join(filter, `phase="Running"`) + "})",
		},
		Title: "{{variant}}", Text: "{{trial}} is running", TagKeys: "experiment,variant",
	}
}
