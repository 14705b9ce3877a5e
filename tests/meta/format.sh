#!/bin/sh
# clang-format decides how C is laid out.
set -u
. tests/meta/tap.sh
needs clang-format

for folder in runner compat manifests tests/unit tests/sim tests/fuzz tests/meta \
	tests/conformance; do
	files=$(find "$folder" -name '*.[ch]' | sort)
	[ -n "$files" ] || continue
	# shellcheck disable=SC2086 # a list of names without blanks
	check "$folder" "$(clang-format --dry-run $files 2>&1 | grep 'warning:' |
		cut -d: -f1 | sort | uniq -c)"
done
finish
