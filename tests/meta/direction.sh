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

# main.c is the one place where all three meet.
check "runner/ includes neither compat/ nor manifests/" \
	"$(includes runner 'compat|manifests' | grep -v '^runner/main.c:')"
check "compat/ does not include manifests/" "$(includes compat manifests)"
check "manifests/ does not include compat/" "$(includes manifests compat)"
check "nothing of the program includes tests/" "$(others '#include "tests/' none)"
check "includes are written from the root" \
	"$(others '#include "' none | grep -vE '"(runner|compat|manifests)/')"

check "memory comes from base.c" \
	"$(others '(^|[^_[:alnum:]])(malloc|calloc|realloc|strdup|strndup|asprintf|free)\(' \
		'runner/base.c' | grep -vE '\.[ch]:[0-9]+:[[:space:]]*(/\*| \*)')"
check "libuv in loop.c alone" "$(others '#include <uv' 'runner/loop.c')"
check "PCRE2 in match.c alone" "$(others '#include <pcre2' 'runner/match.c')"
check "hwloc in topology.c alone" "$(others '#include <hwloc' 'runner/topology.c')"
check "libyaml in yaml_tree.c alone" "$(others '#include <yaml' 'manifests/yaml_tree.c')"
check "libcurl in http_curl.c alone" "$(others '#include <curl' 'compat/submit/http_curl.c')"
check "no foreign library in a header" \
	"$(grep -rnE '#include <(uv|pcre2|hwloc|yaml|cjson|zlib|curl)' runner compat manifests \
		--include='*.h')"
check "no TODO in the tree" \
	"$(grep -rnE '(TODO|FIXME)([^[:alnum:]]|$)' runner compat manifests cmake tests \
		--include='*.[ch]' --include='*.cmake' --include='*.sh' --exclude=direction.sh)"
finish
