//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

const (
	// waitingTrials is the number of trials of each waiting experiment.
	waitingTrials = 4
	// scaleNamespaces is the number of namespaces that the experiments are in.
	scaleNamespaces = 10
	// scalePatience is how long to wait for one thing.
	scalePatience = 20 * time.Minute
	// quietLook is how long an operator writes nothing until it is quiet.
	quietLook    = 10 * time.Second
	scaleWriters = 16
	// scaleLook is the polling interval.
	scaleLook = 200 * time.Millisecond
)

// TestScale measures what many experiments cost the operator: its memory, its CPU time and its
// writes while nothing changes and while trials run, and how soon it works after a restart. The
// API server and the controllers of Deployments, ReplicaSets and Jobs are real; the scheduler
// and kubelet are simulated.
func TestScale(t *testing.T) {
	r, s := begin(t, "scale"), newScale(t)
	few, many, finished := pick(50, 5), pick(500, 50), pick(5000, 500)
	s.finish(finished)
	say("%d finished experiments exist", finished)

	process := s.operator()
	cost := s.few(r, process, few)
	s.many(r, many)
	s.quiet(r, process, "before the first trial")
	s.cancel(r, process)
	s.busy(r, process, cost, few)
	s.quiet(r, process, "once experiments have begun")
	process.stop(t)
	s.again(r)
	conclude(t, r)
}

// inWhole returns a goal that fails only a whole run: a short one is too short for a time.
func inWhole(goal report.Goal) report.Goal { return pick(goal, goal.ReportOnly()) }

// few measures the CPU time per trial with few experiments, and then all that their trials
// cost until the last experiment has ended.
func (s *scale) few(r *report.Report, o *operatorProcess, n int) (cpuPerTrial float64) {
	s.t.Helper()
	var first work
	whole := o.during(s.t, func() {
		s.wait("few", n)
		s.whenPlanned(n)
		first = s.work(o)
		say("%d experiments wait: %s", n, first)
		defer s.kubelet.play(s.t.Context())()
		s.until("the few experiments have ended", func() bool { return s.phases()[v1beta1.ExperimentSucceeded] >= s.finished+n })
	})
	trials := float64(n * waitingTrials)
	r.Add("writes per trial", whole.writes/trials, report.AtMost(30),
		fmt.Sprintf("of the operator, from the creation of %d experiments to the end of the last", n))
	r.Add("CPU milliseconds per trial", 1000*whole.cpuSeconds/trials, report.Goal{}, "in the same time")
	s.finished += n
	return first.cpuPerTrial()
}

// many creates all the waiting experiments.
func (s *scale) many(r *report.Report, n int) {
	s.t.Helper()
	began := time.Now()
	s.wait("many", n)
	seconds := s.whenPlanned(n).Sub(began).Seconds()
	r.Add("trials planned per second", float64(n*waitingTrials)/seconds, inWhole(report.AtLeast(100)),
		fmt.Sprintf("%d experiments of %d trials, from the creation of the first, by %d writers, until all are accepted", n, waitingTrials, scaleWriters))
	s.waiting = n
}

// quiet measures the operator while nothing changes: the trial that has the turn is calibrated, and the
// others wait for their turns. A trial whose pods can't start would lose its turn after 15 seconds.
func (s *scale) quiet(r *report.Report, o *operatorProcess, when string) {
	s.t.Helper()
	s.kubelet.slow.Store(true)
	defer s.kubelet.play(s.t.Context())()
	s.whenQuiet(o)
	u := o.during(s.t, func() { time.Sleep(pick(2*time.Minute, time.Minute)) }) // the length of the measurement
	r.Add("cores while nothing changes, "+when, u.cores(), report.AtMost(0.02),
		fmt.Sprintf("%d experiments wait, %d are finished; in %.0f s", s.waiting, s.finished, u.seconds))
	r.Add("writes while nothing changes, "+when, u.writes, report.AtMost(0), "of the operator, in the same time")
	r.Add("MiB resident while nothing changes, "+when, o.residentMiB(s.t), report.AtMost(192), "at the end")
}

