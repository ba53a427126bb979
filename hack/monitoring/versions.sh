# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034
# The releases of Prometheus and its operator in the demo's clusters: those of tools/build,
# whether compiled from there or pulled.

BUILD_FOLDER="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tools/build" && pwd)"
# shellcheck source=../../tools/build/recipes.sh
source "$BUILD_FOLDER/recipes.sh"

OPERATOR_MODULE=github.com/prometheus-operator/prometheus-operator
OPERATOR_VERSION="$(required_version prometheus-operator "$OPERATOR_MODULE")"
PROMETHEUS_VERSION="v$(prometheus_version)"
