//go:build bench

package bench

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// Each TestAccount repeats one of the published accounts with the experiments of
// config/samples/accounts. docs/accounts shows their tables.

// account returns an experiment of config/samples/accounts.
func (w testNamespace) account(t *testing.T, name string, changes ...change) *v1alpha1.SizingExperiment {
	t.Helper()
	return w.read(t, filepath.Join("..", "..", "config", "samples", "accounts", name+".yaml"), changes...)
}

// milliseconds formats microseconds.
func milliseconds(micros float64) string {
	if math.IsNaN(micros) {
		return "–"
	}
	return fmt.Sprintf("%.2f", micros/1000)
}

// micros returns NaN for what was not measured.
func micros(n *int64) float64 {
	if n == nil {
		return math.NaN()
	}
	return float64(*n)
}

// answeredInTime returns how many logins had an answer when the counted time of a step ended.
func answeredInTime(step v1alpha1.Step) float64 {
	return float64(ptr.Deref(step.ThroughputMilliPerSecond, 0)) * float64(step.CountedMilliseconds) / 1e6
}

// left returns the kinds and names of what is left of an experiment's pods and their surroundings.
// Events and the experiment itself, with its trials and their service account, stay.
func (w testNamespace) left(t *testing.T, e *v1alpha1.SizingExperiment) []string {
	t.Helper()
	var names []string
	for _, kind := range []string{"Pod", "Deployment", "ReplicaSet", "Job", "Service", "NetworkPolicy"} {
		list := &metav1.PartialObjectMetadataList{}
		group := map[string]string{"Deployment": "apps", "ReplicaSet": "apps", "Job": "batch", "NetworkPolicy": "networking.k8s.io"}[kind]
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind + "List"})
		must(t, w.client.List(t.Context(), list, client.InNamespace(w.namespace), client.MatchingLabels{v1alpha1.LabelExperimentUID: string(e.UID)}))
		for _, object := range list.Items {
			names = append(names, kind+" "+object.Name)
		}
	}
	return names
}

// cpuHours returns the CPU hours that trials reserved, each with this many CPUs.
func cpuHours(trials []v1alpha1.SizingTrial, cpus float64) float64 {
	var hours float64
	for _, trial := range trials {
		if trial.Status.StartTime != nil && trial.Status.CompletionTime != nil {
			hours += cpus * trial.Status.CompletionTime.Sub(trial.Status.StartTime.Time).Hours()
		}
	}
	return hours
}

// TestAccountHashTime measures hash times on two node pools, and how a small CPU is overloaded by a
// few logins per minute at cost 16.
func TestAccountHashTime(t *testing.T) {
	w, r := onCluster(t), begin(t, "account-hash-time")
	e := w.account(t, "hash-time")
	trials := w.measure(t, e)
	times := map[string]map[int32]v1alpha1.HashTime{}
	for _, hash := range e.Status.HashTimes {
		if times[hash.NodePool] == nil {
			times[hash.NodePool] = map[int32]v1alpha1.HashTime{}
		}
		times[hash.NodePool][hash.Cost] = hash
	}
	header, rows := []string{"cost"}, make([][]string, len(e.Spec.Matrix.Costs))
	for _, pool := range e.Spec.Matrix.NodePools {
		header = append(header, "pool "+pool.Name+", ms ± 99.9 %")
		for i, cost := range e.Spec.Matrix.Costs {
			hash := times[pool.Name][cost]
			if rows[i] == nil {
				rows[i] = []string{strconv.Itoa(int(cost))}
			}
			rows[i] = append(rows[i], milliseconds(float64(hash.HashMicroseconds))+" ± "+milliseconds(float64(hash.ErrorMicroseconds)))
			if before, found := times[pool.Name][cost-2]; found {
				r.Add(fmt.Sprintf("cost %d ÷ cost %d, pool %s", cost, cost-2, pool.Name), float64(hash.HashMicroseconds)/float64(before.HashMicroseconds),
					report.Between(3.6, 4.4), "")
			}
		}
	}
	r.Tables = report.Table(header, rows)
	r.Add("hash times", float64(len(e.Status.HashTimes)), report.AtLeast(8), verdicts(trials))

	slow := w.measure(t, w.account(t, "overload", stepSeconds(pick(60, 30))))
	rows = nil
	var overloaded float64
	for _, trial := range slow {
		for _, step := range trial.Status.Steps {
			if step.Kind != v1alpha1.StepOpen {
				continue
			}
			perMinute := micros(step.OfferedMilliPerSecond) * 60 / 1000
			rows = append(rows, []string{fmt.Sprintf("%.0f", perMinute), strconv.FormatInt(step.Scheduled, 10), strconv.FormatInt(step.OK, 10),
				milliseconds(micros(step.P50Microseconds)), string(step.Outcome)})
			if step.Outcome == v1alpha1.StepOverloaded && overloaded == 0 {
				overloaded = perMinute
			}
		}
		r.Add("hash of cost 16, seconds of CPU", float64(trial.Status.Calibration.HashMicroseconds)/1e6, report.AtLeast(1), verdicts(slow))
	}
	r.Tables += "\nCost 16 on one CPU:\n\n" + report.Table([]string{"logins per minute", "due", "answered", "median ms", "outcome"}, rows)
	r.Add("the lowest rate that overloads one CPU at cost 16, per minute", overloaded, report.Between(1, 30), "")
	conclude(t, r)
}

