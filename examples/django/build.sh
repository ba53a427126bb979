#!/usr/bin/env bash
# build.sh FOLDER copies the application, and adds the links that the packages' scripts would make.
set -euo pipefail
source=$(dirname "${BASH_SOURCE[0]}")
install -D --mode 0644 --compare "$source/login.py" "$1/srv/login.py"
install -D --mode 0644 --compare "$source/start.sh" "$1/srv/start.sh"

ln -sf dash "$1/bin/sh"
