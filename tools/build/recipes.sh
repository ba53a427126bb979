# shellcheck shell=bash disable=SC2034
# What is compiled: a recipe for each Go module in this folder.
#
# A recipe says where a program comes from and how it is linked. binaries.sh reads the
# variables that are set here and does the caching. Versions are only in the go.mod files. The
# exception is base, an earlier operator, which comes from this repository's own history.

# RECIPES lists what the cluster, the tests and the images need, in the order of building.
RECIPES=(kubernetes etcd containerd cni kube-router k6 pause helm helm3 prometheus prometheus-operator base)

# BUILD_FLAGS leave every path and commit out of the binaries, so that the same source gives the
# same bytes. They are not a part of the cache's keys.
BUILD_FLAGS=(-mod=readonly -trimpath -buildvcs=false)

# recipe NAME sets, for the program or programs called NAME:
#   module    the folder of its go.mod
#   release   the version in go.mod
#   packages  lines of "<binary> <Go package>"
#   ldflags   the linker's flags, which always leave out debug information
#   hint      what to tell a person who waits for it
recipe() {
  local upstream=""
  module="$1" release="" packages="" ldflags="-s -w"
  case "$1" in
    kubernetes) upstream=k8s.io/kubernetes hint="six programs, 6 to 10 minutes the first time on 2 CPUs" ;;
    kubernetes-1.*) upstream=k8s.io/kubernetes hint="two programs, about 4 minutes the first time" ;;
    kubeadm)
      module=kubernetes upstream=k8s.io/kubernetes packages="kubeadm k8s.io/kubernetes/cmd/kubeadm"
      hint="about 2 minutes the first time"
      ;;
    etcd) upstream=go.etcd.io/etcd/server/v3 packages="etcd $upstream" hint="about a minute the first time" ;;
    containerd) upstream=github.com/containerd/containerd/v2 hint="three programs, about 2 minutes the first time" ;;
    cni) upstream=github.com/containernetworking/plugins hint="seconds" ;;
    kind) upstream=sigs.k8s.io/kind packages="kind $upstream" hint="seconds" ;;
    coredns) upstream=github.com/coredns/coredns packages="coredns ." hint="about 4 minutes the first time" ;;
    kube-router) upstream=github.com/cloudnativelabs/kube-router/v2 hint="about 2 minutes the first time" ;;
    k6) upstream=go.k6.io/k6 packages="k6 $upstream" hint="about 2 minutes the first time" ;;
    helm) upstream=helm.sh/helm/v4 packages="helm $upstream/cmd/helm" hint="about 2 minutes the first time" ;;
    helm3) upstream=helm.sh/helm/v3 packages="helm $upstream/cmd/helm" hint="about 2 minutes the first time" ;;
    prometheus) upstream=github.com/prometheus/prometheus hint="two programs, about 4 minutes the first time" ;;
    prometheus-operator)
      upstream=github.com/prometheus-operator/prometheus-operator hint="two programs, about 2 minutes the first time"
      ;;
    pause) release=own packages="pause ." hint="seconds" ;;
    base)
      release="$(base_commit | cut -c1-12)" packages="operator ./cmd/operator"
      hint="the operator that upgrades are tested from, about a minute"
      ;;
    *) die "unknown recipe \"$1\"; choose one of: ${RECIPES[*]}" ;;
  esac
  [[ -n "$release" ]] || release="$(required_version "$module" "$upstream")"
  [[ -n "$packages" ]] || packages="$(tool_packages "$module")"
  ldflags+="$(version_ldflags "$1" "$upstream")"
}

# version_ldflags NAME UPSTREAM sets the versions as in a release build of the current recipe.
version_ldflags() {
  case "$1" in
    kubernetes* | kubeadm) kubernetes_ldflags "$release" ;;
    containerd) printf ' -X %s/version.Version=%s' "$2" "$release" ;;
    kube-router) printf ' -X %s/pkg/version.Version=%s' "$2" "$release" ;;
    helm | helm3) helm_ldflags "$2" ;;
    prometheus) printf ' -X github.com/prometheus/common/version.Version=%s' "$(prometheus_version)" ;;
    prometheus-operator) printf ' -X github.com/prometheus/common/version.Version=%s' "${release#v}" ;;
  esac
}

# required_version FOLDER MODULE reads a version from FOLDER/go.mod. The go command would load
# the whole module graph, which takes seconds at every start.
required_version() {
  local version
  version="$(sed -nE "s#^(require)?[[:space:]]*$2 (v[^[:space:]]+).*#\2#p" "$BUILD_FOLDER/$1/go.mod")"
  [[ -n "$version" ]] || die "tools/build/$1/go.mod does not require $2"
  printf '%s\n' "$version"
}

# tool_packages FOLDER prints the packages in the tool lines of the module, so that a program
# is added in one place. Each program has the name of its folder.
tool_packages() {
  sed -nE 's#^(tool)?[[:space:]]*([a-z0-9./-]+/(cmd|plugins/[a-z]+)/([a-z0-9-]+))$#\4 \2#p' "$BUILD_FOLDER/$1/go.mod"
}

# prometheus_version prints Prometheus' own release number: the module of 3.15.0 is called
# v0.315.0.
prometheus_version() {
  required_version prometheus github.com/prometheus/prometheus | sed -E 's/^v0\.3(0?)/3./'
}

# kubernetes_ldflags RELEASE sets the version, without which every node reports v0.0.0 and clients warn
# about the skew.
kubernetes_ldflags() {
  local package=k8s.io/component-base/version major minor
  IFS=. read -r major minor _ <<<"${1#v}"
  printf ' -X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s' \
    "$package" "$1" "$package" "$major" "$package" "$minor"
}

# base_commit prints the commit that upgrades are tested from.
base_commit() {
  cat "$BUILD_FOLDER/base/commit"
}

# base_source FOLDER writes the tree of that commit into FOLDER.
base_source() {
  local commit clone="$BUILD_FOLDER/../.."
  commit="$(base_commit)"
  git -C "$clone" cat-file -e "$commit^{commit}" 2>/dev/null ||
    die "this clone lacks the commit $commit, which tools/build/base/commit names: run git fetch --unshallow"
  mkdir -p "$1"
  git -C "$clone" archive "$commit" | tar -x -C "$1"
}

# kubeadm_source FOLDER writes the go.mod of the Kubernetes programs into FOLDER, with the checksums of
# what only kubeadm needs. It is not one of these programs, because the local cluster does without.
kubeadm_source() {
  mkdir -p "$1"
  cp "$BUILD_FOLDER/kubernetes"/go.{mod,sum} "$1"
  (cd "$1" && GOFLAGS='' GOWORK=off go get "k8s.io/kubernetes/cmd/kubeadm@$release")
}

# helm_ldflags UPSTREAM sets the versions. If Helm 3 renders without a cluster, it takes the Kubernetes
# version only from the linker, and 1.20 if that is missing.
helm_ldflags() {
  local minor package
  printf ' -X %s/internal/version.version=%s' "$1" "$release"
  [[ "$1" == */v3 ]] || return 0
  minor="$(required_version helm3 k8s.io/client-go)"
  minor="${minor#v0.}"
  for package in pkg/lint/rules pkg/chartutil; do
    printf ' -X %s/%s.k8sVersionMajor=1 -X %s/%s.k8sVersionMinor=%s' "$1" "$package" "$1" "$package" "${minor%%.*}"
  done
}
