package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/internal/login"
)

// environmentPrefix begins the name of every flag's twin.
const environmentPrefix = "HASHMARK_"

// parse reads flags, then for those not given their twins in the environment.
// An empty variable counts as none. The error wraps errUsage or flag.ErrHelp.
func parse(flags *flag.FlagSet, arguments []string, w world) error {
	flags.SetOutput(w.stderr)
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%w: %q is no flag; flags begin with --", errUsage, flags.Arg(0))
	}
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var wrong error
	flags.VisitAll(func(f *flag.Flag) {
		name := twin(f.Name)
		value, found := w.lookup(name)
		if !found || value == "" || given[f.Name] {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%w: %s=%q: %w", errUsage, name, value, err))
		}
	})
	return wrong
}

// number is a flag of a 32-bit number, which costs and lengths are everywhere else.
type number int32

func (n *number) String() string { return strconv.Itoa(int(*n)) }

func (n *number) Set(text string) error {
	value, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return errors.Unwrap(err)
	}
	*n = number(value)
	return nil
}

// numberVar makes such a flag with a default.
func numberVar(flags *flag.FlagSet, to *int32, name string, value int32, usage string) {
	*to = value
	flags.Var((*number)(to), name, usage)
}

// twin is the name of a flag's variable.
func twin(flagName string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// checkCost refuses costs that the service does not hash at.
func checkCost(name string, cost int32) error {
	if cost < login.MinCost || cost > login.MaxCost {
		return fmt.Errorf("%w: --%s is %d: %w", errUsage, name, cost, login.ErrCost)
	}
	return nil
}
