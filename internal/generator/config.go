package generator

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/loadtests"
)

// Config is the configuration of one load.
type Config struct {
	// Command is the run of k6, without Started, ShouldStop and Output.
	Command
	// Target is the address of the login service, without a path.
	Target string
	// Pods are the addresses of its pods, without a path. Evidence is read there, and if
	// there are several, a saturation keeps each of them busy. It can be empty.
	Pods []string
	// Evidence are the addresses where the evidence of the pods is read, in their order.
	Evidence []string
	// Companions of a user's own login service, in the order of their names.
	Companions []Companion
	// Ready and Alive are how the service says that it is ready, and alive.
	Ready, Alive handover.HealthCheck
	// ReadyWithin is how long the service and its pods may take to be ready.
	ReadyWithin time.Duration
	// Own is how to log in at a user's own login service; nil with Hashmark's.
	Own *handover.Login
	// User and Password are the account that logs in.
	User, Password string
	// Deadline after which the load is stopped; zero for none.
	Deadline time.Time
}

// scriptVariables are the variables that the k6 script reads beside the plan.
var scriptVariables = []string{envvar.Target, envvar.Pods, envvar.User, envvar.Password, envvar.Replicas, envvar.Handshakes, envvar.Sessions, envvar.Login}

// FromEnvironment reads the configuration of a load from environment variables. The errors
// are sentences for the person who set the variables.
func FromEnvironment(lookup func(string) string) (Config, error) {
	config := Config{Target: lookup(envvar.Target)}
	config.Binary = cmp.Or(lookup(envvar.K6), loadtests.K6)
	config.Private = lookup(envvar.Private) == "true"
	var problems []error
	plan, err := parsePlan(lookup(envvar.Plan))
	config.Plan = plan
	problems = append(problems, err, checkAddress(envvar.Target, config.Target))
	config.Pods, err = addresses(lookup, envvar.Pods)
	problems = append(problems, err, config.parseEvidence(lookup), config.parseOwn(lookup))
	if text := lookup(envvar.Deadline); text != "" {
		config.Deadline, err = time.Parse(time.RFC3339, text)
		if err != nil {
			problems = append(problems, fmt.Errorf("invalid %s %q: use a time such as 2026-01-31T12:00:00Z", envvar.Deadline, text))
		}
	}
	config.RemoteWriteLabels, err = parseLabels(lookup)
	problems = append(problems, err)
	config.Companions, err = parseCompanions(lookup)
	problems = append(problems, err)
	for _, name := range scriptVariables {
		config.Environment = append(config.Environment, name+"="+lookup(name))
	}
	for _, name := range []string{envvar.User, envvar.Password} {
		if lookup(name) == "" {
			problems = append(problems, fmt.Errorf("%s is not set: set the user and password of the logins", name))
		}
	}
	return config, errors.Join(problems...)
}

// parseEvidence reads where the evidence of the pods is, if it isn't where they serve logins.
func (c *Config) parseEvidence(lookup func(string) string) (err error) {
	if lookup(envvar.Evidence) == "" && lookup(envvar.Login) == "" {
		c.Evidence = c.Pods
		return nil
	}
	c.Evidence, err = addresses(lookup, envvar.Evidence)
	if len(c.Evidence) != len(c.Pods) {
		err = errors.Join(err, fmt.Errorf("%s has %d addresses, and %s has %d: each pod needs one", envvar.Evidence, len(c.Evidence), envvar.Pods, len(c.Pods)))
	}
	return err
}

// parseOwn reads what is different with a user's own login service.
func (c *Config) parseOwn(lookup func(string) string) error {
	c.User, c.Password = lookup(envvar.User), lookup(envvar.Password)
	c.Ready, c.Alive, c.ReadyWithin = handover.HealthCheck{Path: "/readyz"}, handover.HealthCheck{Path: "/healthz"}, readyTimeout
	text := lookup(envvar.Login)
	if text == "" {
		return nil
	}
	ready, errReady := loginflow.ParseReady(lookup(envvar.Ready))
	c.Ready, c.Alive = ready, ready
	if path := lookup(envvar.AlivePath); path != "" {
		c.Alive = handover.HealthCheck{Path: path} // what answers there is nothing like what ready expects
	}
	within, errWithin := time.ParseDuration(lookup(envvar.ReadyWithin))
	if errWithin != nil || within <= 0 || within > time.Hour {
		errWithin = fmt.Errorf("invalid %s %q: use a time such as 2m0s, of at most an hour", envvar.ReadyWithin, lookup(envvar.ReadyWithin))
	}
	c.ReadyWithin = within
	flow, err := loginflow.Parse(text)
	c.Own, c.Login = &flow, flow.Script
	return errors.Join(err, errWithin, errReady)
}

func addresses(lookup func(string) string, name string) (all []string, err error) {
	for address := range strings.SplitSeq(lookup(name), ",") {
		if address = strings.TrimSpace(address); address != "" {
			all = append(all, address)
			err = errors.Join(err, checkAddress(name, address))
		}
	}
	return all, err
}

func checkAddress(name, address string) error {
	parsed, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https"}, parsed.Scheme) || parsed.Host == "" || strings.TrimSuffix(parsed.Path, "/") != "" {
		return fmt.Errorf("invalid %s %q: use an address such as http://10.96.0.7:8080", name, address)
	}
	return nil
}

// parseLabels also checks that k6 has a receiver. By default it would use one on its own
// host.
func parseLabels(lookup func(string) string) ([]string, error) {
	text := lookup(envvar.RemoteWriteLabels)
	if text == "" {
		return nil, nil
	}
	if lookup("K6_PROMETHEUS_RW_SERVER_URL") == "" {
		return nil, errors.New(envvar.RemoteWriteLabels + " is set but K6_PROMETHEUS_RW_SERVER_URL is not: set it to the address of the receiver")
	}
	labels := strings.Split(text, ",")
	for _, label := range labels {
		if name, value, found := strings.Cut(label, "="); !found || name == "" || value == "" {
			return nil, fmt.Errorf("%s has the invalid label %q: use name=value, separated by commas", envvar.RemoteWriteLabels, label)
		}
	}
	return labels, nil
}

func parsePlan(text string) (loadplan.Plan, error) {
	if text == "" {
		return loadplan.Plan{}, errors.New(envvar.Plan + " is not set: set it to the plan as JSON")
	}
	plan, err := loadplan.Decode(text)
	if other, is := errors.AsType[*loadplan.OtherVersionError](err); is {
		return plan, fmt.Errorf("invalid %s: %w; use images of the same release", envvar.Plan, other)
	}
	if err != nil {
		return plan, fmt.Errorf("invalid %s: %w", envvar.Plan, err)
	}
	return plan, nil
}
