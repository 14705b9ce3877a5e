#!/usr/bin/env bash
# CMake's own ctest suites against cctr, by a runner outside this tree (CCTR_UPSTREAM): those of 3.25, and
# those of a newer release, where Debian has its source. Each in the dialect it was written for. Counts the
# sub-cases that pass and that /bin/true or /bin/false in ctest's place would not; upstream.count has the
# numbers that may not fall. Of the newer release half of the suites run, which the commit chooses
# (CCTR_UPSTREAM_SHARE=1: all). Its source is kept beside the oracles, since Debian's suites move on.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
NEWER=4.3.1 SUITE=forky
newer_source=${CCTR_ORACLES:-${XDG_CACHE_HOME:-$HOME/.cache}/cctr/oracles}/cmake-${NEWER%.*}
# Those that are about ctest. What Instrumentation and GoogleTest expect is not the same in each release of
# 4.3; the others are as they were.
NEWER_SUITES=('CTest*' 'ctest_*' 'CMakePresets*' 'data_*' add_test test_include_dirs WorkingDirectory)

if [ ! -f "${CCTR_UPSTREAM:-}" ]; then
	echo "1..0 # SKIP CCTR_UPSTREAM does not name the runner of CMake's suites"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ran=0 failed=0

# run_suites DIALECT further words of the runner
run_suites() {
	local dialect=$1 kept passed
	shift

	# It fails while anything fails; what counts is the number.
	CCTR_COMPAT_VERSION=$dialect python3 "$CCTR_UPSTREAM" --ctest "$CCTR" --jobs 2 --quiet --hang-timeout 600 \
		--workdir "$work/$dialect" --json "$work/$dialect.json" "$@" 2>&1 | sed 's/^/# /' || true
	kept=$(awk -v dialect="$dialect" '$1 == dialect { print $2 }' "$here/upstream.count")
	passed=$(python3 -c '
import json, sys
totals = json.load(open(sys.argv[1]))["totals"]
print(totals["oracle_disc_pass"], totals["oracle_disc"])
' "$work/$dialect.json")
	[ "$kept" != all ] || kept=${passed#* }
	ran=$((ran + 1))
	if [ "${passed% *}" -lt "$kept" ] || [ "$kept" -eq 0 ]; then
		echo "not ok $ran - $dialect: ${passed% *} of ${passed#* } discriminating sub-cases pass, $kept did"
		failed=1
	else
		echo "ok $ran - $dialect: ${passed% *} of ${passed#* } discriminating sub-cases pass, at least $kept"
	fi
}

# $newer_source gets its name when it is whole. Where it cannot be brought: says why.
keep_source() {
	local source new

	[ ! -d "$newer_source" ] || return 0
	source=$("$here/../../cmake/debian_source.sh" cmake "$work/source" "$SUITE" 2>"$work/apt") || {
		echo "no source of cmake ${NEWER%.*}: $(tail -n 1 "$work/apt")"
		return 1
	}
	case $source in
	*/cmake-"${NEWER%.*}".*) ;;
	*)
		echo "Debian's $SUITE has $(basename "$source"): these suites need cmake ${NEWER%.*}, unpacked in $newer_source"
		return 1
		;;
	esac
	mkdir -p "$(dirname "$newer_source")"
	new=$(mktemp -d "$newer_source.XXXXXX")
	mv "$source" "$new/source"
	mv -T "$new/source" "$newer_source"
	rmdir "$new"
}

# The small programs of its suites.
compile_programs() {
	local program

	mkdir "$work/programs"
	cp -r "$(dirname "$CCTR_UPSTREAM")"/helpers/. "$work/programs"
	for program in "$newer_source"/Tests/RunCMake/*.c; do
		"${CC:-cc}" -w -o "$work/programs/$(basename "$program" .c)" "$program" 2>/dev/null || true
	done
}

# Lines that begin with the names of suites -> of those that match, one of so many.
share_of_suites() {
	PYTHONPATH=$here python3 -B -c '
import fnmatch, os, seeds, sys, zlib
share, seed = int(os.environ.get("CCTR_UPSTREAM_SHARE", "2")), seeds.of_checkout()
names = [line.split()[0] for line in sys.stdin]
names = [name for name in names if any(fnmatch.fnmatchcase(name, glob) for glob in sys.argv[1:])]
print(*(name for name in names if zlib.crc32(f"{seed} {name}".encode()) % share == 0))' "$@"
}

run_newer() {
	local why="" ctest oracle source suites

	oracle=$(dirname "$CCTR_UPSTREAM")/oracles/$NEWER.json
	ctest=$("$here/oracles" "$NEWER" 2>"$work/why")
	ctest=${ctest#* }
	if ! [ -f "$ctest" ]; then
		why="no ctest $NEWER: $(tail -n 1 "$work/why")"
	elif ! [ -f "$oracle" ]; then
		why="no list of what the suites of $NEWER found: $oracle"
	else
		why=$(keep_source) || true
	fi
	if [ -n "$why" ]; then
		ran=$((ran + 1))
		echo "# the suites of cmake $NEWER are left out: $why"
		echo "ok $ran # SKIP the suites of cmake $NEWER: $why"
		return
	fi
	compile_programs
	source=(--src "$newer_source" --oracle "$oracle")
	read -ra suites < <(python3 "$CCTR_UPSTREAM" --list "${source[@]}" | share_of_suites "${NEWER_SUITES[@]}")
	run_suites "${NEWER%.*}" --cmake "${ctest%/*}/cmake" "${source[@]}" --helpers "$work/programs" \
		--test-timeout 4 "${suites[@]/#/--suite=}"
}

echo "1..2"
run_suites 3.25
run_newer
exit $failed
