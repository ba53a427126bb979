#!/usr/bin/env bash
# Compiles the programs that the local cluster, the tests and the generator's image need, each
# from its published Go module. They are kept in a cache outside the clone, so that all clones
# on a machine share them.
#
#   binaries.sh NAME     prints the folder of the binaries of a recipe:
#                        kubernetes, etcd, containerd, cni, kube-router, k6,
#                        pause, helm, helm3, prometheus, prometheus-operator or
#                        base; for tools/kind also kind, kubeadm and coredns
#   binaries.sh all      prints each of these folders, without those for tools/kind
#   binaries.sh assets   prints a folder with etcd, kube-apiserver and kubectl,
#                        for KUBEBUILDER_ASSETS; with a second argument such as
#                        kubernetes-1.35, those of another Kubernetes minor
#
# The cache is $HASHMARK_CACHE, by default ~/.cache/hashmark. A folder in it is either complete
# or absent: it is filled under another name and then renamed.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit

BUILD_FOLDER="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

# shellcheck source=messages.sh
source "$BUILD_FOLDER/messages.sh"
# shellcheck source=recipes.sh
source "$BUILD_FOLDER/recipes.sh"

# folder_of NAME prints the cache folder for the current recipe. Its key covers the module's
# files and the link flags, which are all that can change the binaries. An edited comment in a
# script therefore does not recompile anything.
folder_of() {
  local key
  key="$({
    cat "$BUILD_FOLDER/$module"/go.mod "$BUILD_FOLDER/$module"/*.sum "$BUILD_FOLDER/$module"/*.go 2>/dev/null || true
    printf '%s\n%s\n' "$packages" "$ldflags"
  } | sha256sum | cut -c1-12)"
  printf '%s/%s-%s-%s-%s\n' "$CACHE" "$1" "$release" "$(platform)" "$key"
}

# platform prints the target platform. An exported GOOS or GOARCH counts.
platform() {
  (cd "$BUILD_FOLDER" && go env GOOS GOARCH) | paste -sd- -
}

# build NAME compiles what is not cached yet and prints its folder.
build() {
  local module release packages ldflags hint folder lock
  recipe "$1"
  folder="$(folder_of "$1")"
  if [[ ! -d "$folder" ]]; then
    mkdir -p "$CACHE"
    # Two runs that start at the same time must not compile the same thing twice.
    exec {lock}>"$CACHE/.$1.lock"
    flock -n "$lock" || {
      say "waiting for another run that is compiling $1"
      flock "$lock"
    }
    [[ -d "$folder" ]] || compile "$1" "$folder"
    exec {lock}>&-
  fi
  printf '%s\n' "$folder"
}

# compile NAME FOLDER fills FOLDER with the binaries of the current recipe.
compile() {
  local partial sources="$BUILD_FOLDER/$module" binary package count number=0 began=$SECONDS start
  start="$(date +%s)"
  count="$(wc -l <<<"$packages")"
  say "compiling $1 $release ($hint)"
  partial="$(mktemp -d "$CACHE/.partial-$1-XXXXXX")"
  # A killed run leaves its partial folder behind. It is removed after an hour.
  find "$CACHE" -maxdepth 1 -name ".partial-$1-*" -mmin +60 -exec rm -rf {} +
  case "$1" in
    base | kubeadm)
      sources="$partial/source"
      "$1_source" "$sources"
      ;;
  esac
  while read -r binary package; do
    number=$((number + 1))
    [[ "$count" -eq 1 ]] || say "  $binary ($number of $count)"
    go_build "$sources" "$package" "$partial/$binary" || {
      rm -rf "$partial"
      die "$binary did not compile; see the compiler's output above"
    }
  done <<<"$packages"
  [[ "$1" != base ]] || mv "$sources/config/crd" "$partial/crd"
  rm -rf "$partial/source"
  chmod 0755 "$partial"
  mv -T "$partial" "$2"
  say "compiled $1 $release in $((SECONDS - began)) s"
  # As in hack/timed.sh, for the table at the end of .ci/run.
  [[ -z "${HASHMARK_TIMES:-}" ]] ||
    printf '%s\t%s\t0\tcompiling %s\n' "$start" "$(date +%s)" "$1" >>"$HASHMARK_TIMES"
}

# go_build FOLDER PACKAGE OUTPUT compiles one static program. GOFLAGS and GOWORK of the caller
# are ignored, because they could change the binaries under the same key.
go_build() {
  (cd "$1" &&
    GOFLAGS='' GOWORK=off CGO_ENABLED=0 nice go build "${BUILD_FLAGS[@]}" \
      -ldflags "$ldflags" -o "$3" "$2" </dev/null >&2)
}

# assets RECIPE prints a folder with what a test API server needs.
assets() {
  local kubernetes etcd folder
  kubernetes="$(build "$1")"
  etcd="$(build etcd)"
  folder="$CACHE/assets-$(basename "$kubernetes")-$(basename "$etcd")"
  mkdir -p "$folder"
  ln -sfn "$etcd/etcd" "$folder/etcd"
  ln -sfn "$kubernetes/kube-apiserver" "$folder/kube-apiserver"
  ln -sfn "$kubernetes/kubectl" "$folder/kubectl"
  printf '%s\n' "$folder"
}

main() {
  command -v go >/dev/null || die "Go is not in PATH; install Go 1.26 or newer"
  local name
  case "${1:-}" in
    assets) assets "${2:-kubernetes}" ;;
    all) for name in "${RECIPES[@]}"; do build "$name"; done ;;
    "") die "usage: binaries.sh NAME, where NAME is one of: ${RECIPES[*]}, all or assets" ;;
    *) build "$1" ;;
  esac
}

main "$@"