// cancel cancels the experiment that has the turn, while its trial is calibrated.
func (s *scale) cancel(r *report.Report, o *operatorProcess) {
	s.t.Helper()
	defer s.kubelet.play(s.t.Context())()
	u := o.during(s.t, func() {
		must(s.t, s.client.Patch(s.t.Context(), s.running(), client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"cancel":true}}`))))
		s.whenQuiet(o)
	})
	r.Add("writes after the experiment with the turn is cancelled", u.writes, report.AtMost(100),
		"its own end, the next one's begin, and the positions that moved as they are shown")
}

// busy measures the operator while trials run, and compares the CPU time per trial with that
// of few experiments.
func (s *scale) busy(r *report.Report, o *operatorProcess, cpuPerTrial float64, few int) {
	s.t.Helper()
	w := s.work(o)
	say("%d experiments wait: %s", s.waiting, w)
	r.Add("cores while trials run", w.cores(), report.AtMost(0.1), fmt.Sprintf("at %.2f trials per second; %d ended in %.0f s", w.rate(), w.trials, w.seconds))
	r.Add("writes per trial while many wait", w.writes/float64(w.trials), report.AtMost(30), "of the operator, in the same time")
	for _, controller := range []string{"sizingexperiment", "turns", "sizingtrial"} {
		passes := w.passes[controller][math.Inf(1)]
		r.Add("p99 of a pass in milliseconds, "+controller, w.percentile(controller, 0.99), inWhole(report.AtMost(100)),
			fmt.Sprintf("upper end of its bucket; %.0f passes in the same time", passes))
	}
	r.Add("CPU milliseconds per trial while many wait", 1000*w.cpuPerTrial(), report.Goal{}, "in the same time")
	r.Add(fmt.Sprintf("the same with %d experiments ÷ with %d", s.waiting, few), w.cpuPerTrial()/cpuPerTrial, inWhole(report.AtMost(1.2)),
		fmt.Sprintf("%.1f ms with %d", 1000*cpuPerTrial, few))
	r.Add("MiB resident while trials run", o.residentMiB(s.t), report.AtMost(192), "at the end")
}

// again restarts the operator.
func (s *scale) again(r *report.Report) {
	s.t.Helper()
	o := s.operator()
	e := s.experiment("new", 0)
	must(s.t, s.client.Create(s.t.Context(), e))
	s.until("a new experiment is accepted", func() bool {
		must(s.t, s.client.Get(s.t.Context(), client.ObjectKeyFromObject(e), e))
		return meta.IsStatusConditionTrue(e.Status.Conditions, v1beta1.ConditionAccepted)
	})
	r.Add("seconds from a restart to the first change", time.Since(o.began).Seconds(), inWhole(report.AtMost(15)), "a new experiment is accepted, with all the others there")
	r.Add("MiB resident after a restart", o.residentMiB(s.t), report.AtMost(192), "")
	o.stop(s.t)
}

// work is what an operator used while trials ran.
type work struct {
	usage
	trials int64
}

func (w work) rate() float64        { return float64(w.trials) / w.seconds }
func (w work) cpuPerTrial() float64 { return w.cpuSeconds / float64(w.trials) }

func (w work) String() string {
	return fmt.Sprintf("%d trials in %.0f s, %.3f cores, %.1f writes per trial", w.trials, w.seconds, w.cores(), w.writes/float64(w.trials))
}

// work lets trials run for some time, once the first has ended.
func (s *scale) work(o *operatorProcess) work {
	s.t.Helper()
	s.kubelet.slow.Store(false)
	s.kubelet.measured.Store(true)
	defer s.kubelet.measured.Store(false)
	defer s.kubelet.play(s.t.Context())()
	begun := s.kubelet.ends.Load()
	s.until("a trial has ended", func() bool { return s.kubelet.ends.Load() > begun })
	w := work{}
	w.usage = o.during(s.t, func() {
		before := s.kubelet.ends.Load()
		time.Sleep(pick(4*time.Minute, 45*time.Second)) // the length of the measurement
		w.trials = s.kubelet.ends.Load() - before
	})
	return w
}
