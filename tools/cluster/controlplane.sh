# shellcheck shell=bash
# The control plane: etcd, API server, controllers and scheduler, in the network namespace of
# the LAN, on the control CPU.

# start_control_plane starts what is not running.
start_control_plane() {
  start_etcd
  start_api_server
  # The other two exit if they find no API server at their start.
  wait_until 300 api_ready || return 1
  start_process kube-controller-manager "$LAN_NETNS" "$KUBERNETES_BIN/kube-controller-manager" \
    --kubeconfig="$KUBECONFIGS/kube-controller-manager" \
    --authentication-kubeconfig="$KUBECONFIGS/kube-controller-manager" \
    --authorization-kubeconfig="$KUBECONFIGS/kube-controller-manager" \
    --root-ca-file="$PKI/ca.crt" \
    --service-account-private-key-file="$PKI/service-account.key" \
    --use-service-account-credentials=true \
    --leader-elect=false
  start_process kube-scheduler "$LAN_NETNS" "$KUBERNETES_BIN/kube-scheduler" \
    --kubeconfig="$KUBECONFIGS/kube-scheduler" \
    --authentication-kubeconfig="$KUBECONFIGS/kube-scheduler" \
    --authorization-kubeconfig="$KUBECONFIGS/kube-scheduler" \
    --leader-elect=false
}

# start_etcd starts etcd on the loopback address of the LAN's namespace only, where no password
# is needed. It may lose its last writes if the machine stops, which is acceptable in a
# throw-away cluster, and its disk syncs do not disturb measurements.
start_etcd() {
  start_process etcd "$LAN_NETNS" "$ETCD_BIN/etcd" \
    --name=hashmark \
    --data-dir="$STATE/etcd" \
    --listen-client-urls=http://127.0.0.1:2379 \
    --advertise-client-urls=http://127.0.0.1:2379 \
    --listen-peer-urls=http://127.0.0.1:2380 \
    --initial-advertise-peer-urls=http://127.0.0.1:2380 \
    --initial-cluster=hashmark=http://127.0.0.1:2380 \
    --unsafe-no-fsync
}

# start_api_server sets a client certificate for kubelet, without which "kubectl logs" is
# refused. It routes webhooks to endpoints, because no kube-proxy serves its namespace. Its
# audit log is limited to three files of 100 MB, far more than an end-to-end suite writes.
start_api_server() {
  start_process kube-apiserver "$LAN_NETNS" "$KUBERNETES_BIN/kube-apiserver" \
    --etcd-servers=http://127.0.0.1:2379 \
    --bind-address="$API_ADDRESS" \
    --advertise-address="$API_ADDRESS" \
    --secure-port=6443 \
    --tls-cert-file="$PKI/apiserver.crt" \
    --tls-private-key-file="$PKI/apiserver.key" \
    --client-ca-file="$PKI/ca.crt" \
    --kubelet-client-certificate="$PKI/kubelet-client.crt" \
    --kubelet-client-key="$PKI/kubelet-client.key" \
    --kubelet-preferred-address-types=InternalIP \
    --service-account-issuer=https://kubernetes.default.svc \
    --service-account-key-file="$PKI/service-account.pub" \
    --service-account-signing-key-file="$PKI/service-account.key" \
    --service-cluster-ip-range="$SERVICE_RANGE" \
    --authorization-mode=Node,RBAC \
    --enable-admission-plugins=NodeRestriction \
    --enable-aggregator-routing=true \
    --allow-privileged=true \
    --audit-policy-file="$CLUSTER_FOLDER/audit-policy.yaml" \
    --audit-log-path="$LOGS/audit.log" \
    --audit-log-maxsize=100 \
    --audit-log-maxbackup=2 \
    --profiling=false
}

# stop_control_plane ends the API server before etcd: without etcd, its graceful shutdown
# hangs.
stop_control_plane() {
  local name
  for name in kube-scheduler kube-controller-manager kube-apiserver etcd; do
    stop_process "$name" 5
  done
}

# kubectl runs kubectl as the cluster's administrator, whatever the caller's own kubeconfig is.
kubectl() {
  "$KUBERNETES_BIN/kubectl" --kubeconfig="$ADMIN_KUBECONFIG" --request-timeout=5s "$@"
}

api_ready() {
  [[ "$(kubectl get --raw=/readyz 2>/dev/null)" == ok ]]
}
