# shellcheck shell=bash
# The network: a network namespace for the control plane and one for each node.
#
# The namespaces do not change the machine's routes and firewall. None has a default route, so
# packets without a matching route are dropped and load can never leave this machine.

# make_network creates the namespaces and the links between them.
make_network() {
  local number
  make_lan
  for number in $(node_numbers); do
    make_node_network "$number"
  done
  route_from_host
}

# make_lan creates the control plane's namespace, with a bridge that connects the nodes and has
# the address of the API server.
make_lan() {
  make_namespace "$LAN_NETNS"
  ip -n "$LAN_NETNS" link add "$LAN_BRIDGE" type bridge
  ip -n "$LAN_NETNS" address add "$API_ADDRESS/24" dev "$LAN_BRIDGE"
  ip -n "$LAN_NETNS" link set "$LAN_BRIDGE" up
  ip link add "$HOST_LINK" type veth peer name host netns "$LAN_NETNS"
  ip -n "$LAN_NETNS" link set host master "$LAN_BRIDGE" up
}

# make_node_network NUMBER connects a node's namespace to the bridge, and adds routes to its
# pods for the control plane and the other nodes.
make_node_network() {
  local netns other
  netns="$(node_netns "$1")"
  make_namespace "$netns"
  ip -n "$netns" link add eth0 type veth peer name "$netns" netns "$LAN_NETNS"
  ip -n "$LAN_NETNS" link set "$netns" master "$LAN_BRIDGE" up
  ip -n "$netns" address add "$(node_address "$1")/24" dev eth0
  ip -n "$netns" link set eth0 up
  # A packet to a Service needs a route before kube-proxy rewrites its address to that of a
  # pod.
  ip -n "$netns" route add "$SERVICE_RANGE" dev eth0
  ip -n "$LAN_NETNS" route add "$(node_pods "$1")" via "$(node_address "$1")"
  for other in $(node_numbers); do
    [[ "$other" == "$1" ]] || ip -n "$netns" route add "$(node_pods "$other")" via "$(node_address "$other")"
  done
  in_namespace "$netns" sysctl -qw net.ipv4.ip_forward=1
  # Otherwise a Service does not answer pods on the node of its own pod: the reply would cross
  # the bridge without the rule that restores its address.
  in_namespace "$netns" sysctl -qw net.bridge.bridge-nf-call-iptables=1
  # A connection that a policy forbids is refused with ICMP. Otherwise a pod would get this answer once
  # a second, and wait in vain for all others.
  in_namespace "$netns" sysctl -qw net.ipv4.icmp_ratelimit=0
}

# route_from_host lets an ordinary shell on this machine reach the API server, the pods and,
# through node-1's kube-proxy, the Services. The routes are removed with the link.
route_from_host() {
  ip address add "$HOST_ADDRESS/24" dev "$HOST_LINK"
  ip link set "$HOST_LINK" up
  local number
  for number in $(node_numbers); do
    ip route add "$(node_pods "$number")" via "$(node_address "$number")"
  done
  ip route add "$SERVICE_RANGE" via "$(node_address 1)"
}

# make_namespace NAME creates an empty network namespace without IPv6, because all addresses
# are IPv4.
make_namespace() {
  ip netns add "$1"
  ip -n "$1" link set lo up
  in_namespace "$1" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 2>/dev/null || true
}

in_namespace() {
  local netns="$1"
  shift
  nsenter --net="/run/netns/$netns" "$@"
}

# network_stands reports whether every namespace of the cluster exists.
network_stands() {
  local number
  ip link show "$HOST_LINK" >/dev/null 2>&1 && namespace_stands "$LAN_NETNS" || return 1
  for number in $(node_numbers); do
    namespace_stands "$(node_netns "$number")" || return 1
  done
}

namespace_stands() {
  ip -n "$1" link show lo >/dev/null 2>&1
}

# remove_network deletes every namespace that a cluster may have created, in any mode. Links,
# routes and rules are deleted with them.
remove_network() {
  local netns
  for netns in "$(node_netns 1)" "$(node_netns 2)" "$LAN_NETNS"; do
    [[ ! -e "/run/netns/$netns" ]] || ip netns delete "$netns"
  done
  # A namespace ends later than its name, and its link would conflict with a new one.
  if ip link show "$HOST_LINK" >/dev/null 2>&1; then
    ip link delete "$HOST_LINK" 2>/dev/null || true
  fi
}
