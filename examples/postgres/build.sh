#!/usr/bin/env bash
# build.sh FOLDER copies the script that starts the server, names the user that it runs as, which initdb looks up, and adds
# the links that the packages' scripts would make.
set -euo pipefail
install -D --mode 0644 --compare "$(dirname "${BASH_SOURCE[0]}")/start.sh" "$1/srv/start.sh"
install -D --mode 0644 /dev/stdin "$1/etc/passwd" <<<'login:x:65532:65532::/data:/bin/sh'

ln -sf dash "$1/bin/sh"
