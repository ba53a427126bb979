#!/usr/bin/env bash
# build.sh FOLDER copies the application.
set -euo pipefail
install -D --mode 0644 --compare "$(dirname "${BASH_SOURCE[0]}")/app.py" "$1/srv/app.py"
