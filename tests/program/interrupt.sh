#!/bin/sh
# SIGINT once and twice, with a test that does not listen to it.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh

env --default-signal=INT true 2>/dev/null || skip_all "env cannot set signals"
own_folder
export CCTR_COMPAT_VERSION=3.25 WORK="$work"
cat >"$work/CTestTestfile.cmake" <<'END'
add_test(done "/bin/true")
add_test(deaf "/bin/sh" "-c" "trap '' INT TERM; echo $$ >$WORK/pid; exec sleep 60")
add_test(hears "/bin/sh" "-c" "trap 'touch $WORK/heard; exit 0' INT; touch $WORK/up; while :; do sleep 0.01; done")
add_test(never "/bin/true")
set_tests_properties(deaf PROPERTIES DEPENDS "done")
set_tests_properties(never PROPERTIES DEPENDS "deaf")
END

await() { # a test of a file
	for _ in $(seq 6000); do
		test "$@" && return
		sleep 0.01
	done
}
# By a clock that nobody sets.
now_ms() {
	read -r up _ </proc/uptime
	echo "${up%.*}${up#*.}0"
}
# $1: how many times. -> status, and how long it took from before the first of them: no
# less than something is certain, while late is what the machine makes late.
interrupt() {
	rm -rf "$work/pid" "$work/up" "$work/heard" "$work/Testing"
	env --default-signal=INT "$CCTR" --test-dir "$work" -j4 >"$work/output" 2>&1 &
	program=$!
	await -s "$work/pid"
	await -f "$work/up"
	began=$(now_ms)
	kill -INT $program
	await -f "$work/heard"
	[ "$1" -lt 2 ] || kill -INT $program
	wait $program
	status=$?
	took=$(($(now_ms) - began))
}
is_gone() {
	for _ in $(seq 3000); do
		kill -0 "$(cat "$work/pid")" 2>/dev/null || return
		sleep 0.01
	done
	echo "the test is still there"
}

interrupt 1
check "one ends the run by that signal" "$([ $status = 130 ] || echo "status $status")"
check "who does not listen is killed a second later" \
	"$([ $took -ge 990 ] || echo "$took ms"; is_gone)"
check "nothing is summed up" "$(grep -E 'tests passed|FAILED' "$work/output")"
check "it says what was running" "$(is \
	"$(sed -nE 's/^cctr: +[0-9.]+ sec  //p; s/^(cctr: SIGINT .*)/\1/p' "$work/output" | sort)" \
	"Test #2: deaf
Test #3: hears
cctr: SIGINT ends the run; 2 tests were running")"
check "-F can go on with what is done" \
	"$(is "$(cut -d' ' -f1,3 "$work/Testing/Temporary/CTestCheckpoint.txt")" "1 done")"
check "the log has what is done" "$(is \
	"$(grep -E 'Testing:|^Test Passed|end time' "$work/Testing/Temporary/LastTest.log.tmp" |
		sed 's/:.*//')" "1/4 Testing
Test Passed.
\"done\" end time")"

ln -s "$(realpath "$CCTR")" "$work/ctest"
own=$CCTR CCTR=$work/ctest
interrupt 1
CCTR=$own
check "under the name ctest it says as little as ctest" "$(grep '^cctr: ' "$work/output")"

# That it is at once: unit.engine_local.
interrupt 2
check "two end it by that signal too" "$([ $status = 130 ] || echo "status $status")"
check "and leave nothing" "$(is_gone)"

# A command of CTestCustom.cmake. It has a second, which a slow machine may need for itself;
# that it is told: unit.command.
mkfifo "$work/ready"
echo "set(CTEST_CUSTOM_PRE_TEST \"/bin/sh $work/before.sh\")" >"$work/CTestCustom.cmake"
cat >"$work/before.sh" <<END
trap 'echo told; exit 0' TERM
echo >$work/ready
while :; do sleep 0.01; done
END
"$CCTR" --test-dir "$work" >"$work/output" 2>&1 &
program=$!
read -r _ <"$work/ready"
began=$(now_ms)
kill -TERM $program
wait $program
status=$?
took=$(($(now_ms) - began))
check "it ends a command before the tests, and then the run" \
	"$([ $status = 143 ] || echo "status $status"
		[ $took -ge 990 ] || grep -qx told "$work/output" || cat "$work/output")"
check "of which nothing is said" "$(grep -E 'Problem|Errors|Start' "$work/output")"

finish