// TestAccountUnattended runs an experiment whose first generator is deleted, and one whose service
// can never be ready. The first is tried again, the second keeps its last reason, and neither leaves
// anything running.
func TestAccountUnattended(t *testing.T) {
	w, r := onCluster(t), begin(t, "account-unattended")
	disturbed, hopeless := w.account(t, "unattended"), w.account(t, "unattended", neverReady)
	hopeless.Name = "never-ready"
	must(t, w.client.Create(t.Context(), disturbed))
	w.deleteGenerator(t, disturbed)
	var rows [][]string
	for _, run := range []struct {
		e        *v1alpha1.SizingExperiment
		trials   []v1alpha1.SizingTrial
		attempts float64
		end      v1alpha1.TrialPhase
	}{
		{disturbed, w.finished(t, disturbed), 2, v1alpha1.TrialSucceeded},
		{hopeless, w.measure(t, hopeless), 2, v1alpha1.TrialFailed},
	} {
		for _, trial := range run.trials {
			for _, attempt := range trial.Status.Attempts {
				rows = append(rows, []string{run.e.Name, strconv.Itoa(int(attempt.Number)), string(attempt.Outcome), attempt.Reason, attempt.Message})
			}
			r.Add("attempts of "+run.e.Name, float64(len(trial.Status.Attempts)), report.Between(run.attempts, run.attempts),
				fmt.Sprintf("%s: %s", trial.Status.Phase, trial.Status.Reason))
			if trial.Status.Phase != run.end {
				t.Errorf("%s ended as %s, want %s: %s", run.e.Name, trial.Status.Phase, run.end, trial.Status.Message)
			}
		}
		r.Add("objects of "+run.e.Name+" after its end", float64(len(w.left(t, run.e))), report.AtMost(0), "")
	}
	r.Tables = report.Table([]string{"experiment", "attempt", "outcome", "reason", "message"}, rows)
	conclude(t, r)
}

// neverReady replaces the service by one that listens on another port than it says.
func neverReady(s *v1alpha1.SizingExperimentSpec) {
	s.AttemptsPerTrial = 2
	s.Matrix.Concurrency = []v1alpha1.Concurrency{{Mode: v1alpha1.ConcurrencyUnbounded}}
	s.Service.Own = &v1alpha1.OwnService{
		Image: "hashmark.dev/examples/fastapi:e2e", Command: []string{"/usr/bin/python3.11"}, Args: []string{"-m", "http.server", "8081"},
		Env:  map[string]v1alpha1.EnvValue{"STRENGTH": "$(HASHMARK_COST)"},
		Port: 8080, Ready: v1alpha1.ReadyWhen{Path: "/", WithinSeconds: 10},
		Login: handover.Login{Steps: []handover.Request{{Path: "/"}}, Wrong: handover.ExpectedResponse{Status: []int32{401}}},
	}
}

