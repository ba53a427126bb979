#!/bin/bash
# The first process of the virtual machine with the cluster: it starts the cluster of tools/cluster, installs
# the operator, waits for the end of experiment.yaml, and writes what is there then onto the second disk.
set -uo pipefail
export PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CLUSTER=local CPUS=exclusive
readonly results=/run/results

system() {
  mount -t proc proc /proc
  mount -t sysfs sysfs /sys
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  mount -t devtmpfs devtmpfs /dev
  ln -s /proc/self/fd /dev/fd
  mkdir -p /dev/pts /dev/shm
  mount -t devpts devpts /dev/pts
  mount -t tmpfs tmpfs /dev/shm
  mount -t tmpfs tmpfs /run
  mount --make-rshared /
  ip link set lo up
  echo hashmark >/proc/sys/kernel/hostname
  mkdir -p /run/netns "$results"
}

experiment() {
  local way
  cd /hashmark || return 1
  hack/clusters.sh up || return 1
  hack/clusters.sh load-images dist/images/*.tar || return 1
  way=$(tools/cluster/cluster.sh env) || return 1
  eval "$way"
  hack/demo.sh install || return 1
  kubectl apply -f test/cgroup2/experiment.yaml || return 1
  kubectl get szx cgroup2 --watch &
  kubectl wait --for=condition=Finished --timeout=60m szx/cgroup2 || return 1
  kubectl get szx,sizingtrials -o wide
  kubectl get szx cgroup2 -o json >"$results/experiment.json"
  kubectl get sizingtrials -o json >"$results/trials.json"
}

system
if ! experiment; then
  echo "the experiment has no result; the logs of the cluster are on the second disk" | tee "$results/error"
  kubectl -n hashmark-system logs deployment/hashmark-operator >"$results/operator.log" 2>&1
  kubectl describe szx,sizingtrials,pods --all-namespaces >"$results/describe.txt" 2>&1
fi
cp -r /var/lib/hashmark-cluster/logs "$results/logs"
rm -f "$results/logs/audit.log"
tar --create --file=/dev/vdb --directory="$results" .
sync
echo o >/proc/sysrq-trigger
# The kernel panics if its first process ends before the machine is off.
exec sleep infinity
