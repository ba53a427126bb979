#!/usr/bin/env bash
# Prints the notes of a release: the subjects of the commits since the previous tag, newest first.
#
#   release-notes.sh TAG
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tag=${1:?usage: release-notes.sh TAG}
# The first release has no previous one.
previous=$(git describe --tags --abbrev=0 --match='v[0-9]*' "$tag^" 2>/dev/null || true)
git log --no-merges --format='- %s (%h)' "${previous:+$previous..}$tag"
