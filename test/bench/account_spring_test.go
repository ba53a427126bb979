//go:build bench

package bench

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// sessionScript logs in once per virtual user, and then shows the session's cookie. A wrong password
// has no session, so it is still refused.
const sessionScript = `import encoding from 'k6/encoding';
import http from 'k6/http';

const sessions = {};

export function login({ address, user, password, timeout }) {
  const headers = sessions[password]
    ? { Cookie: sessions[password] }
    : { Authorization: 'Basic ' + encoding.b64encode(user + ':' + password) };
  const response = http.get(address + '/api/account', { headers, timeout, redirects: 0 });
  const cookie = response.cookies.JSESSIONID;
  if (response.status === 200 && cookie) {
    sessions[password] = 'JSESSIONID=' + cookie[0].value;
  }
  if (response.status !== 200) {
    delete sessions[password];
  }
  return { response, ok: response.status === 200 };
}
`

// elimination is a change of the service that the account's author tried, and whether it ends the
// queueing.
type elimination struct {
	name   string
	change func(*v1alpha1.OwnService)
	ends   bool
}

// eliminations are the author's, in his order. Where bcrypt is replaced, the service gets the password
// itself instead of a hash.
var eliminations = []elimination{
	{"none", func(*v1alpha1.OwnService) {}, false},
	{"2,000 threads instead of 200", func(own *v1alpha1.OwnService) { own.Env["SERVER_TOMCAT_THREADS_MAX"] = "2000" }, false},
	{"plain text instead of JSON", func(own *v1alpha1.OwnService) { own.Login.Steps[0].Path = "/api/user" }, false},
	{"no Spring Security", func(own *v1alpha1.OwnService) {
		const from = "org.springframework.boot.autoconfigure.security.servlet."
		own.Env["LOGIN_SECURITY"] = "false"
		own.Env["SPRING_AUTOCONFIGURE_EXCLUDE"] = from + "SecurityAutoConfiguration," + from + "SecurityFilterAutoConfiguration," +
			from + "UserDetailsServiceAutoConfiguration"
		own.Env["SPRING_SECURITY_USER_PASSWORD"] = "$(HASHMARK_PASSWORD)"
	}, true},
	{"SHA-256 instead of bcrypt", func(own *v1alpha1.OwnService) {
		own.Env["LOGIN_ENCODER"] = "sha256"
		own.Env["SPRING_SECURITY_USER_PASSWORD"] = "$(HASHMARK_PASSWORD)"
	}, true},
	{"a session cookie after the first request", func(own *v1alpha1.OwnService) {
		own.Env["LOGIN_SESSIONS"] = "true"
		own.Login.Steps, own.Login.Script = nil, sessionScript
	}, true},
}

// TestAccountSpring repeats a load test of a page behind Spring Security's Basic authentication, and
// the author's search for the reason of its queueing: 20 to 100 requests per second in five steps.
func TestAccountSpring(t *testing.T) {
	w, r := onCluster(t), begin(t, "account-spring")
	header, rows, waiting := []string{"change"}, [][]string{}, [][]string{}
	tried := eliminations
	if *cut {
		tried = slices.DeleteFunc(slices.Clone(tried), func(e elimination) bool { return e.name != "none" && e.name != "SHA-256 instead of bcrypt" })
	}
	for i, eliminated := range tried {
		e := w.account(t, "spring-boot", func(s *v1alpha1.SizingExperimentSpec) { eliminated.change(s.Service.Own) })
		e.Name = fmt.Sprintf("spring-%d", i)
		trials := w.measure(t, e)
		if len(trials) != 1 || trials[0].Status.Result == nil {
			r.Add("rates without a queue: "+eliminated.name, 0, report.AtLeast(1), verdicts(trials))
			continue
		}
		status := trials[0].Status
		bound := micros(status.Result.BoundMilliPerSecond) / 1000
		row, unanswered := []string{eliminated.name, fmt.Sprintf("%.0f/s", bound)}, []string{eliminated.name, ""}
		var steady, below float64
		for _, step := range status.Steps {
			if step.Kind != v1alpha1.StepOpen {
				continue
			}
			offered := micros(step.OfferedMilliPerSecond) / 1000
			if i == 0 && len(header) == 1 {
				header = append(header, "bound")
			}
			if i == 0 {
				header = append(header, fmt.Sprintf("%.0f/s", offered))
			}
			row = append(row, milliseconds(micros(step.P50Microseconds))+" / "+milliseconds(micros(ptrOr(step.P95Microseconds, step.MaxMicroseconds))))
			unanswered = append(unanswered, fmt.Sprintf("%d of %d", step.Scheduled-step.OK, step.Scheduled))
			if offered < bound {
				below++
			}
			if keptUp(step) {
				steady++
			}
		}
		rows, waiting = append(rows, row), append(waiting, unanswered)
		if eliminated.ends {
			r.Add("steps without a queue: "+eliminated.name, steady, report.AtLeast(5), verdicts(trials))
		} else {
			r.Add("steps without a queue ÷ steps below the bound: "+eliminated.name, steady/max(below, 1), report.Between(1, 1), verdicts(trials))
		}
	}
	r.Tables = "Median and p95 in milliseconds at each rate:\n\n" + report.Table(header, rows) +
		"\nRequests without an answer within the timeout of 10 s:\n\n" + report.Table(header, waiting)
	conclude(t, r)
}

// keptUp reports whether a step had no queue that grew: every request was answered, and those of the
// second half did not wait longer than a second.
func keptUp(step v1alpha1.Step) bool {
	return step.Outcome != v1alpha1.StepOverloaded && step.OK == step.Scheduled && ptr.Deref(step.SecondHalfP50Microseconds, 0) < 1_000_000
}

// ptrOr returns the first number that is there.
func ptrOr(a, b *int64) *int64 {
	if a != nil {
		return a
	}
	return b
}
