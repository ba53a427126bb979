#!/usr/bin/env bash
# Opens the HTML report in a headless Chromium without a network, in desktop and phone widths,
# light and dark, and fails on any error. Screenshots and PDFs of each kind of report are
# written to dist/report.
#
#   hack/screenshot.sh        only the checks
#   hack/screenshot.sh docs   also update the picture of docs/report.md
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v chromium chromium-browser google-chrome >/dev/null; then
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
    echo "Chromium was not found, so the report can't be checked; install it (on Debian: apt-get install chromium fonts-dejavu-core)" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -o DPkg::Lock::Timeout=300 --no-install-recommends \
    chromium fonts-dejavu-core >/dev/null
fi

HASHMARK_PICTURES=$PWD/dist/report hack/test.sh report -count=1 -tags=browser -run=TestBrowser ./internal/report/html
if [[ ${1:-} == docs ]]; then
  mkdir -p docs/images
  cp dist/report/answered-cover.png docs/images/report.png
fi
