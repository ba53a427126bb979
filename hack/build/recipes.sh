# shellcheck shell=bash disable=SC2034
# What is compiled: a recipe for each Go module of this folder.
#
# A recipe answers where a program comes from and how it is linked; how it is
# cached is binaries.sh's matter, which reads the variables set here. Versions
# stand in the go.mod files alone.

# RECIPES lists every name that recipe knows, in the order of building.
RECIPES=(kubernetes etcd k6 pause helm helm3 prometheus prometheus-operator)

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
      packages="$(tool_packages kubernetes)"
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
    helm | helm3)
      release="$(required_version "$1" "$(helm_module "$1")")"
      packages="helm $(helm_module "$1")/cmd/helm"
      ldflags+="$(helm_ldflags "$1" "$release")"
      hint="about 2 minutes the first time"
      ;;
    prometheus)
      release="$(required_version prometheus github.com/prometheus/prometheus)"
      packages="$(tool_packages prometheus)"
      ldflags+=" -X github.com/prometheus/common/version.Version=$(prometheus_version)"
      hint="two programs, about 4 minutes the first time"
      ;;
    prometheus-operator)
      release="$(required_version prometheus-operator github.com/prometheus-operator/prometheus-operator)"
      packages="$(tool_packages prometheus-operator)"
      ldflags+=" -X github.com/prometheus/common/version.Version=${release#v}"
      hint="two programs, about 2 minutes the first time"
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

# tool_packages FOLDER follows the tool lines of the module, so that a program is
# added in one place. Programs are called as their folders are.
tool_packages() {
  sed -nE 's#^(tool)?[[:space:]]*([a-z0-9./-]+/cmd/([a-z-]+))$#\3 \2#p' "$BUILD_FOLDER/$1/go.mod"
}

# prometheus_version is Prometheus' release by its own name: the module of 3.15.0
# is called v0.315.0.
prometheus_version() {
  required_version prometheus github.com/prometheus/prometheus | sed -E 's/^v0\.3(0?)/3./'
}

# kubernetes_ldflags RELEASE stamps the version that a release build would
# have: without it every node reports v0.0.0 and clients warn about the skew.
kubernetes_ldflags() {
  local package=k8s.io/component-base/version major minor
  IFS=. read -r major minor _ <<<"${1#v}"
  printf ' -X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s' \
    "$package" "$1" "$package" "$major" "$package" "$minor"
}

# helm_module NAME is where a major version of Helm comes from.
helm_module() {
  case "$1" in
    helm) echo helm.sh/helm/v4 ;;
    helm3) echo helm.sh/helm/v3 ;;
  esac
}

# helm_ldflags NAME RELEASE stamps the versions that a release build would have.
# Helm 3 takes the Kubernetes it renders for, where it is asked to render without
# a cluster, from the linker alone, and else believes in 1.20.
helm_ldflags() {
  local module minor package
  module="$(helm_module "$1")"
  printf ' -X %s/internal/version.version=%s' "$module" "$2"
  [[ "$1" == helm3 ]] || return 0
  minor="$(required_version "$1" k8s.io/client-go)"
  minor="${minor#v0.}"
  for package in pkg/lint/rules pkg/chartutil; do
    printf ' -X %s/%s.k8sVersionMajor=1 -X %s/%s.k8sVersionMinor=%s' \
      "$module" "$package" "$module" "$package" "${minor%%.*}"
  done
}
