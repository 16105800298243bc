#!/usr/bin/env bash
# Makes the pictures of the README, docs/report.png, docs/page.png and docs/play.png, with Chromium: docs/pictures.sh BLOOM
set -euo pipefail
docs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bloom=$(realpath "$1")
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
"$bloom" data generate company company
"$bloom" data import --nodes company/accounts.csv --edges company/payments.csv --label segment --out company.bloom
"$bloom" train --data company.bloom --recipe robust --out run
"$bloom" audit run >/dev/null
"$bloom" report run
shoot() { # URL FILE
	chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync \
		--hide-scrollbars --user-data-dir="$work/browser" --virtual-time-budget=20000 --window-size=1000,760 --screenshot="$2" "$1"
}
shoot "file://$work/run/report.html" "$docs/report.png"
host=localhost:${PORT:-8099}
"$bloom" serve run --addr "$host" &
until curl -sf "http://$host/v2/health/ready" >/dev/null; do sleep 0.2; done
shoot "http://$host/#/run/node/A2190" "$docs/page.png"
(cd "$docs/.." && go test -count=1 -run TestPageLooks ./release -shots "$work")
cp "$work/page-play-desk-view.png" "$docs/play.png"
