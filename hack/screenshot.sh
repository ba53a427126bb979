#!/usr/bin/env bash
# Opens the HTML report in a headless Chromium that reaches no network, on the
# widths of a desktop and a phone, light and dark, and fails on whatever is wrong.
# Pictures and PDFs of each kind of report are left in dist/report.
#
#   hack/screenshot.sh        look at them
#   hack/screenshot.sh docs   and take the picture for docs/report.md
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v chromium chromium-browser google-chrome >/dev/null; then
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
    echo "Chromium is not here, so the report is not looked at; install it (on Debian: apt-get install chromium fonts-dejavu-core)" >&2
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
