# shellcheck shell=bash
# The cluster's own processes: starting, recognising and ending them.
#
# A process is known by its id together with its start time, for an id alone
# may by now belong to somebody else. Only what is recorded here is ended here.

PROCESSES="$STATE/processes"

# start_process NAME NETNS COMMAND... runs a command of the cluster in a network
# namespace, unless it runs already, and records it.
#
# nsenter, not "ip netns exec": that one mounts /sys anew and so hides the
# cgroups from the kubelet. The environment starts empty, so that no proxy or
# GOFLAGS of the caller's reaches the cluster; the lock is not handed down,
# since it must open again when the caller ends.
start_process() {
  local name="$1" netns="$2" pid
  shift 2
  process_alive "$name" && return 0
  mkdir -p "$PROCESSES" "$LOGS"
  setsid env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    nsenter --net="/run/netns/$netns" "${PIN[@]}" "$@" \
    </dev/null >>"$LOGS/$name.log" 2>&1 {LOCK}>&- &
  pid=$!
  disown "$pid"
  printf '%s %s\n' "$pid" "$(start_time "$pid")" >"$PROCESSES/$name"
}

# start_time PID prints the 22nd field of its stat line, in ticks since boot,
# or nothing. The second field may hold spaces, but ends with the last bracket.
start_time() {
  local line
  line="$(cat "/proc/$1/stat" 2>/dev/null)" || return 0
  awk '{print $20}' <<<"${line##*) }"
}

# process_id NAME prints the id of a recorded process that still runs.
process_id() {
  local pid started
  [[ -f "$PROCESSES/$1" ]] || return 1
  read -r pid started <"$PROCESSES/$1" || return 1
  [[ -n "$started" && "$(start_time "$pid")" == "$started" ]] || return 1
  # A process that ended but was not waited for keeps its start time.
  ! grep -q '^State:[[:space:]]*Z' "/proc/$pid/status" 2>/dev/null || return 1
  printf '%s\n' "$pid"
}

process_alive() {
  process_id "$1" >/dev/null
}

# stop_process NAME SECONDS asks a process to end, and ends it after a while.
stop_process() {
  local pid
  if pid="$(process_id "$1")"; then
    kill -TERM "$pid" 2>/dev/null || true
    if ! wait_until "$2" process_gone "$1"; then
      kill -KILL "$pid" 2>/dev/null || true
      wait_until 10 process_gone "$1" || die "$1 (process $pid) does not end; see $LOGS/$1.log"
    fi
  fi
  rm -f "$PROCESSES/$1"
}

process_gone() {
  ! process_alive "$1"
}

# wait_until SECONDS COMMAND... runs a check until it succeeds; it fails when
# the time is over.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.3
  done
}
