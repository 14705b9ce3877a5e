# shellcheck shell=sh
# What a test of PMIx needs. Sourced, after tests/meta/tap.sh.

cctr_has_pmix() {
	"$CCTR" --version=full | grep -q ', libpmix '
}

has_pmix_headers() {
	pkg-config --exists pmix 2>/dev/null
}

build_pmix_client() { # program
	# shellcheck disable=SC2046 # they are words
	"${CC:-cc}" -O1 -D_GNU_SOURCE $(pkg-config --cflags pmix) -o "$1" \
		tests/helpers/pmix_client.c $(pkg-config --libs pmix) -lpthread
}
