package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/password"
)

// parse reads the flags, and the environment variables of the flags that were not given. An
// empty variable counts as not set. The error wraps errUsage or flag.ErrHelp.
func parse(flags *flag.FlagSet, arguments []string, w system) error {
	flags.SetOutput(w.stderr)
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%w: unexpected argument %q; flags begin with --", errUsage, flags.Arg(0))
	}
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var wrong error
	flags.VisitAll(func(f *flag.Flag) {
		name := variable(f.Name)
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

// number is a flag with a 32-bit number, the type of costs and lengths everywhere else.
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

func numberVar(flags *flag.FlagSet, to *int32, name string, value int32, usage string) {
	*to = value
	flags.Var((*number)(to), name, usage)
}

func accountVars(flags *flag.FlagSet, user, password *string) {
	flags.StringVar(user, "user", "hashmark", "`name` of the test account")
	flags.StringVar(password, "password", "correct horse battery staple", "`password` of the test account, which protects nothing")
}

func deadlineVar(flags *flag.FlagSet, to *time.Time, usage string) {
	flags.Func("deadline", usage, func(text string) (err error) {
		*to, err = time.Parse(time.RFC3339, text)
		return err
	})
}

// until returns a context that is cancelled at a deadline, with errDeadline as its cause. A zero deadline is no
// limit.
func until(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, deadline, errDeadline)
}

// variable returns the name of a flag's environment variable.
func variable(flagName string) string {
	return envvar.Prefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

func recipeVars(flags *flag.FlagSet, to *password.Recipe) {
	to.Algorithm = password.Bcrypt
	flags.StringVar((*string)(&to.Algorithm), "algorithm", string(to.Algorithm),
		fmt.Sprintf("`name` of the hash: one of %v", password.Algorithms))
	numberVar(flags, &to.Cost, "cost", 0, fmt.Sprintf("bcrypt `cost`, 4 to 16, only with bcrypt; 0 means %d", defaultCost))
	numberVar(flags, &to.MemoryKiB, "memory-kib", 0,
		"`memory` of one hash in KiB, only with argon2id and scrypt, with scrypt a power of two; 0 means OWASP's recommendation")
	numberVar(flags, &to.Iterations, "iterations", 0,
		"`passes` over the memory with argon2id, or rounds with pbkdf2; 0 means OWASP's recommendation")
	numberVar(flags, &to.Parallelism, "parallelism", 0, "`lanes` of one hash, only with argon2id and scrypt; 0 means OWASP's recommendation")
	flags.StringVar(&to.Digest, "digest", "", "`name` of the digest of pbkdf2, SHA-256 or SHA-512, only with pbkdf2; by default SHA-256")
}

// checkRecipe fills in the defaults, and refuses an invalid recipe.
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
