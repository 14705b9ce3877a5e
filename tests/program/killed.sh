#!/bin/sh
# kill -9 while cmake evaluates for cctr: what that leaves in TMPDIR is removed by the next
# who needs cmake, and nothing else is.
set -u
. tests/meta/tap.sh
needs cmake

own_folder
mkdir "$work/t m p" "$work/slow" "$work/quick"
mkfifo "$work/ready" "$work/go"
export CCTR_COMPAT_VERSION=3.25 TMPDIR="$work/t m p"

# It says that it is there, and goes on when it is told to.
pause="execute_process(COMMAND sh -c \"echo >$work/ready; read _ <$work/go\")"
echo "$pause
add_test(a true)" >"$work/slow/CTestTestfile.cmake"
echo "execute_process(COMMAND true)" >"$work/quick/CTestTestfile.cmake"
echo "$pause" >"$work/slow.cmake"

left() {
	ls -A "$TMPDIR"
}
start() {
	"$CCTR" "$@" >"$work/output" 2>&1 &
	program=$!
	read -r _ <"$work/ready"
}
go_on() {
	echo >"$work/go"
}
quick() {
	"$CCTR" -N --test-dir "$work/quick" 2>&1 | tail -n 1
}
slow_by() { # what started it
	start "$@"
	kill -KILL $program
	wait $program 2>/dev/null
	check "$1: a killed one leaves its folder" \
		"$(is "$(left | sed 's/-.*-/-*-/; s/......$//')" "cctr-*-")"
	check "$1: the next one removes it" "$(is "$(quick)" "Total Tests: 0"; left)"
}

slow_by -N --test-dir "$work/slow"
slow_by -S "$work/slow.cmake"

mkdir "$TMPDIR/cctr-abcdef" "$TMPDIR/cctr-scratch-01234567-89ab-cdefgh" "$TMPDIR/other"
touch "$TMPDIR/cctr-scratch-abcdef"
before=$(left)
quick >/dev/null
check "what cctr did not make stays" "$(is "$(left)" "$before")"
rm -r "${TMPDIR:?}"/*

start -N --test-dir "$work/slow"
before=$(left)
quick >/dev/null
check "the folder of one that lives stays" "$(is "$(left)" "$before"
	[ -n "$before" ] || echo "there is none")"
go_on
wait $program
check "... who goes on with it" "$(is "$? $(tail -n 1 "$work/output")" "0 Total Tests: 1"
	left)"

finish
