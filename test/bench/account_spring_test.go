//go:build bench

package bench

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
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
  if (response.status === 401) {
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
	// load changes the load, and can put more rates before the sample's, or is nil.
	load func(*v1alpha1.Load)
}

// eliminations are the author's, in his order. Where bcrypt is replaced, the service gets the password
// itself instead of a hash.
var eliminations = []elimination{
	{name: "none", change: func(*v1alpha1.OwnService) {}},
	{name: "2,000 threads instead of 200", change: func(own *v1alpha1.OwnService) { own.Env["SERVER_TOMCAT_THREADS_MAX"] = "2000" }},
	{name: "plain text instead of JSON", change: func(own *v1alpha1.OwnService) { own.Login.Steps[0].Path = "/api/user" }},
	{name: "no Spring Security", ends: true, change: func(own *v1alpha1.OwnService) {
		const from = "org.springframework.boot.autoconfigure.security.servlet."
		own.Hash = v1alpha1.OwnHashOther
		own.Env["LOGIN_SECURITY"] = "false"
		own.Env["SPRING_AUTOCONFIGURE_EXCLUDE"] = from + "SecurityAutoConfiguration," + from + "SecurityFilterAutoConfiguration," +
			from + "UserDetailsServiceAutoConfiguration"
		own.Env["SPRING_SECURITY_USER_PASSWORD"] = "$(HASHMARK_PASSWORD)"
	}},
	{name: "SHA-256 instead of bcrypt", ends: true, change: func(own *v1alpha1.OwnService) {
		own.Hash = v1alpha1.OwnHashOther
		own.Env["LOGIN_ENCODER"] = "sha256"
		own.Env["SPRING_SECURITY_USER_PASSWORD"] = "$(HASHMARK_PASSWORD)"
	}},
	// Each caller's first request has no session. k6 gives each step the callers that rested longest, so
	// all of them log in once at lower rates, which the service can hash. There are as many callers as
	// requests in a timeout.
	{name: "a session cookie after the first request", ends: true, load: func(load *v1alpha1.Load) {
		load.RequestTimeoutSeconds = 1
		load.RatesPerSecond = append([]intstr.IntOrString{
			intstr.FromInt32(10), intstr.FromInt32(12), intstr.FromInt32(14), intstr.FromInt32(16), intstr.FromInt32(18),
		}, load.RatesPerSecond...)
	}, change: func(own *v1alpha1.OwnService) {
		own.Hash = v1alpha1.OwnHashOther
		own.Env["LOGIN_SESSIONS"] = "true"
		own.Login.Steps, own.Login.Script = nil, sessionScript
	}},
}

// TestAccountSpring repeats a load test of a page behind Spring Security's Basic authentication, and
// the author's search for the reason of its queueing: 20 to 100 requests per second in five steps.
func TestAccountSpring(t *testing.T) {
	w, r := onCluster(t), begin(t, "account-spring")
	header := []string{"change", "bound"}
	var rates int
	var rows [][]string
	tried := eliminations
	if *cut {
		tried = slices.DeleteFunc(slices.Clone(tried), func(e elimination) bool { return e.name != "none" && e.name != "SHA-256 instead of bcrypt" })
	}
	for i, eliminated := range tried {
		e := w.account(t, "spring-boot-rates", func(s *v1alpha1.SizingExperimentSpec) {
			rates = len(s.Load.RatesPerSecond)
			eliminated.change(s.Service.Own)
			if eliminated.load != nil {
				eliminated.load(&s.Load)
			}
		})
		e.Name = fmt.Sprintf("spring-%d", i)
		trials := w.measure(t, e)
		if len(trials) != 1 || trials[0].Status.Result == nil {
			t.Errorf("%s: the trial has no result", eliminated.name)
			continue
		}
		bound := micros(trials[0].Status.Result.BoundMilliPerSecond) / 1000
		row := []string{eliminated.name, fmt.Sprintf("%.0f/s", bound)}
		var steady, below float64
		steps := trials[0].Status.Steps
		for _, step := range steps[max(0, len(steps)-rates):] {
			offered := micros(step.OfferedMilliPerSecond) / 1000
			if i == 0 {
				header = append(header, fmt.Sprintf("%.0f/s", offered))
			}
			row = append(row, served(step))
			if offered < bound {
				below++
			}
			if keptUp(step) {
				steady++
			}
		}
		rows = append(rows, row)
		if eliminated.ends {
			r.Add("rates without a queue: "+eliminated.name, steady, report.AtLeast(5), verdicts(trials))
		} else {
			r.Add("rates without a queue − rates below the bound: "+eliminated.name, steady-below, report.Between(0, 0), verdicts(trials))
		}
	}
	r.Tables = "Median / p95 / slowest answer in milliseconds at each rate. In an overloaded step they depend on how long it lasts: it shows\n" +
		"how many requests were answered before their timeout instead.\n\n" + report.Table(header, rows)
	conclude(t, r)
}

// served returns the latency of a step, or how many of its requests were answered if it was overloaded.
func served(step v1alpha1.Step) string {
	if step.Outcome == v1alpha1.StepOverloaded {
		return fmt.Sprintf("overloaded: %d of %d answered", step.OK, step.Scheduled)
	}
	ms := func(us *int64) string { return fmt.Sprintf("%.0f", micros(us)/1000) }
	return ms(step.P50Microseconds) + " / " + ms(step.P95Microseconds) + " / " + ms(step.MaxMicroseconds)
}

// keptUp reports whether a step had no queue that grew: every request was answered, and those of the
// second half did not wait longer than a second.
func keptUp(step v1alpha1.Step) bool {
	return step.Outcome != v1alpha1.StepOverloaded && step.OK == step.Scheduled && ptr.Deref(step.SecondHalfP50Microseconds, 0) < 1_000_000
}
