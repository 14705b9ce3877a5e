#!/bin/sh
# The direction of dependencies, as includes show it, and what lives in one file only.
set -u
. tests/meta/tap.sh

includes() { # folder, pattern of what it may not include
	grep -rnE "#include \"($2)/" "$1" --include='*.[ch]'
}
# Files that say it, other than those that may.
others() { # pattern, files that may, separated by |
	grep -rnE "$1" runner compat manifests --include='*.[ch]' | grep -vE "^($2):"
}

# Each room names in its CMakeLists.txt the rooms that it may include. compat/dashboard links the
# steps, which step.h declares.
# shellcheck disable=SC2016 # the expressions are awk's
rooms=$(find runner compat manifests -name CMakeLists.txt -exec awk '
	/^cctr_room\(/ { room = substr($1, 11); in_rooms = 0 }
	/^  ROOMS/ { in_rooms = 1; next }
	/^  [A-Z]/ { in_rooms = 0 }
	in_rooms { print room, $1 }' {} +)
check "a room includes only rooms that it names" "$(
	grep -rnoE '#include "[^"]+"' runner compat manifests --include='*.[ch]' |
		grep -v '^runner/main.c:' | awk -F: -v rooms="$rooms" '
		BEGIN { n = split(rooms, row, "\n"); for (i = 1; i <= n; i++) named[row[i]] = 1 }
		{
			from = $1; to = $3
			sub(/^#include "/, "", to); sub(/"$/, "", to)
			file = to
			sub("/[^/]*$", "", from); sub("/[^/]*$", "", to)
			if (from != to && !((from " " to) in named))
				print $1 ": includes " file
		}')"
check "a room names no room that it does not include" "$(
	echo "$rooms" | while read -r from to; do
		grep -rqs "#include \"$to/[^/]*\"" "$from"/*.[ch] || echo "$from names $to"
	done | grep -v '^compat/dashboard names compat/dashboard/')"
check "rooms make no circle" "$(echo "$rooms" | tsort 2>&1 >/dev/null)"
check "no circle of modules outside of the interpreter" "$(python3 tests/meta/circles.py)"

# main.c is the one place where all three meet.
check "runner/ includes neither compat/ nor manifests/" \
	"$(includes runner 'compat|manifests' | grep -v '^runner/main.c:')"
check "compat/ does not include manifests/" "$(includes compat manifests)"
check "manifests/ does not include compat/" "$(includes manifests compat)"
check "nothing of the program includes tests/" "$(others '#include "tests/' none)"
check "includes are written from the root" \
	"$(others '#include "' none | grep -vE '"(runner|compat|manifests)/')"

# The core yields values, compat spells: words of ctest and CMake, and options of the command
# line, in string literals.
properties=$("$CCTR_BUILD_DIR/tests/meta_tables" | sed -n 's/^prop_test.* //p' | paste -sd'|')
options=$("$CCTR_BUILD_DIR/tests/meta_tables" | sed -n 's/^option.* --\([a-z]\)/\1/p' | paste -sd'|')
spelled() { # files on standard input
	xargs awk -f tests/meta/literals.awk | grep -E "CTest|CTEST_|ctest|CMake|CMAKE_|Dart|\
add_test|set_tests_properties|PROPERTIES|_BACKTRACE|BAD_COMMAND|SEGFAULT|Not Run|fixture|\
--($options)[^a-z-]|[:\"](.*[^A-Z_])?($properties)([^A-Z_].*)?\"\$"
}
# Slurm's words are in slurm.c, those of cctr ctl and cctr alloc in their clients.
check "the core spells nothing as ctest, CMake or the command line do" "$(find runner -name '*.[ch]' \
	! -path 'runner/cmakelang/*' ! -path runner/main.c ! -path runner/cluster/slurm.c \
	! -path runner/control/control_client.c ! -path runner/control/alloc_client.c | spelled)"
check "such words are found where they belong" "$(for room in compat/resources compat/run \
	compat/console manifests/cmake runner/cmakelang; do
	find $room -name '*.c' | spelled | grep -q . || echo "none in $room"
done
echo compat/run/execution.c | spelled | grep -q -e '--partition' || echo "no option")"
check "code asks for a row of dialect.def, not for a release" \
	"$(others '(version|now)\)? *([<>]=?|[!=]=) *[0-9]{4}' 'runner/cmakelang/dialect.c')"
check "memory comes from base.c" \
	"$(others '(^|[^_[:alnum:]])(malloc|calloc|realloc|strdup|strndup|asprintf|free)\(' \
		'runner/base/base.c' | grep -vE '\.[ch]:[0-9]+:[[:space:]]*(/\*| \*)')"
check "Expat in xml_read.c alone" "$(others '#include <expat' 'runner/base/xml_read.c')"
check "libuv in loop.c alone" "$(others '#include <uv' 'runner/base/loop.c')"
check "PCRE2 in match.c alone" "$(others '#include <pcre2' 'runner/regex/match.c')"
check "hwloc in topology.c alone" "$(others '#include <hwloc' 'runner/resources/topology.c')"
check "libyaml in yaml_tree.c alone" "$(others '#include <yaml' 'runner/base/yaml_tree.c')"
check "libcurl in http_curl.c alone" "$(others '#include <curl' 'compat/dashboard/submit/http_curl.c')"
check "libpmix in pmix_host.c alone" "$(others '#include <pmix' 'runner/pmix/pmix_host.c')"
check "no foreign library in a header" \
	"$(grep -rnE '#include <(uv|expat|pcre2|hwloc|yaml|cjson|zlib|curl|pmix)' runner compat manifests \
		--include='*.h')"
check "no TODO in the tree" \
	"$(grep -rnE '(TODO|FIXME)([^[:alnum:]]|$)' runner compat manifests cmake tests \
		--include='*.[ch]' --include='*.cmake' --include='*.sh' --exclude=direction.sh)"
finish
