# For the scripts of this folder and of tests/program: TAP from the shell. Sourced, not run.
#   . tests/meta/tap.sh; check "title" "what is wrong, empty when nothing"; finish
#   check "title" "$(is "what is there" "what is expected")"
tap_number=0
tap_failed=0

check() {
	tap_number=$((tap_number + 1))
	if [ -z "$2" ]; then
		echo "ok $tap_number - $1"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_number - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

# What is wrong where the two are not equal; false then.
is() {
	[ "$1" = "$2" ] && return
	printf 'got:\n%s\nexpected:\n%s\n' "$1" "$2"
	return 1
}

equal() { # title, what is expected, what is there
	check "$1" "$(is "$3" "$2")"
}

skip() { # title, why
	tap_number=$((tap_number + 1))
	echo "ok $tap_number - $1 # SKIP $2"
}

# Leaves out what follows.
skip_all() {
	if [ "$tap_number" -eq 0 ]; then
		echo "1..0 # SKIP $1"
		exit 0
	fi
	tap_number=$((tap_number + 1))
	echo "ok $tap_number # SKIP $1"
	finish
	exit
}

# For scripts that start a batch system.
needs_clusters() {
	[ "${CCTR_CLUSTERS:-1}" != 0 ] || skip_all "CCTR_CLUSTERS is 0"
}

# For scripts that run cctr by strace: the sanitizer that searches leaks traces cctr itself.
search_no_leaks() {
	export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
}

# For one command.
traced() { # words of strace...
	(search_no_leaks && exec strace "$@")
}

needs() { # command
	command -v "$1" >/dev/null || skip_all "no $1"
}

# $work is a new folder, gone when the script ends.
own_folder() {
	work=$(mktemp -d) || exit 1
	trap 'rm -rf "$work"' EXIT
}

# For scripts that $cctr runs with -S, written to such a folder, which becomes this one.
# shellcheck disable=SC2034 # those who source this use it
own_scripts() {
	needs cmake
	cctr=$(realpath "${CCTR:?}")
	own_folder
	cd "$work" || exit 1
}

finish() {
	echo "1..$tap_number"
	[ "$tap_failed" -eq 0 ]
}
