package apiserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// StartControllers starts the controllers of Deployments, ReplicaSets and Jobs and the garbage
// collector from Kubernetes' own kube-controller-manager, and returns what stops them.
func StartControllers(program string, kubeconfig []byte) (stop func(), err error) {
	folder, err := os.MkdirTemp("", "hashmark-controllers-")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(file, kubeconfig, 0o600); err != nil {
		return nil, err
	}
	process := exec.Command(program, "--kubeconfig="+file, "--leader-elect=false", "--secure-port=0",
		"--controllers=deployment-controller,replicaset-controller,job-controller,garbage-collector-controller",
		"--kube-api-qps=1000", "--kube-api-burst=1000", "--concurrent-job-syncs=20")
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	return func() {
		_ = process.Process.Kill() // it keeps no state
		_ = process.Wait()
		_ = os.RemoveAll(folder)
	}, nil
}
