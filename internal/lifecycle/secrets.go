package lifecycle

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// withSecret returns the user's own login service if it or a companion has a key of a Secret, or nil. No message may have what
// such a service and its companions answer or print.
func (o *Observation) withSecret() *v1beta1.OwnService {
	if !objects.NamesSecret(o.Trial.Spec.Service) {
		return nil
	}
	return o.Trial.Spec.Service.Own
}

// plainReasons are the reasons of handover.RehearsalReasons as clauses.
var plainReasons = map[string]string{
	handover.ServiceNotReady:       "it was not ready in time, or did not keep running",
	handover.LoginFailed:           "a request was not answered as expected",
	handover.WrongPasswordAccepted: "a login with a wrong password succeeded, or is answered like one with the right password",
	handover.HashMismatch:          "a login takes another CPU time than the hash that is named: it is cached, skipped or another hash, or the service hashes again at login",
}

// amounts are the numbers that a message of a calibration has.
var amounts = regexp.MustCompile(`\b(?:exit code|status was|status) \d{1,3}\b|\b\d{1,6}(?:\.\d{1,3})?(?:µs|ms|s)\b`)

// withoutQuotes returns why a service with a key of a Secret can't be measured: the reason, which request of the spec failed, and
// at most four numbers. The rest of the message can be anybody's.
func withoutQuotes(reason, message string, login *handover.Login) string {
	why := plainReasons[reason]
	if name := requestIn(message, login); name != "" {
		why += ", at " + name
	}
	if found := amounts.FindAllString(message, 4); len(found) > 0 {
		why += " (" + strings.Join(found, ", ") + ")"
	}
	return why + ". Its messages are not shown, because service.own names a Secret: read the log of container " + objects.CalibrateContainer + " while it runs"
}

// requestIn returns the name of the request of the spec that a message names, or "".
func requestIn(message string, login *handover.Login) string {
	for i, request := range slices.Concat(login.Setup, login.Steps) {
		name := request.Name
		if name == "" && i >= len(login.Setup) {
			name = login.Title(i - len(login.Setup))
		}
		if name != "" && strings.Contains(message, " "+name+": ") {
			return name
		}
	}
	return ""
}
