# shellcheck shell=bash disable=SC2034
# What is compiled: a recipe for each Go module of this folder.
#
# A recipe answers where a program comes from and how it is linked; how it is
# cached is binaries.sh's matter, which reads the variables set here. Versions
# stand in the go.mod files alone.

# RECIPES lists every name that recipe knows, in the order of building.
RECIPES=(kubernetes etcd k6 pause)

# recipe NAME sets, for the program or programs called NAME:
#   release   their version, as go.mod has it
#   packages  lines of "<binary> <Go package>"
#   ldflags   what the linker is told beyond leaving out debug information
#   hint      what a person who waits for it should know
recipe() {
  ldflags="-s -w"
  case "$1" in
    kubernetes)
      release="$(required_version kubernetes k8s.io/kubernetes)"
      packages="$(kubernetes_packages)"
      ldflags+="$(kubernetes_ldflags "$release")"
      hint="six programs, 6 to 10 minutes the first time on 2 CPUs"
      ;;
    etcd)
      release="$(required_version etcd go.etcd.io/etcd/server/v3)"
      packages="etcd go.etcd.io/etcd/server/v3"
      hint="about a minute the first time"
      ;;
    k6)
      release="$(required_version k6 go.k6.io/k6)"
      packages="k6 go.k6.io/k6"
      hint="about 2 minutes the first time"
      ;;
    pause)
      release="own"
      packages="pause ."
      hint="seconds"
      ;;
    *) die "no recipe is called \"$1\"; choose one of: ${RECIPES[*]}" ;;
  esac
}

# required_version FOLDER MODULE reads a version out of FOLDER/go.mod. Asking
# the go command would load the whole module graph, seconds on every start.
required_version() {
  local found
  found="$(sed -nE "s#^(require)?[[:space:]]*$2 (v[^[:space:]]+).*#\2#p" "$BUILD_FOLDER/$1/go.mod")"
  [[ -n "$found" ]] || die "hack/build/$1/go.mod requires no $2"
  printf '%s\n' "$found"
}

# kubernetes_packages follows the tool lines of the module, so that a program
# is added in one place.
kubernetes_packages() {
  sed -nE 's#^[[:space:]]*(k8s.io/kubernetes/cmd/([a-z-]+))$#\2 \1#p' "$BUILD_FOLDER/kubernetes/go.mod"
}

# kubernetes_ldflags RELEASE stamps the version that a release build would
# have: without it every node reports v0.0.0 and clients warn about the skew.
kubernetes_ldflags() {
  local package=k8s.io/component-base/version major minor
  IFS=. read -r major minor _ <<<"${1#v}"
  printf ' -X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s' \
    "$package" "$1" "$package" "$major" "$package" "$minor"
}
