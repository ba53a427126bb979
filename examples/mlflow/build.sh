#!/usr/bin/env bash
# build.sh FOLDER installs MLflow from PyPI, in the versions and with the checksums of requirements.txt, for the Python 3.11 in
# the folder, unless it is there already. It takes a minute.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
folder=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
source ../../tools/build/messages.sh
source ../../hack/packages.sh

# The seal is in the folder, because the folder is emptied when Debian's packages change.
seal=$(cat build.sh requirements.txt | sha256sum | cut -d' ' -f1)
[[ $(cat "$folder/srv/seal" 2>/dev/null) != "$seal" ]] || exit 0

need pip3 python3-pip
rm -rf "$folder/srv"
# Wheels run no code of theirs when they are installed, so that none runs on this machine.
pip3 install --quiet --disable-pip-version-check --root-user-action=ignore --no-compile --require-hashes --no-deps \
  --only-binary :all: --implementation cp --python-version 3.11 --target "$folder/srv" -r requirements.txt >&2 ||
  die "can't install MLflow; is PyPI reachable?"
echo "$seal" >"$folder/srv/seal"
