#!/usr/bin/env bash
# CMake's own ctest suites against cctr, by a runner outside this tree (CCTR_UPSTREAM), in
# the dialect they were written for. Counts the sub-cases that pass and that /bin/true or
# /bin/false in ctest's place would not; upstream.count is the number that may not fall.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ ! -f "${CCTR_UPSTREAM:-}" ]; then
	echo "1..0 # SKIP CCTR_UPSTREAM does not name the runner of CMake's suites"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# It fails while anything fails; what counts is the number.
CCTR_COMPAT_VERSION=3.25 python3 "$CCTR_UPSTREAM" --ctest "$CCTR" --jobs 2 --quiet \
	--workdir "$work/w" --json "$work/result.json" 2>&1 | sed 's/^/# /' || true
kept=$(cat "$here/upstream.count")
passed=$(python3 -c '
import json, sys
totals = json.load(open(sys.argv[1]))["totals"]
print(totals["oracle_disc_pass"], totals["oracle_disc"])
' "$work/result.json")
echo "1..1"
if [ "${passed% *}" -lt "$kept" ]; then
	echo "not ok 1 - ${passed% *} of ${passed#* } discriminating sub-cases pass, $kept did"
	exit 1
fi
echo "ok 1 - ${passed% *} of ${passed#* } discriminating sub-cases pass, at least $kept"
