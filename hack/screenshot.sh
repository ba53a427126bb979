#!/usr/bin/env bash
# Opens the HTML report in a headless Chromium without a network, in desktop and phone widths,
# light and dark, and fails on any error. Screenshots and PDFs of each kind of report are
# written to dist/report.
#
#   hack/screenshot.sh        only the checks
#   hack/screenshot.sh docs   also update the pictures of docs/gallery
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source tools/build/messages.sh
source hack/packages.sh

need_chromium

HASHMARK_PICTURES=$PWD/dist/report hack/test.sh report -tags=browser -run=TestBrowser ./internal/report/html
if [[ ${1:-} == docs ]]; then
  for run in docs/gallery/*.json; do
    cp "dist/report/gallery-$(basename "$run" .json)-cover.png" "${run%.json}.png"
  done
  cp dist/report/gallery-quickstart-phone-cover.png docs/gallery/phone.png
fi
