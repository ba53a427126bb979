package dashboards

// size of a panel in the grid's units.
type size struct{ w, h int }

// about is what all panels have.
type about struct {
	title string
	// how describes what the panel shows and how to read it.
	how  string
	size size
}

// The values of Grafana's options that are used more than once.
const (
	timeSeries = "time_series"
	tableRows  = "table"
	hidden     = "hidden"
	bottom     = "bottom"
	multi      = "multi"
	lastValue  = "lastNotNull"
)

func (a about) panel(kind string, options any, fields fieldConfig, targets []target) Panel {
	for i := range targets {
		targets[i].Datasource, targets[i].RefID = prometheus, string(rune('A'+i))
	}
	if fields.Overrides == nil {
		fields.Overrides = []override{}
	}
	return Panel{
		Type: kind, Title: a.title, Description: a.how, Position: position{W: a.size.w, H: a.size.h},
		Datasource: &prometheus, Targets: targets, Fields: fields, Options: options,
	}
}

// overTime returns a query over time, with a line for each set of remaining labels.
func overTime(legend, expr string) target {
	return target{Expr: expr, Legend: legend, Format: timeSeries, Range: true}
}

type reduction struct {
	Calcs  []string `json:"calcs"`
	Fields string   `json:"fields"`
	Values bool     `json:"values"`
}

type statOptions struct {
	ColorMode              string    `json:"colorMode"`
	GraphMode              string    `json:"graphMode"`
	JustifyMode            string    `json:"justifyMode"`
	Orientation            string    `json:"orientation"`
	PercentChangeColorMode string    `json:"percentChangeColorMode"`
	ReduceOptions          reduction `json:"reduceOptions"`
	ShowPercentChange      bool      `json:"showPercentChange"`
	TextMode               string    `json:"textMode"`
	WideLayout             bool      `json:"wideLayout"`
}

// atTheEnd evaluates queries at the end of the time range. Over all of it, the last value of a line
// that has ended would still be shown, such as an earlier confidence.
func atTheEnd(targets []target) {
	for i := range targets {
		targets[i].Instant, targets[i].Range = true, false
	}
}

// stat shows the value of each query in large letters, with the name of its line if it has one. In
// the mode auto, Grafana leaves out the name of a single line.
func (a about) stat(fields field, targets ...target) Panel {
	atTheEnd(targets)
	mode := "value_and_name"
	if len(targets) == 1 && targets[0].Legend == "" {
		mode = "value"
	}
	return a.panel("stat", statOptions{
		ColorMode: "value", GraphMode: "none", JustifyMode: "auto", Orientation: "auto",
		PercentChangeColorMode: "standard", ReduceOptions: reduction{Calcs: []string{lastValue}},
		TextMode: mode, WideLayout: true,
	}, fieldConfig{Defaults: fields}, targets)
}

type legendOptions struct {
	Calcs       []string `json:"calcs"`
	DisplayMode string   `json:"displayMode"`
	Placement   string   `json:"placement"`
	ShowLegend  bool     `json:"showLegend"`
}

type tooltipOptions struct {
	Mode string `json:"mode"`
	Sort string `json:"sort"`
}

func listed() legendOptions {
	return legendOptions{Calcs: []string{}, DisplayMode: "list", Placement: bottom, ShowLegend: true}
}

type plotOptions struct {
	Legend  legendOptions  `json:"legend"`
	Tooltip tooltipOptions `json:"tooltip"`
}

type lineStyle struct {
	Fill string `json:"fill"`
	Dash []int  `json:"dash,omitempty"`
}

type plotStyle struct {
	AxisSoftMin int      `json:"axisSoftMin"`
	AxisSoftMax *float64 `json:"axisSoftMax,omitempty"`
	DrawStyle   string   `json:"drawStyle"`
	FillOpacity int      `json:"fillOpacity"`
	LineWidth   int      `json:"lineWidth"`
	ShowPoints  string   `json:"showPoints"`
	SpanNulls   bool     `json:"spanNulls"`
}

// plot draws each query over time, from zero. The minimum interval is the scrape interval of the
// login services.
func (a about) plot(fields field, targets ...target) Panel {
	fields.Custom = plotStyle{DrawStyle: "line", FillOpacity: 10, LineWidth: 2, ShowPoints: "auto"}
	panel := a.panel("timeseries",
		plotOptions{Legend: listed(), Tooltip: tooltipOptions{Mode: multi, Sort: "desc"}},
		fieldConfig{Defaults: fields}, targets)
	panel.Interval = shortestInterval
	return panel
}

// upTo makes the axis of a plot reach at least to a value. Without it, an axis on which all is zero
// reaches to 100, which is 10,000 % of a share.
func (p Panel) upTo(value float64) Panel {
	style := p.Fields.Defaults.Custom.(plotStyle)
	style.AxisSoftMax = &value
	p.Fields.Defaults.Custom = style
	return p
}

// shortestInterval is the default scrape interval of the login services.
const shortestInterval = "10s"

type timelineOptions struct {
	AlignValue  string         `json:"alignValue"`
	Legend      legendOptions  `json:"legend"`
	MergeValues bool           `json:"mergeValues"`
	RowHeight   float64        `json:"rowHeight"`
	ShowValue   string         `json:"showValue"`
	Tooltip     tooltipOptions `json:"tooltip"`
}

type timelineStyle struct {
	FillOpacity int `json:"fillOpacity"`
	LineWidth   int `json:"lineWidth"`
}

// timeline draws states over time.
func (a about) timeline(states []word, targets ...target) Panel {
	legend := listed()
	return a.panel("state-timeline", timelineOptions{
		AlignValue: "left", Legend: legend, MergeValues: true, RowHeight: 0.85, ShowValue: "auto",
		Tooltip: tooltipOptions{Mode: "single", Sort: "none"},
	}, fieldConfig{Defaults: field{
		Unit: plain, Color: &color{Mode: "thresholds"}, Thresholds: from(grey), Mappings: words(states),
		Custom: timelineStyle{FillOpacity: 80},
	}}, targets)
}

type barOptions struct {
	DisplayMode   string        `json:"displayMode"`
	Legend        legendOptions `json:"legend"`
	MaxVizHeight  int           `json:"maxVizHeight"`
	MinVizHeight  int           `json:"minVizHeight"`
	MinVizWidth   int           `json:"minVizWidth"`
	NamePlacement string        `json:"namePlacement"`
	Orientation   string        `json:"orientation"`
	ReduceOptions reduction     `json:"reduceOptions"`
	ShowUnfilled  bool          `json:"showUnfilled"`
	Sizing        string        `json:"sizing"`
	ValueMode     string        `json:"valueMode"`
}

// bars draws the value of each line of its query as a bar. Without a minimum, the bar of
// the smallest value would have no length; with the size auto, a single bar fills the panel.
func (a about) bars(fields field, targets ...target) Panel {
	atTheEnd(targets)
	zero := 0.0
	fields.Min = &zero
	return a.panel("bargauge", barOptions{
		DisplayMode: "basic", Legend: legendOptions{Calcs: []string{}, DisplayMode: hidden, Placement: bottom},
		MaxVizHeight: 32, MinVizHeight: 12, MinVizWidth: 8, NamePlacement: "left", Orientation: "horizontal",
		ReduceOptions: reduction{Calcs: []string{lastValue}}, ShowUnfilled: true, Sizing: "manual", ValueMode: "color",
	}, fieldConfig{Defaults: fields}, targets)
}
