package dashboards

import "strconv"

// The units, as Grafana names them.
const (
	seconds   = "s"
	share     = "percentunit"
	perSecond = "reqps"
	number    = "short"
	plain     = "none"
	fromNow   = "dateTimeFromNow"
	replicas  = "suffix: replicas"
	// asText is for text that looks like a number. It would get the unit of the numbers next to it.
	asText = "string"
)

// The colours.
const (
	green  = "green"
	yellow = "yellow"
	orange = "orange"
	red    = "red"
	blue   = "blue"
	purple = "purple"
	grey   = "text"
)

// fieldConfig says how numbers are shown.
type fieldConfig struct {
	Defaults  field      `json:"defaults"`
	Overrides []override `json:"overrides"`
}

type field struct {
	Unit       string      `json:"unit,omitempty"`
	Min        *float64    `json:"min,omitempty"`
	Max        *float64    `json:"max,omitempty"`
	NoValue    string      `json:"noValue,omitempty"`
	Color      *color      `json:"color,omitempty"`
	Mappings   []mapping   `json:"mappings,omitempty"`
	Thresholds *thresholds `json:"thresholds,omitempty"`
	Custom     any         `json:"custom,omitempty"`
}

type color struct {
	Mode  string `json:"mode"`
	Fixed string `json:"fixedColor,omitempty"`
}

type thresholds struct {
	Mode  string      `json:"mode"`
	Steps []threshold `json:"steps"`
}

// threshold is a colour that starts at a value. The first one has no value; it is the colour
// below all others.
type threshold struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

// from returns thresholds: the colour below all steps, followed by the steps.
func from(below string, steps ...threshold) *thresholds {
	return &thresholds{Mode: "absolute", Steps: append([]threshold{{Color: below}}, steps...)}
}

func at(value float64, color string) threshold { return threshold{Color: color, Value: &value} }

// mapping shows words instead of values.
type mapping struct {
	Type    string          `json:"type"`
	Options map[string]word `json:"options"`
}

type word struct {
	Text  string `json:"text"`
	Color string `json:"color,omitempty"`
	Index int    `json:"index"`
}

// words maps the values 1, 2, 3, … to words in their order.
func words(all []word) []mapping {
	options := map[string]word{}
	for i, w := range all {
		w.Index = i
		options[strconv.Itoa(i+1)] = w
	}
	return []mapping{{Type: "value", Options: options}}
}

// spelled maps words to themselves with their colours, for text in tables.
func spelled(all []word) []mapping {
	options := map[string]word{}
	for i, w := range all {
		w.Index = i
		options[w.Text] = w
	}
	return []mapping{{Type: "value", Options: options}}
}

// either maps 0 and 1 to words with their colours.
func either(zero, zeroColor, one, oneColor string) []mapping {
	return []mapping{{Type: "value", Options: map[string]word{
		"0": {Text: zero, Color: zeroColor}, "1": {Text: one, Color: oneColor, Index: 1},
	}}}
}

// override changes the display of some fields.
type override struct {
	Matcher    matcher    `json:"matcher"`
	Properties []property `json:"properties"`
}

type matcher struct {
	ID      string `json:"id"`
	Options string `json:"options"`
}

type property struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}

// named overrides the field with a name.
func named(name string, properties ...property) override {
	return override{matcher{"byName", name}, properties}
}

// matching overrides the fields whose display names match a regular expression.
func matching(expression string, properties ...property) override {
	return override{matcher{"byRegexp", expression}, properties}
}

// texts overrides all text fields.
func texts(properties ...property) override { return override{matcher{"byType", "string"}, properties} }

func unit(name string) property { return property{"unit", name} }

func colored(name string) property {
	return property{"color", color{Mode: "fixed", Fixed: name}}
}
