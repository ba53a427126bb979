#!/usr/bin/env bash
# Builds the site of docs/ into dist/site with MkDocs, and fails on a dead link or a page without an
# entry in the navigation. MkDocs is installed into a folder of the cache, with the versions and
# checksums of hack/docs/requirements.txt. It needs Python 3.10 with venv, and PyPI.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/build/messages.sh
source hack/python.sh

folder=$(python_environment mkdocs hack/docs/requirements.txt)
NO_MKDOCS_2_WARNING=1 "$folder/bin/python" -m mkdocs build --config-file hack/docs/mkdocs.yml
say "wrote $(find dist/site -name '*.html' | wc -l) pages into dist/site; to read them, run: python3 -m http.server --directory dist/site"
