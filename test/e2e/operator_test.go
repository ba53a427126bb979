//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// operator is an operator that runs as a process of this test's, under the
// service account, and so with the rights, of the installed one.
type operator struct {
	t          *testing.T
	flags      []string
	kubeconfig string
	log        *os.File
	command    *exec.Cmd
}

// flags that the tests' operators have in common. The lease is the installed
// one's, so that two operators never work at once.
var commonFlags = []string{
	"--leader-elect", "--leader-election-namespace=hashmark-system",
	"--metrics-bind-address=0", "--health-probe-bind-address=127.0.0.1:0",
	"--service-image=hashmark.dev/loginservice:dev",
	"--generator-image=hashmark.dev/generator:dev",
	"--generator-toleration=hashmark.dev/load=true:NoSchedule",
	"--start-timeout=30s",
}

// startOperator runs an operator until the test ends. Later flags win.
func startOperator(t *testing.T, flags ...string) *operator {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "operator.log"))
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{t: t, flags: append(append([]string{}, commonFlags...), flags...), kubeconfig: kubeconfigOfInstalled(t), log: log}
	o.start()
	t.Cleanup(func() {
		o.stop()
		if t.Failed() {
			o.tellLog()
		}
	})
	return o
}

func (o *operator) start() {
	o.t.Helper()
	binary := os.Getenv("HASHMARK_OPERATOR_BINARY")
	if binary == "" {
		o.t.Fatal("HASHMARK_OPERATOR_BINARY names no operator; run make test-e2e")
	}
	o.command = exec.Command(binary, o.flags...)
	o.command.Env = append(os.Environ(), "KUBECONFIG="+o.kubeconfig)
	o.command.Stdout, o.command.Stderr = o.log, o.log
	// Should the test die, its operator dies with it.
	o.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := o.command.Start(); err != nil {
		o.t.Fatal(err)
	}
}

// client-go fills its caches by a watch that begins with what there is. Where the
// API server can't do that, it asks for lists.
func TestAnOperatorWorksWhereListsAreNotStreamed(t *testing.T) {
	t.Setenv("KUBE_FEATURE_WatchListClient", "false")
	startOperator(t)
	e := create(t, tiny(namespace(t), "listed"))
	finished(t, e, 2*time.Minute)
	// Whatever the machine made of its numbers, there are some.
	if trial := theTrial(t, e); trial.Status.Phase != v1alpha1.TrialSucceeded {
		t.Error(standing(t, e))
	}
}

// kill ends the operator at once, as a crash does.
func (o *operator) kill() {
	if o.command.ProcessState == nil {
		_ = o.command.Process.Kill()
		_ = o.command.Wait()
	}
}

// stop lets the operator end by itself and give its lease back.
func (o *operator) stop() {
	if o.command.ProcessState == nil {
		_ = o.command.Process.Signal(syscall.SIGTERM)
		_ = o.command.Wait()
	}
}

// tellLog shows the end of the operator's log.
func (o *operator) tellLog() {
	content, _ := os.ReadFile(o.log.Name())
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	o.t.Logf("the operator's last words:\n%s", strings.Join(lines[max(0, len(lines)-15):], "\n"))
}
