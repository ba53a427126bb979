# shellcheck shell=bash
# The cluster's own processes: starting, identifying and ending them.
#
# A process is identified by its ID and its start time, because the ID alone may have been
# reused. Only recorded processes are ended here.

PROCESSES="$STATE/processes"

# start_process NAME NETNS COMMAND... runs a command of the cluster in a network namespace,
# unless it is running, and records it.
#
# It uses nsenter and not "ip netns exec", which mounts a new /sys and so hides the cgroups
# from kubelet. The environment starts empty, so that no proxy settings or GOFLAGS of the
# caller reach the cluster. The lock is not inherited, because it must be released when the
# caller ends.
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

# start_time PID prints the 22nd field of the process's stat line, in ticks since boot, or
# nothing. The second field may contain spaces, but ends with the last bracket.
start_time() {
  local line
  line="$(cat "/proc/$1/stat" 2>/dev/null)" || return 0
  awk '{print $20}' <<<"${line##*) }"
}

# process_id NAME prints the ID of a recorded process that is still running.
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

# stop_process NAME SECONDS sends SIGTERM to a process, and after that time SIGKILL.
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

# crash NAME... kills processes at once, without a chance to clean up.
crash() {
  local name
  for name in "$@"; do
    kill -KILL "$(process_id "$name")"
    wait_until 10 process_gone "$name"
  done
}

process_gone() {
  ! process_alive "$1"
}

# wait_until SECONDS COMMAND... runs a check until it succeeds. It fails after that time.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.3
  done
}