// deleteGenerator deletes the pod of the experiment's first generator once it runs.
func (w testNamespace) deleteGenerator(t *testing.T, e *v1alpha1.SizingExperiment) {
	t.Helper()
	selector := client.MatchingLabels{v1alpha1.LabelExperimentUID: string(e.UID), v1alpha1.LabelComponent: v1alpha1.ComponentGenerator}
	events, err := w.client.Watch(t.Context(), &corev1.PodList{}, client.InNamespace(w.namespace), selector)
	must(t, err)
	defer events.Stop()
	for event := range events.ResultChan() {
		if pod, is := event.Object.(*corev1.Pod); is && pod.Status.Phase == corev1.PodRunning {
			must(t, w.client.Delete(t.Context(), pod))
			return
		}
	}
	t.Fatal("the watch ended before a generator ran")
}

// TestAccountTLS measures what TLS costs at each cost. The trials with and without TLS take turns,
// and each CPU time per login is compared with that of a hash at the same time, so that a drift
// of the machine does not count.
func TestAccountTLS(t *testing.T) {
	w, r := onCluster(t), begin(t, "account-tls")
	changed := []change{}
	if *cut {
		changed = append(changed, costs(6, 10), repetitions(1))
	}
	plain, encrypted := w.account(t, "plain", changed...), w.account(t, "tls", changed...)
	must(t, w.client.Create(t.Context(), plain))
	must(t, w.client.Create(t.Context(), encrypted))
	all := append(w.finished(t, plain), w.finished(t, encrypted)...)
	without, with := perLogin(all[:len(all)/2]), perLogin(all[len(all)/2:])
	var rows [][]string
	var price []float64
	for _, cost := range plain.Spec.Matrix.Costs {
		a, b := without[cost], with[cost]
		price = append(price, 100*(figures.Median(b.relative)/figures.Median(a.relative)-1))
		rows = append(rows, []string{strconv.Itoa(int(cost)), milliseconds(figures.Median(a.cpu)), milliseconds(figures.Median(b.cpu)),
			fmt.Sprintf("%+.1f %%", price[len(price)-1]), milliseconds(figures.Median(a.p50)), milliseconds(figures.Median(b.p50))})
	}
	r.Tables = report.Table([]string{"cost", "CPU ms per login", "with TLS", "difference at the same speed", "median ms", "with TLS"}, rows)
	r.Add("price of TLS at the lowest cost, percent", price[0], report.AtLeast(1), verdicts(all))
	r.Add("price of TLS at the highest cost, percent", price[len(price)-1], report.Between(-2, 2), "")
	hours := cpuHours(all, 1+0.5)
	r.Add("CPU hours of both experiments, by their limits", hours, report.Goal{}, fmt.Sprintf("%.4f USD at 0.052 USD per hour of 2 CPUs", hours*0.052/2))
	for _, e := range []*v1alpha1.SizingExperiment{plain, encrypted} {
		r.Add("objects of "+e.Name+" after its end", float64(len(w.left(t, e))), report.AtMost(0), "pods, Deployments, Jobs, Services, NetworkPolicies")
	}
	conclude(t, r)
}

// login is what a login of a cost takes, a value per trial: its CPU time and the median of its
// latency in microseconds, and its CPU time relative to that of a hash.
type login struct{ cpu, relative, p50 []float64 }

// perLogin returns what a login of each cost takes, from the only step of each trial.
func perLogin(trials []v1alpha1.SizingTrial) map[int32]login {
	all := map[int32]login{}
	for _, trial := range trials {
		for _, step := range trial.Status.Steps {
			if step.Kind != v1alpha1.StepClosed || step.Service == nil || step.ServiceHashes == nil || step.Speed == nil {
				continue
			}
			cpu := float64(step.Service.CPUMicroseconds) / float64(*step.ServiceHashes)
			one := all[trial.Spec.Variant.Cost]
			one.cpu = append(one.cpu, cpu)
			one.relative = append(one.relative, cpu/float64(step.Speed.HashMicroseconds))
			one.p50 = append(one.p50, micros(step.P50Microseconds))
			all[trial.Spec.Variant.Cost] = one
		}
	}
	return all
}
