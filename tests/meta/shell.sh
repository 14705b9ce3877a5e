#!/bin/sh
# The shell scripts, by shellcheck.
set -u
. tests/meta/tap.sh
needs shellcheck

for script in cmake/*.sh cmake/instead-of-ctest .ci/run tests/helpers/*.sh tests/meta/*.sh tests/conformance/*.sh \
	tests/program/*.sh; do
	check "$script" "$(shellcheck -s "$(head -n1 "$script" | grep -q bash && echo bash ||
		echo sh)" -x -e SC1091 "$script" 2>&1)"
done
finish
