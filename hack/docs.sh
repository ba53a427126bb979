#!/usr/bin/env bash
# Builds the site of docs/ into dist/site with MkDocs, and fails on a dead link or a page without an
# entry in the navigation. MkDocs is installed into a folder of the cache, with the versions and
# checksums of hack/docs/requirements.txt. It needs Python 3.10 with venv, and PyPI.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source hack/build/messages.sh

cache=${HASHMARK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hashmark}
folder=$cache/mkdocs-$(sha256sum hack/docs/requirements.txt | cut -c1-12)
if [[ ! -d $folder ]]; then
  mkdir -p "$cache"
  rm -rf "$folder.partial"
  python3 -m venv "$folder.partial" || die "can't create a virtual environment; on Debian, run apt-get install python3-venv"
  "$folder.partial/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r hack/docs/requirements.txt
  mv "$folder.partial" "$folder"
fi
# Scripts of a virtual environment name the folder that it was created in.
NO_MKDOCS_2_WARNING=1 "$folder/bin/python" -m mkdocs build --config-file hack/docs/mkdocs.yml
say "wrote $(find dist/site -name '*.html' | wc -l) pages into dist/site; to read them, run: python3 -m http.server --directory dist/site"
