#!/bin/sh
# Stock ctest and cctr in build trees of real projects, which CCTR_REAL_PROJECTS names.
set -eu
if [ -z "${CCTR_REAL_PROJECTS:-}" ]; then
	echo "1..0 # SKIP CCTR_REAL_PROJECTS names no build trees"
	exit 0
fi
# shellcheck disable=SC2086 # a list of folders without blanks
exec tests/conformance/real_project --subject "$CCTR" $CCTR_REAL_PROJECTS
