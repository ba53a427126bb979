//go:build bench

package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

const (
	// waitingTrials is the number of trials of each waiting experiment.
	waitingTrials = 4
	// scaleNamespaces is the number of namespaces that the experiments are in.
	scaleNamespaces = 10
	// quietPatience is how long to wait until the operator writes nothing for quietLook.
	quietPatience = 10 * time.Minute
	quietLook     = 10 * time.Second
	scaleWriters  = 16
)

// TestScale measures what many experiments cost the operator: its memory, its CPU time and its
// writes while nothing changes, and how soon it works after a restart. The API server is real.
// There are no nodes and no controllers of Kubernetes, so no trial ever runs: each experiment
// waits for its turn, and the one that has the turn waits for its pods.
func TestScale(t *testing.T) {
	r := begin(t, "scale")
	environment, config, err := apiserver.Start(filepath.Join("..", "..", "config", "crd"), func(*envtest.APIServer) {})
	must(t, err)
	defer func() { must(t, environment.Stop()) }()
	s := newScale(t, config)
	waiting, finished := pick(500, 50), pick(5000, 500)
	s.finish(finished)
	say("%d finished experiments exist", finished)

	process := s.start()
	began := time.Now()
	s.wait(waiting)
	planned := s.whenPlanned(waiting)
	say("%d experiments were accepted after %.1f s", waiting, planned.Sub(began).Seconds())
	s.whenQuiet()
	quiet := s.watch(process, pick(2*time.Minute, time.Minute))
	r.Add("experiments accepted per second", float64(waiting)/planned.Sub(began).Seconds(), report.AtLeast(100.0/waitingTrials).ReportOnly(),
		fmt.Sprintf("%d experiments of %d trials, created by %d writers meanwhile", waiting, waitingTrials, scaleWriters))
	r.Add("cores while nothing changes", quiet.cores, report.AtMost(0.02), fmt.Sprintf("%d experiments wait, %d are finished; in %.0f s", waiting, finished, quiet.seconds))
	r.Add("writes while nothing changes", quiet.writes, report.AtMost(0), fmt.Sprintf("in the same %.0f s, to all of Hashmark's objects and their children", quiet.seconds))
	r.Add("MiB resident", process.residentMiB(t), report.AtMost(192), "at the end of that")
	process.stop(t)

	process = s.start()
	useful := s.untilUseful(process)
	r.Add("seconds from a restart to the first change", useful.Seconds(), report.AtMost(15).ReportOnly(), "a new experiment is accepted, with all the others there")
	s.whenQuiet()
	r.Add("MiB resident after a restart", process.residentMiB(t), report.AtMost(192), "")
	before := s.writes()
	must(t, s.client.Patch(t.Context(), s.first(), client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"cancel":true}}`))))
	s.whenQuiet()
	r.Add("writes after the experiment with the turn is cancelled", s.writes()-before, report.AtMost(100), "its own end, the next one's begin, and the positions that moved as they are shown")
	process.stop(t)
	conclude(t, r)
}

// scale is an API server with many experiments.
type scale struct {
	t      *testing.T
	config *rest.Config
	client client.Client
	// kubeconfig is the path of the operator's.
	kubeconfig string
}

func newScale(t *testing.T, config *rest.Config) *scale {
	t.Helper()
	config.QPS, config.Burst = -1, -1
	scheme := runtime.NewScheme()
	must(t, errors.Join(corev1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)))
	c, err := client.New(config, client.Options{Scheme: scheme})
	must(t, err)
	s := &scale{t: t, config: config, client: c, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	must(t, clientcmd.WriteToFile(kubeconfigOf(config), s.kubeconfig))
	for i := range scaleNamespaces {
		must(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace(i)}}))
	}
	return s
}

func kubeconfigOf(config *rest.Config) clientcmdapi.Config {
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"scale": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"scale": {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}},
		Contexts:       map[string]*clientcmdapi.Context{"scale": {Cluster: "scale", AuthInfo: "scale"}},
		CurrentContext: "scale",
	}
}

func (s *scale) namespace(i int) string { return fmt.Sprintf("team-%d", i%scaleNamespaces) }

func (s *scale) experiment(name string, i int) *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace(i), Name: fmt.Sprintf("%s-%d", name, i)},
		Spec: v1alpha1.SizingExperimentSpec{
			Matrix:    v1alpha1.Matrix{Costs: []int32{8, 10}, CPULimits: []string{"500m", "1"}},
			Objective: v1alpha1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: 1},
		},
	}
}

// create creates experiments with several writers at once.
func (s *scale) create(name string, n int, after func(context.Context, *v1alpha1.SizingExperiment) error) {
	s.t.Helper()
	next, failed := make(chan int), make(chan error, scaleWriters)
	var all sync.WaitGroup
	for range scaleWriters {
		all.Go(func() {
			for i := range next {
				e := s.experiment(name, i)
				if err := errors.Join(s.client.Create(s.t.Context(), e), after(s.t.Context(), e)); err != nil {
					select {
					case failed <- err:
					default: // the first errors are enough
					}
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	close(failed)
	for err := range failed {
		must(s.t, err)
	}
}

// wait creates experiments that wait for their turns.
func (s *scale) wait(n int) {
	s.create("waiting", n, func(context.Context, *v1alpha1.SizingExperiment) error { return nil })
}

// finish creates experiments that have ended, each with a row for each variant.
func (s *scale) finish(n int) {
	s.create("finished", n, func(ctx context.Context, e *v1alpha1.SizingExperiment) error {
		e.Status = v1alpha1.SizingExperimentStatus{
			ObservedGeneration: e.Generation, Phase: v1alpha1.ExperimentSucceeded, CompletionTime: &metav1.Time{Time: time.Now()},
		}
		for _, variant := range []string{"c8-500m", "c8-1", "c10-500m", "c10-1"} {
			e.Status.Results = append(e.Status.Results, v1alpha1.VariantResult{
				Variant: variant, CPULimit: "500m", Algorithm: v1alpha1.AlgorithmBcrypt, Verdict: v1alpha1.VerdictValid, Trials: 1,
			})
		}
		for _, kind := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionComplete, v1alpha1.ConditionFinished} {
			meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{
				Type: kind, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAllMeasured, ObservedGeneration: e.Generation,
			})
		}
		return s.client.Status().Update(ctx, e)
	})
}

// whenPlanned returns the time at which all experiments of a kind were seen to be accepted.
func (s *scale) whenPlanned(n int) time.Time {
	s.t.Helper()
	s.until("all experiments are accepted", func() bool {
		list := &v1alpha1.SizingExperimentList{}
		must(s.t, s.client.List(s.t.Context(), list))
		accepted := 0
		for i := range list.Items {
			phase := list.Items[i].Status.Phase
			if phase == v1alpha1.ExperimentQueued || phase == v1alpha1.ExperimentRunning {
				accepted++
			}
		}
		return accepted == n
	})
	return time.Now()
}

// first returns the experiment whose trial has the turn.
func (s *scale) first() *v1alpha1.SizingExperiment {
	s.t.Helper()
	list := &v1alpha1.SizingExperimentList{}
	must(s.t, s.client.List(s.t.Context(), list))
	for i := range list.Items {
		if list.Items[i].Status.Phase == v1alpha1.ExperimentRunning {
			return &list.Items[i]
		}
	}
	s.t.Fatal("no experiment has a turn")
	return nil
}

func (s *scale) until(what string, is func() bool) {
	s.t.Helper()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(quietPatience); time.Now().Before(end); <-ticker.C {
		if is() {
			return
		}
	}
	s.t.Fatalf("waiting until %s: it did not happen in %s", what, quietPatience)
}

// whenQuiet waits until nothing has been written for a while.
func (s *scale) whenQuiet() {
	s.t.Helper()
	last, since := s.writes(), time.Now()
	s.until("the operator writes nothing", func() bool {
		if now := s.writes(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > quietLook
	})
}

// writes returns how many writes of the operator the API server has answered, from its own
// metrics. Leases of the API server itself are not counted.
func (s *scale) writes() float64 {
	s.t.Helper()
	transport, err := rest.HTTPClientFor(s.config)
	must(s.t, err)
	response, err := transport.Get(s.config.Host + "/metrics")
	must(s.t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("the API server's metrics: %s", response.Status)
	}
	var sum float64
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		sum += writesOf(s.t, lines.Text())
	}
	must(s.t, lines.Err())
	return sum
}

// writesOf returns the value of a line of the API server's metrics if it counts writes of
// kinds that the operator writes.
func writesOf(t *testing.T, line string) float64 {
	t.Helper()
	name, value, found := strings.Cut(line, "} ")
	if !found || !strings.HasPrefix(name, "apiserver_request_total{") {
		return 0
	}
	is := func(label string, values ...string) bool {
		for _, v := range values {
			if strings.Contains(name, label+`="`+v+`"`) {
				return true
			}
		}
		return false
	}
	if !is("verb", "POST", "PUT", "PATCH", "APPLY", "DELETE") ||
		!is("resource", "sizingexperiments", "sizingtrials", "deployments", "services", "jobs", "networkpolicies", "serviceaccounts") {
		return 0
	}
	n, err := strconv.ParseFloat(value, 64)
	must(t, err)
	return n
}

// scaledOperator is a process of the operator.
type scaledOperator struct {
	command *exec.Cmd
	began   time.Time
	output  *bytes.Buffer
}

func (s *scale) start() *scaledOperator {
	s.t.Helper()
	o := &scaledOperator{output: &bytes.Buffer{}, began: time.Now()}
	o.command = exec.CommandContext(s.t.Context(), program(s.t, "HASHMARK_OPERATOR"),
		"--leader-election-namespace="+s.namespace(0), "--metrics-bind-address=0", "--health-probe-bind-address=0",
		"--start-timeout=1h", "--service-image=example.test/loginservice:v1", "--generator-image=example.test/generator:v1")
	o.command.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig)
	o.command.Stderr = o.output
	must(s.t, o.command.Start())
	return o
}

func (o *scaledOperator) stop(t *testing.T) {
	t.Helper()
	must(t, o.command.Process.Signal(syscall.SIGTERM))
	if err := o.command.Wait(); err != nil {
		t.Fatalf("the operator ended with %v: %s", err, o.output)
	}
}

// cpu returns the CPU time of the process.
func (o *scaledOperator) cpu(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", o.command.Process.Pid))
	must(t, err)
	// The name in parentheses can contain spaces. User and system time are the 12th and 13th
	// fields after it, in hundredths of a second.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, err := strconv.ParseInt(fields[11], 10, 64)
	must(t, err)
	system, err := strconv.ParseInt(fields[12], 10, 64)
	must(t, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// residentMiB returns the resident memory of the process.
func (o *scaledOperator) residentMiB(t *testing.T) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.command.Process.Pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	must(t, err)
	return kib / 1024
}

// usage is what an operator used in some time.
type usage struct{ seconds, cores, writes float64 }

func (s *scale) watch(o *scaledOperator, d time.Duration) usage {
	s.t.Helper()
	began, cpu, writes := time.Now(), o.cpu(s.t), s.writes()
	time.Sleep(d) // the length of the measurement
	seconds := time.Since(began).Seconds()
	return usage{seconds: seconds, cores: (o.cpu(s.t) - cpu).Seconds() / seconds, writes: s.writes() - writes}
}

// untilUseful creates an experiment and returns how long after the start of the operator it was
// accepted.
func (s *scale) untilUseful(o *scaledOperator) time.Duration {
	s.t.Helper()
	e := s.experiment("new", 0)
	must(s.t, s.client.Create(s.t.Context(), e))
	s.until("a new experiment is accepted", func() bool {
		must(s.t, s.client.Get(s.t.Context(), client.ObjectKeyFromObject(e), e))
		return meta.IsStatusConditionTrue(e.Status.Conditions, v1alpha1.ConditionAccepted)
	})
	return time.Since(o.began)
}
