//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/test/process"
)

// operator is an operator that runs as a process of the test, under the service account, and
// so with the rights, of the installed one.
type operator struct {
	t          *testing.T
	config     string
	kubeconfig string
	log        *os.File
	command    *exec.Cmd
}

// commonSettings are those of all operators of the tests. They use the lease of the installed
// one, so that two operators are never active at the same time. The image of the login service calibrates
// in a quarter of the time, which saves four seconds in each trial.
const commonSettings = `
leaderElection: {namespace: hashmark-system}
metrics: {bindAddress: "0"}
health: {bindAddress: "127.0.0.1:0"}
loginService: {image: "hashmark.dev/brief:e2e"}
generator:
  image: hashmark.dev/generator:dev
  tolerations: [{key: hashmark.dev/load, value: "true", effect: NoSchedule}]
trials: {startTimeout: 30s}
`

// startOperator runs an operator until the test ends. Later settings take precedence.
func startOperator(t *testing.T, settings ...string) *operator {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "operator.log"))
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{t: t, config: process.Config(t, append([]string{commonSettings}, settings...)...), kubeconfig: kubeconfigOfInstalled(t), log: log}
	o.start()
	t.Cleanup(func() {
		o.stop()
		if t.Failed() {
			o.showLog()
		}
	})
	return o
}

func (o *operator) start() {
	o.t.Helper()
	binary := os.Getenv("HASHMARK_OPERATOR_BINARY")
	if binary == "" {
		o.t.Fatal("HASHMARK_OPERATOR_BINARY is not set; run make test-e2e")
	}
	o.command = exec.Command(binary, o.config)
	o.command.Env = append(os.Environ(), "KUBECONFIG="+o.kubeconfig)
	o.command.Stdout, o.command.Stderr = o.log, o.log
	// If the test dies, its operator dies too.
	o.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := o.command.Start(); err != nil {
		o.t.Fatal(err)
	}
}

// kill ends the operator at once, as a crash does.
func (o *operator) kill() {
	if o.command.ProcessState == nil {
		_ = o.command.Process.Kill()
		_ = o.command.Wait()
	}
}

// freeze stops the operator's process until thaw, as a paused machine does.
func (o *operator) freeze() {
	o.t.Helper()
	must(o.t, o.command.Process.Signal(syscall.SIGSTOP))
	o.t.Cleanup(o.thaw)
}

func (o *operator) thaw() { _ = o.command.Process.Signal(syscall.SIGCONT) }

// ended reports whether the operator's process has ended by itself.
func (o *operator) ended() bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.command.Process.Pid))
	return err != nil || strings.Contains(string(status), "State:\tZ")
}

// restart starts the operator again, whether it has ended or not, as kubelet does.
func (o *operator) restart() {
	o.t.Helper()
	o.kill()
	o.start()
}

// stop ends the operator with SIGTERM, so that it releases its lease.
func (o *operator) stop() {
	if o.command.ProcessState == nil {
		_ = o.command.Process.Signal(syscall.SIGTERM)
		_ = o.command.Wait()
	}
}

// showLog logs the end of the operator's log.
func (o *operator) showLog() {
	content, _ := os.ReadFile(o.log.Name())
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	o.t.Logf("the end of the operator's log:\n%s", strings.Join(lines[max(0, len(lines)-15):], "\n"))
}

// leader returns the holder of the operators' lease in a namespace, or "" if the lease has no holder.
func leader(t *testing.T, ns string) string {
	t.Helper()
	lease := &coordinationv1.Lease{}
	must(t, client.IgnoreNotFound(cluster.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: leaseName}, lease)))
	return ptr.Deref(lease.Spec.HolderIdentity, "")
}
