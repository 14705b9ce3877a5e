#!/bin/sh
# Every header compiles alone, and twice.
set -u
. tests/meta/tap.sh

for header in $(find runner compat manifests -name '*.h' | sort); do
	said=$(printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		"${CC:-cc}" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I. \
			-fsyntax-only -x c - 2>&1)
	check "$header" "$said"
done
finish
