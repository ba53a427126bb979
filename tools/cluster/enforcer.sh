# shellcheck shell=bash
# NetworkPolicies: the bridge plugin ignores them, so a kube-router in each node's network
# namespace writes them as iptables rules and sets of addresses. It does nothing else: kube-proxy
# serves Services, and network.sh makes the routes.

# permit_enforcers lets kube-router read what it watches, which is more than it needs for policies.
permit_enforcers() {
  kubectl apply --server-side --force-conflicts -f - >>"$LOGS/rbac.log" 2>&1 <<YAML
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: kube-router}
rules:
- apiGroups: [""]
  resources: [pods, nodes, namespaces, services, endpoints]
  verbs: [get, list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [get, list, watch]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: kube-router}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: kube-router}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: "system:kube-router"}
YAML
}

# start_enforcer NUMBER starts a node's kube-router once its node is registered, without which it
# exits, and kube-proxy has written its rules, which would otherwise come before the policies.
# NODE_NAME prevents that it takes the machine's own name for that of its node.
start_enforcer() {
  wait_until 60 node_registered "$1" || return 1
  wait_until 60 proxied "$1" || return 1
  start_process "kube-router-$1" "$(node_netns "$1")" env NODE_NAME="$(node_name "$1")" "$KUBE_ROUTER_BIN/kube-router" \
    --kubeconfig="$KUBECONFIGS/kube-router" \
    --run-firewall=true \
    --run-router=false \
    --run-service-proxy=false \
    --service-cluster-ip-range="$SERVICE_RANGE" \
    --health-port=0 \
    --metrics-port=0
}

node_registered() {
  [[ -n "$(kubectl get node "$(node_name "$1")" -o jsonpath='{.status.addresses}' 2>/dev/null)" ]]
}

proxied() {
  in_namespace "$(node_netns "$1")" iptables -C FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD 2>/dev/null
}

# enforces NUMBER reports whether the policies come first on a node, and kube-router has written all
# of their rules at least once: the one that lets permitted packets pass is the last. Its own health
# check succeeds before that.
enforces() {
  local rules
  rules="$(in_namespace "$(node_netns "$1")" iptables-save -t filter 2>/dev/null)" || return 1
  [[ "$(grep -m1 '^-A FORWARD ' <<<"$rules")" == *" -j KUBE-ROUTER-FORWARD" ]] || return 1
  grep -q '^-A KUBE-ROUTER-FORWARD .*explicitly ACCEPT' <<<"$rules"
}
