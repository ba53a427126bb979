package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/internal/password"
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

// recipeVars makes the flags that say how passwords are hashed.
func recipeVars(flags *flag.FlagSet, to *password.Recipe) {
	to.Algorithm = password.Bcrypt
	flags.StringVar((*string)(&to.Algorithm), "algorithm", string(to.Algorithm),
		"`name` of the hash: Bcrypt, Argon2id, Scrypt, PBKDF2, or SHA256, which is deliberately cheap")
	numberVar(flags, &to.Cost, "cost", 0, fmt.Sprintf("bcrypt `cost`, 4 to 16; 0 is %d; with Bcrypt only", defaultCost))
	numberVar(flags, &to.MemoryKiB, "memory-kib", 0,
		"`memory` of one hash in KiB, with Argon2id and Scrypt only, where it is a power of two; 0 is OWASP's recommendation")
	numberVar(flags, &to.Iterations, "iterations", 0,
		"`passes` over the memory of Argon2id, or rounds of PBKDF2; 0 is OWASP's recommendation")
	numberVar(flags, &to.Parallelism, "parallelism", 0, "`lanes` of one hash of Argon2id or Scrypt; 0 is OWASP's recommendation")
}

// checkRecipe fills in what was left open, and refuses what can't be hashed by.
func checkRecipe(r *password.Recipe) error {
	if r.Algorithm == password.Bcrypt && r.Cost == 0 {
		r.Cost = defaultCost
	}
	*r = r.WithDefaults()
	switch err := r.Check(); {
	case errors.Is(err, password.ErrCost):
		return fmt.Errorf("%w: --cost is %d: %w", errUsage, r.Cost, err)
	case err != nil:
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	return nil
}
