//go:build e2e

package e2e

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// fillMemory fills a running container's memory limit, so that the kernel kills the container's
// largest process. A process that joins the container's cgroup writes to a memory file system:
// such pages count towards the limit, but belong to no process, so that this one stays small.
func fillMemory(t *testing.T, pod *corev1.Pod, container string) {
	t.Helper()
	file := filepath.Join("/dev/shm", pod.Name)
	t.Cleanup(func() { _ = os.Remove(file) })
	size := pod.Spec.Containers[0].Resources.Limits.Memory().String()
	command := exec.CommandContext(context.Background(), "sh", "-c", `echo $$ >"$1/cgroup.procs" && exec head -c "$2" /dev/zero >"$3"`,
		"sh", cgroupOf(t, pod, container), strings.TrimSuffix(size, "i"), file)
	out, err := command.CombinedOutput()
	// The kernel may also choose this process, once nothing else is left.
	t.Logf("filling the memory of %s: %v %s", pod.Name, err, out)
}

// cgroupOf returns the folder of a container's memory cgroup on the local cluster, version 1 or
// 2 (tools/cluster/cgroups.sh).
func cgroupOf(t *testing.T, pod *corev1.Pod, container string) string {
	t.Helper()
	refresh(t, pod)
	for _, status := range pod.Status.ContainerStatuses {
		_, id, _ := strings.Cut(status.ContainerID, "://")
		if status.Name != container || id == "" {
			continue
		}
		for _, root := range []string{"/sys/fs/cgroup/memory", "/sys/fs/cgroup"} {
			if folder := folderNamed(filepath.Join(root, "hashmark-"+pod.Spec.NodeName), id); folder != "" {
				return folder
			}
		}
	}
	t.Fatalf("found no memory cgroup of %s in %s: %+v", container, pod.Name, pod.Status.ContainerStatuses)
	return ""
}

// folderNamed returns the folder with a name below another, or "".
func folderNamed(root, name string) (found string) {
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == name {
			found = path
			return filepath.SkipAll
		}
		return nil
	})
	return found
}
