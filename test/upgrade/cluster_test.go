//go:build upgrade

package upgrade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/process"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// version is an operator. Its images have its name.
type version string

const (
	base  version = "base"
	newer version = "newer"
)

// other returns the version that takes over from this one.
func (v version) other() version { return map[version]version{base: newer, newer: base}[v] }

// cluster is an API server with Kubernetes' controllers, simulated nodes, and one operator.
type cluster struct {
	t           *testing.T
	environment *envtest.Environment
	client      client.WithWatch
	kubelet     *kubelet
	kubeconfig  string
	// running is the version of the operator that runs, and process is its process.
	running version
	process *exec.Cmd
	ended   chan struct{}

	mutex sync.Mutex
	// plans are those that a watch has seen in Jobs, by the Job's UID.
	plans map[types.UID]loadplan.Plan
}

const namespace = "upgrade"

// newDefinitions is the folder of this version's definitions.
var newDefinitions = filepath.Join("..", "..", "config", "crd")

// newCluster starts everything but an operator.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	environment, config, err := apiserver.Start(newDefinitions, func(*envtest.APIServer) {})
	must(t, err)
	t.Cleanup(func() { must(t, environment.Stop()) })
	stop, err := apiserver.StartControllers(variable(t, "HASHMARK_CONTROLLER_MANAGER"), environment.KubeConfig)
	must(t, err)
	t.Cleanup(stop)
	config.QPS, config.Burst = -1, -1
	scheme := runtime.NewScheme()
	must(t, errors.Join(corev1.AddToScheme(scheme), batchv1.AddToScheme(scheme), v1beta1.AddToScheme(scheme)))
	all, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	must(t, err)
	c := &cluster{t: t, environment: environment, client: all, kubelet: newKubelet(all), plans: map[types.UID]loadplan.Plan{}, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	must(t, os.WriteFile(c.kubeconfig, environment.KubeConfig, 0o600))
	must(t, all.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
	t.Cleanup(c.kubelet.play(context.Background()))
	c.followJobs()
	return c
}

// followJobs reads the plan of each Job that is created, until the test ends.
func (c *cluster) followJobs() {
	jobs, err := c.client.Watch(c.t.Context(), &batchv1.JobList{}, client.InNamespace(namespace))
	must(c.t, err)
	go func() {
		for event := range jobs.ResultChan() {
			job, is := event.Object.(*batchv1.Job)
			if !is {
				continue
			}
			var plan loadplan.Plan
			text := simulated.Variable(job.Spec.Template.Spec.Containers[0], envvar.Plan)
			if err := json.Unmarshal([]byte(text), &plan); err != nil {
				c.t.Errorf("the plan of Job %s: %v", job.Name, err)
			}
			c.mutex.Lock()
			c.plans[job.UID] = plan
			c.mutex.Unlock()
		}
	}()
}

func (c *cluster) planOf(job types.UID) (loadplan.Plan, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	plan, seen := c.plans[job]
	return plan, seen
}

// start starts an operator, after its definitions, as Helm does.
func (c *cluster) start(v version) {
	c.t.Helper()
	definitions := map[version]string{base: filepath.Join(variable(c.t, "HASHMARK_BASE"), "crd"), newer: newDefinitions}[v]
	_, err := envtest.InstallCRDs(c.environment.Config, envtest.CRDInstallOptions{Paths: []string{definitions}, ErrorIfPathMissing: true})
	must(c.t, err)
	program := map[version]string{base: filepath.Join(variable(c.t, "HASHMARK_BASE"), "operator"), newer: variable(c.t, "HASHMARK_OPERATOR")}[v]
	log, err := os.OpenFile(filepath.Join(filepath.Dir(c.kubeconfig), "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	must(c.t, err)
	defer log.Close()
	c.process = exec.Command(program, process.Config(c.t, fmt.Sprintf(`
leaderElection: {enabled: false, namespace: %s}
metrics: {bindAddress: "0"}
health: {bindAddress: "%s"}
loginService: {image: "example.test/loginservice:%[3]s"}
generator: {image: "example.test/generator:%[3]s"}
`, namespace, process.FreeAddress(c.t), v)))
	c.process.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "GOMAXPROCS=1") // as in the chart
	c.process.Stdout, c.process.Stderr = log, log
	// If the test dies, its operator dies too.
	c.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(c.t, c.process.Start())
	c.running, c.ended = v, make(chan struct{})
	go func(process *exec.Cmd, ended chan struct{}) {
		_ = process.Wait()
		close(ended)
	}(c.process, c.ended)
	c.t.Cleanup(func() { _ = c.process.Process.Kill() })
}

// stop ends the operator as kubelet does.
func (c *cluster) stop() {
	c.t.Helper()
	must(c.t, c.process.Process.Signal(syscall.SIGTERM))
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Fatalf("the operator %s has not ended", c.running)
	}
	if code := c.process.ProcessState.ExitCode(); code != 0 {
		c.t.Errorf("the operator %s ended with %d", c.running, code)
	}
}

// patience is how long to wait for one thing.
const patience = 2 * time.Minute

// until waits until a condition is true.
func (c *cluster) until(what string, condition func() bool) {
	c.t.Helper()
	err := wait.PollUntilContextTimeout(c.t.Context(), look, patience, true, func(context.Context) (bool, error) {
		select {
		case err := <-c.kubelet.failed:
			return false, err
		case <-c.ended:
			if c.process.ProcessState.ExitCode() != 0 {
				return false, errors.New("the operator " + string(c.running) + " has ended")
			}
		default:
		}
		return condition(), nil
	})
	if err != nil {
		said, _ := os.ReadFile(filepath.Join(filepath.Dir(c.kubeconfig), "log"))
		c.t.Fatalf("%s: %v; the operators said:\n%s", what, err, said[max(0, len(said)-20_000):])
	}
}

// variable returns an environment variable that make test-upgrade sets.
func variable(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set; run make test-upgrade", name)
	}
	return value
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
