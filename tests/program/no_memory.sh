#!/bin/sh
# Memory runs out while tests run: one line, exit code 70, and what has ended is in the
# files. A limit of the address space is below what one test writes.
set -u
. tests/meta/tap.sh

cctr=$(realpath "${CCTR:?}")
own_folder
export CCTR_COMPAT_VERSION=3.25 WORK="$work"
files="$work/Testing/Temporary"
# shellcheck disable=SC3045 # dash and bash have it
limited() {
	(cd "$work" && ulimit -v 150000 2>/dev/null && exec "$cctr" "$@") >"$work/output" \
		2>"$work/errors"
}
limited --version || skip_all "cctr needs more memory than that"

cat >"$work/CTestTestfile.cmake" <<'END'
add_test(before "/bin/echo" "said before")
add_test(fails "/bin/false")
add_test(large "/bin/sh" "-c" "until test -s $WORK/pid; do :; done; head -c 300000000 /dev/zero")
add_test(lasts "/bin/sh" "-c" "echo $$ >$WORK/pid; exec sleep 600")
set_tests_properties(large PROPERTIES DEPENDS "before;fails")
set_tests_properties(lasts PROPERTIES TIMEOUT 60)
END
limited -j4
check "exit code 70" "$(is $? 70)"
check "and one line" "$(is "$(cat "$work/errors")" "cctr: out of memory")"
for _ in $(seq 500); do
	kill -0 "$(cat "$work/pid")" 2>/dev/null || break
	sleep 0.01
done
check "no test goes on" "$(kill -0 "$(cat "$work/pid")" 2>/dev/null && echo "one does")"
check "the log has what ended" "$(is \
	"$(grep -c -e '^said before$' -e 'end time' "$files/LastTest.log.tmp")" 3)"
check "and no part of an entry" "$(grep '^"large"' "$files/LastTest.log.tmp")"
check "the checkpoint has what ended well" \
	"$(is "$(cut -d' ' -f1,3 "$files/CTestCheckpoint.txt")" "1 before")"
check "the failed list has what failed" "$(is "$(cat "$files/LastTestsFailed.log")" 2:fails)"
(cd "$work" && exec "$cctr" -F -E lasts) >"$work/output" 2>&1
check "-F goes on where there is memory" \
	"$(is "$? $(grep -c '^ *Start' "$work/output")" "8 2")"

finish
