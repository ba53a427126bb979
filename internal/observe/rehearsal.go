package observe

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/loadtests"
)

// Refusal is why a service can't be measured.
type Refusal struct {
	// Reason is one of handover.RehearsalReasons.
	Reason string
	// Message is a sentence for the person who described the service.
	Message string
}

// Error returns the reason, a colon, and the message.
func (r *Refusal) Error() string { return r.Reason + ": " + r.Message }

// noticed is how long it takes at most to notice that the service has ended.
const noticed = 200 * time.Millisecond

// Logins are functions that log in once, one login after another.
type Logins struct {
	// Right logs in as the user.
	Right func() error
	// Wrong logs in as the user with a wrong password, and Unknown as somebody who has no account. Both
	// must be refused. Unknown is nil if the service answers it differently, which says by itself who
	// has an account.
	Wrong, Unknown func() error
	// PID is the number of the process that logs in.
	PID int
}

// Rehearsal runs a login service without load, to find out whether a login works.
type Rehearsal struct {
	// Command and Environment of the service.
	Command, Environment []string
	// Account is who logs in.
	loginflow.Account
	// Ready says when the service is ready, which may take ReadyWithin.
	Ready       handover.HealthCheck
	ReadyWithin time.Duration
	// Flow is how to log in.
	Flow handover.Login
	// RequestTimeout is how long a login may take. The requests before the first one may take as long for each
	// of them.
	RequestTimeout time.Duration
	// Private keeps what the service answers out of errors.
	Private bool
	// ScriptFolder has k6 and its scripts.
	ScriptFolder string
}

// Run starts the service, checks that a login succeeds and one with a wrong password does not, and
// passes functions that log in. When the function that gets them returns, the service is stopped.
// The error is a *Refusal, that of the passed function, or says why a command could not be started.
func (r Rehearsal) Run(with func(Logins) error) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	gone := make(chan error, 1)
	go func() {
		gone <- r.runService(ctx, stop) // no login is waited for any longer
	}()
	err := r.rehearse(ctx, with)
	if err != nil {
		// A service that has just ended is why a login failed.
		select {
		case <-ctx.Done():
		case <-time.After(noticed):
		}
	}
	ended := ctx.Err() != nil
	stop()
	if why := <-gone; ended {
		return &Refusal{Reason: handover.ServiceNotReady, Message: fmt.Sprintf("the login service did not keep running: %s", why)}
	}
	return err
}

// runService runs the service until it ends, calls a function then, and returns how it ended, with the end of its output.
func (r Rehearsal) runService(ctx context.Context, ended func()) error {
	code, quote, err := runQuoted(ctx, r.Command, r.Environment, ended)
	switch {
	case err != nil && r.Private:
		return errors.New("it could not be started") // the name of the program can come from a key
	case err != nil:
		return err
	case r.Private || quote == "":
		return fmt.Errorf("it ended with exit code %d", code)
	default:
		return fmt.Errorf("it ended with exit code %d, and its output ends with %q", code, quote)
	}
}

func (r Rehearsal) rehearse(ctx context.Context, with func(Logins) error) error {
	starting, cancel := context.WithTimeout(ctx, r.ReadyWithin)
	defer cancel()
	if err := loginflow.NewDirect(r.ReadyWithin, false).WaitReady(starting, r.Account, r.Ready, func(error) {}); err != nil {
		if r.Private {
			err = loginflow.Quotable(err)
		}
		return &Refusal{Reason: handover.ServiceNotReady, Message: fmt.Sprintf("the login service was not ready within %s: %s", r.ReadyWithin, err)}
	}
	// Before the service has its port, a port of this process could be the same.
	client, err := loginflow.Start(filepath.Join(r.ScriptFolder, loadtests.K6), r.ScriptFolder, r.Flow, r.RequestTimeout, r.Private)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Setup(ctx, r.Account); err != nil {
		return &Refusal{Reason: handover.LoginFailed, Message: "before the first login, " + err.Error()}
	}
	accounts, sent := r.Flow.NumberOfAccounts(), 0
	next := func(a loginflow.Account) loginflow.Account {
		sent++
		return a.Numbered(sent % accounts)
	}
	login := func() error {
		if err := client.Login(ctx, next(r.Account)); err != nil {
			return &Refusal{Reason: handover.LoginFailed, Message: "a login failed at " + err.Error()}
		}
		return nil
	}
	if err := login(); err != nil {
		return err
	}
	mistyped := r.Account
	mistyped.Password += " (wrong)"
	// Even if the answer is that of wrong: if it is also that of a login, nothing tells them apart.
	if client.Login(ctx, next(mistyped)) == nil {
		return &Refusal{Reason: handover.WrongPasswordAccepted, Message: "a login with a wrong password succeeded; check what spec.service.own.login takes as a success. If both are answered alike, add a last step that only a user who has logged in can do"}
	}
	wrong := func() error { return client.LoginWrongly(ctx, next(mistyped)) }
	if err := wrong(); err != nil {
		return &Refusal{Reason: handover.LoginFailed, Message: "with a wrong password, a login failed in another way than spec.service.own.login.wrong says, at " + err.Error()}
	}
	stranger := mistyped
	stranger.User += "-unknown"
	unknown := func() error { return client.LoginWrongly(ctx, stranger) }
	if unknown() != nil {
		unknown = nil
	}
	return with(Logins{Right: login, Wrong: wrong, Unknown: unknown, PID: client.PID()})
}
