#!/bin/sh
# No mutable file-scope variables: the libraries have neither .data nor .bss. The exceptions
# are what the process has once: the descriptor of the loop's signal pipe, which a signal
# handler needs, the standard streams, its mark and its guardian, and in the process of the PMIx
# server what libpmix's calls need, which have no context.
set -u
. tests/meta/tap.sh
needs objdump
if objdump -t "$CCTR" 2>/dev/null | grep -q __asan_init; then
	skip_all "a sanitizer adds variables of its own"
fi

for library in $(cd "$CCTR_BUILD_DIR" && find runner compat manifests -name '*.a' | sort); do
	check "$library" "$(objdump -t "$CCTR_BUILD_DIR/$library" |
		awk '/file format/ { file = $1 }
		$NF !~ /^\./ && / \.(data|bss)[[:space:]]/ && !(file ~ /^loop/ && $NF == "signal_pipe") &&
			!(file ~ /^streams/ && $NF == "streams") &&
			!(file ~ /^(brand|guardian|pmix_host)/ && $NF == "own") {
			print file, $NF
		}')"
done
finish
