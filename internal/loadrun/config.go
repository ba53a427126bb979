package loadrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// Config is what one load is driven with.
type Config struct {
	Plan loadplan.Plan
	// Target is where the login service is, without a path.
	Target string
	// Pods is where each of its pods is, without a path: evidence is read there, and a
	// saturation keeps each of several busy. None may be named.
	Pods []string
	// Deadline after which the load is given up; zero for none.
	Deadline time.Time
	// RawOutput is a file for k6's own samples; none when empty.
	RawOutput string
	// RemoteWriteLabels are the labels of the series that k6 sends while it runs,
	// such as testid=…; it sends none when empty.
	RemoteWriteLabels []string
	// K6 is the program, a path or a name on PATH.
	K6 string
	// Script is the environment of the k6 script.
	Script []string
}

// scriptVariables are those that the k6 script reads.
var scriptVariables = []string{"HASHMARK_PLAN", "HASHMARK_TARGET", "HASHMARK_PODS", "HASHMARK_USER", "HASHMARK_PASSWORD", "HASHMARK_REPLICAS", "HASHMARK_SESSIONS"}

// FromEnvironment reads a load's parameters. Errors are sentences for the person
// who set the environment.
func FromEnvironment(lookup func(string) string) (Config, error) {
	config := Config{
		Target:    lookup("HASHMARK_TARGET"),
		RawOutput: lookup("HASHMARK_RAW_OUTPUT"),
		K6:        lookup("HASHMARK_K6"),
	}
	if config.K6 == "" {
		config.K6 = "k6"
	}
	var problems []error
	plan, err := parsePlan(lookup("HASHMARK_PLAN"))
	config.Plan = plan
	problems = append(problems, err, checkAddress("HASHMARK_TARGET", config.Target))
	for address := range strings.SplitSeq(lookup("HASHMARK_PODS"), ",") {
		if address = strings.TrimSpace(address); address != "" {
			config.Pods = append(config.Pods, address)
			problems = append(problems, checkAddress("HASHMARK_PODS", address))
		}
	}
	if text := lookup("HASHMARK_DEADLINE"); text != "" {
		config.Deadline, err = time.Parse(time.RFC3339, text)
		if err != nil {
			problems = append(problems, fmt.Errorf("HASHMARK_DEADLINE is %q; write a moment such as 2026-01-31T12:00:00Z", text))
		}
	}
	config.RemoteWriteLabels, err = parseLabels(lookup)
	problems = append(problems, err)
	for _, name := range scriptVariables {
		config.Script = append(config.Script, name+"="+lookup(name))
	}
	for _, name := range []string{"HASHMARK_USER", "HASHMARK_PASSWORD"} {
		if lookup(name) == "" {
			problems = append(problems, fmt.Errorf("%s is not set; name whom to log in", name))
		}
	}
	return config, errors.Join(problems...)
}

func checkAddress(name, address string) error {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" || parsed.Host == "" || strings.TrimSuffix(parsed.Path, "/") != "" {
		return fmt.Errorf("%s is %q; write an address such as http://10.96.0.7:8080", name, address)
	}
	return nil
}

// parseLabels also sees to it that k6 has somewhere to send to: by itself it
// would take a receiver on its own host.
func parseLabels(lookup func(string) string) ([]string, error) {
	text := lookup("HASHMARK_REMOTE_WRITE_LABELS")
	if text == "" {
		return nil, nil
	}
	if lookup("K6_PROMETHEUS_RW_SERVER_URL") == "" {
		return nil, errors.New("HASHMARK_REMOTE_WRITE_LABELS is set and K6_PROMETHEUS_RW_SERVER_URL is not; name the receiver")
	}
	labels := strings.Split(text, ",")
	for _, label := range labels {
		if name, value, found := strings.Cut(label, "="); !found || name == "" || value == "" {
			return nil, fmt.Errorf("HASHMARK_REMOTE_WRITE_LABELS holds %q; write name=value, with commas between", label)
		}
	}
	return labels, nil
}

// parsePlan is strict: a field that this program does not know would be a part
// of the load that it does not drive.
func parsePlan(text string) (loadplan.Plan, error) {
	var plan loadplan.Plan
	if text == "" {
		return plan, errors.New("HASHMARK_PLAN is not set; it holds the plan as JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		return plan, fmt.Errorf("HASHMARK_PLAN is no plan: %w", err)
	}
	return plan, checkPlan(plan)
}
