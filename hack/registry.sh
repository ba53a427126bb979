# shellcheck shell=bash
# A registry and a release in it, for tests. It is sourced after messages.sh. The script has to end the
# processes $servers, and to remove the folder $work.

crane() { go tool "-modfile=$PWD/hack/tools/release/go.mod" crane --insecure "$@"; }
yq() { go tool "-modfile=$PWD/hack/tools/release/go.mod" yq "$@"; }

work=$(mktemp -d) servers=() address=''

# listen LOG COMMAND... starts a server that says on which port it listens, and sets $port. What it says after
# that is in $work/LOG.
listen() {
  local output line log=$1
  shift
  exec {output}< <(exec "$@" 2>&1)
  servers+=("$!")
  while read -ru "$output" line; do
    if [[ $line =~ port[[:space:]]*([0-9]+) ]]; then
      port=${BASH_REMATCH[1]}
      cat <&"$output" >"$work/$log" &
      return
    fi
  done
  die "$1 does not listen"
}

# serve IP [COMMAND...] starts an empty registry on a free port, by a command such as nsenter, and sets
# $address. $work/registry.log lists the requests.
serve() {
  local program ip=$1
  shift
  # The go command would not hand on a signal, so crane is started without it.
  program=$(go tool "-modfile=$PWD/hack/tools/release/go.mod" -n crane)
  listen registry.log "$@" "$program" registry serve --address "$ip:0"
  address=$ip:$port
}

# guard IP USER PASSWORD [COMMAND...] starts a proxy on a free port that demands a password for the registry, and sets $guarded to
# its address. $work/guard.log lists the requests, with true for those that had the password.
guard() {
  local ip=$1 user=$2 password=$3
  shift 3
  go build -trimpath -o "$work/guard" ./tools/guard
  listen guard.log "$@" "$work/guard" -listen "$ip:0" -to "http://$address" -user "$user" -password "$password"
  # shellcheck disable=SC2034 # for the script that sources this one
  guarded=$ip:$port
}

# publish NAME publishes a release to that path of the registry. $work/NAME lists its references, the chart's
# last.
publish() {
  IMAGES=$address/$1 VERSION=v0.0.1 PLAIN_HTTP=true BUILDER=buildah hack/release.sh >&2
  mv dist/publish/published.txt "$work/$1"
}

images_of() { grep -v /charts/hashmark@ "$work/$1"; }
chart_of() { grep /charts/hashmark@ "$work/$1"; }

# use_cosign sets $cosign to the program, and makes the pairs of keys "ours" and "other" without a password.
use_cosign() {
  local name
  cosign=$(go tool "-modfile=$PWD/hack/tools/cosign/go.mod" -n cosign)
  export COSIGN_PASSWORD=''
  for name in ours other; do
    "$cosign" generate-key-pair --output-key-prefix "$work/$name" 2>/dev/null
  done
}

# sign NAME signs a release with our key.
sign() {
  local references
  mapfile -t references <"$work/$1"
  COSIGN_KEY=$work/ours.key PLAIN_HTTP=true hack/sign.sh "${references[@]}"
}

# signed KEY REFERENCE fails unless an image or a chart has a signature by a key.
signed() {
  "$cosign" verify --key "$work/$1.pub" --insecure-ignore-tlog --allow-http-registry "$2" >"$work/output" 2>&1 || {
    cat "$work/output" >&2
    return 1
  }
}

# described KEY REFERENCE prints the SBOM of the image of an architecture, in an envelope, or fails unless it
# is signed by a key.
described() {
  "$cosign" verify-attestation --key "$work/$1.pub" --type spdxjson --insecure-ignore-tlog --allow-http-registry "$2" 2>"$work/output" || {
    cat "$work/output" >&2
    return 1
  }
}
