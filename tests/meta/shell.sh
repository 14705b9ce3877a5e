#!/bin/sh
# The shell scripts, by shellcheck.
set -u
. tests/meta/tap.sh
command -v shellcheck >/dev/null || skip_all "no shellcheck"

for script in cmake/*.sh .ci/run tests/meta/*.sh tests/conformance/*.sh tests/program/*.sh; do
	check "$script" "$(shellcheck -s "$(head -n1 "$script" | grep -q bash && echo bash ||
		echo sh)" -e SC1091 "$script" 2>&1)"
done
finish
