#!/usr/bin/env bash
# build.sh FOLDER installs Node.js and better-auth from the npm registry.
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
exec ../npm.sh "$folder" server.mjs
