#!/bin/sh
# --explain with real processes: one case for each reason to wait. A test lasts until cctr
# sleeps, since it has then started all that it can and noted what the others wait for, and
# a little longer, so that times show; nothing depends on how long that is.
set -u
. tests/meta/tap.sh

own_folder
unset CTEST_PARALLEL_LEVEL CTEST_RESOURCE_SPEC_FILE

cat >"$work/lasts.sh" <<'END'
until grep -q '^State:.S' "/proc/$PPID/status"; do sleep 0.01; done
exec sleep 0.1
END
# A tree of tests; $1: lines about them. Each runs for a while.
tree() {
	rm -rf "$work/tree"
	mkdir "$work/tree"
	for name in a b t; do
		echo "add_test($name sh $work/lasts.sh)"
	done >"$work/tree/CTestTestfile.cmake"
	echo "$1" >>"$work/tree/CTestTestfile.cmake"
}
# What t waits for, every time as N.
reasons() {
	timeout 250 "$CCTR" --test-dir "$work/tree" --timeout 120 --explain t "$@" \
		>"$work/output" 2>&1 || cat "$work/output"
	sed -n '/^Wait /,/^Critical path/p' "$work/output" |
		sed -E '1d; $d; s/[0-9]+\.[0-9]+/N/g; s/ +/ /g; s/^ N N sec //'
}
# $1: what is tried; $2: lines about the tests; $3: what is said; the rest: options
waits_for() {
	title=$1
	tree "$2"
	expected=$3
	shift 3
	check "$title" "$(is "$(reasons "$@")" "$expected")"
}

waits_for "nothing" '' '' -j9
waits_for "a dependency" 'set_tests_properties(t PROPERTIES DEPENDS a)' 'after a' -j9
waits_for "a fixture" 'set_tests_properties(a PROPERTIES FIXTURES_SETUP F)
	set_tests_properties(t PROPERTIES FIXTURES_REQUIRED F)' \
	'fixture F, set up by a' -j9
waits_for "a lock" 'set_tests_properties(a t PROPERTIES RESOURCE_LOCK db)' \
	'lock db, held by a' -j9
waits_for "processors" 'set_tests_properties(t PROPERTIES PROCESSORS 2 COST -1)' \
	'processors: needs 2, 0 free, held by a until N, b until N' -j2
waits_for "a resource" \
	'set_tests_properties(a PROPERTIES RESOURCE_GROUPS gpus:1)
	set_tests_properties(t PROPERTIES RESOURCE_GROUPS gpus:2 COST -1)' \
	'gpus: needs 2 on one instance, 0 has 1 of 2 free, held by a (1) until N' \
	-j9 --resource gpus=1:2
# The plan is 41 s long; with t at once it would be 44.
waits_for "a reservation" \
	"add_test(c sh $work/lasts.sh)
	add_test(d sleep 0)
	set_tests_properties(a PROPERTIES PROCESSORS 150 COST 5)
	set_tests_properties(c PROPERTIES DEPENDS a COST 36)
	set_tests_properties(b PROPERTIES PROCESSORS 199 COST 10)
	set_tests_properties(d PROPERTIES DEPENDS b COST 25)
	set_tests_properties(t PROPERTIES PROCESSORS 2 COST 9)" \
	'reserved for b from N
processors: needs 2, 0 free, held by b until N, c until N' -j200 --schedule=pressure
waits_for "a test that runs alone" 'set_tests_properties(a PROPERTIES RUN_SERIAL ON COST 9)
	set_tests_properties(b PROPERTIES COST -1)' 'a runs alone' -j9 --schedule=pressure
waits_for "to run alone" 'set_tests_properties(t PROPERTIES RUN_SERIAL ON)' \
	'runs alone, waits for a until N, b until N' -j9
export __CTEST_FAKE_LOAD_AVERAGE_FOR_TESTING=9
waits_for "the load" '' 'load: needs 1, 0 free' -j9 --test-load 2 -R t
unset __CTEST_FAKE_LOAD_AVERAGE_FOR_TESTING

# ---- plans, and names that are none ---------------------------------------------------

tree 'set_tests_properties(t PROPERTIES DEPENDS a)'
run() {
	"$CCTR" --test-dir "$work/tree" "$@" >"$work/output" 2>"$work/errors"
}
run -N -j9 --explain t
check "beneath a listing" "$(is "$(sed -n '/^Total Tests/,/^End/p' "$work/output" |
	sed 's/ [0-9. ]* sec/ N/')" "Total Tests: 3

Explained     t

Start N
End N")"
run --simulate -j9 --explain t --explain a
check "beneath a simulation, one after the other" "$(is \
	"$(grep -E '^(Simulated|Explained|All|Makespan)' "$work/output" | sed 's/ [0-9. ]* sec/ N/')" \
	"Simulated 3 tests with -j9, in ctest's order
Makespan N
Explained     t
Explained     a
All tests
Makespan N")"
run --show-only=json-v1 --explain t
check "JSON stays JSON" "$(is "$(tail -n1 "$work/output")$(grep Explained "$work/output")" "}")"
check "and the explanation goes to standard error" \
	"$(is "$(grep Explained "$work/errors")" "Explained     t")"
run --explain t --explain nobody
check "exit code for a name that no test has" "$(is $? 1)"
check "it is said, and nothing runs" "$(is "$(cat "$work/errors")$(grep Start "$work/output")" \
	'--explain: no test "nobody" is selected')"
run -R a --explain t
check "exit code for a test that is not selected" "$(is $? 1)"
run --explain t -R none
check "the same where no test is" "$(is $? 1)"

# ---- runs that do not run everything ---------------------------------------------------

tree 'add_test(fails false)
	set_tests_properties(a b PROPERTIES DEPENDS fails)
	set_tests_properties(t PROPERTIES DEPENDS a)'
run --stop-on-failure --explain t
check "a test that a stopped run did not start" "$(is \
	"$(grep -E '^(Start |Reason|End)' "$work/output" | sed 's/  */ /')" "Start never
Reason --stop-on-failure, after fails")"
echo "3 - t" >"$work/tree/Testing/Temporary/CTestCheckpoint.txt"
run -F --explain t
check "a test of an earlier run" "$(is "$(grep -E '^(Start |End)' "$work/output")" \
	"Start         earlier run")"
run --repeat until-fail:3 -R '^t$' --explain t
check "all attempts of a test are one" "$(is \
	"$(sed '/^All tests/,$d' "$work/output" | grep -c 'sec t$')" 1)"

tree "add_test(ends_cctr sh -c \"kill -TERM \$PPID; exec sleep 60\")
	set_tests_properties(t PROPERTIES DEPENDS ends_cctr)"
run --explain t
check "a test that an interrupted run did not start" "$(is \
	"$(sed -n 's/^Reason *//p' "$work/output")" "The run was interrupted")"

# ---- tests that do not run --------------------------------------------------------------

tree 'add_test(setup false)
	set_tests_properties(setup PROPERTIES FIXTURES_SETUP F)
	set_tests_properties(t PROPERTIES FIXTURES_REQUIRED F)
	set_tests_properties(a PROPERTIES DISABLED ON)
	add_test(file true)
	set_tests_properties(file PROPERTIES REQUIRED_FILES /nonexistent)
	add_test(none /nonexistent/program)
	add_test(resources true)
	set_tests_properties(resources PROPERTIES RESOURCE_GROUPS gpus:2)'
run --resource gpus=1 --explain a --explain t --explain file --explain none --explain resources
check "why tests did not run" "$(is "$(sed -n '/^All tests/q; /^Start/N; s/^Start *never\nReason *//p;
	s/^\(Start\|End\|Critical\).*/&/p' "$work/output" | grep -v '^Start ')" "Disabled
Failed test dependencies: setup
Unable to find required file: /nonexistent
Unable to find executable: /nonexistent/program
Insufficient resources")"
run -N --resource gpus=1 --explain a --explain t --explain resources
check "why tests of a plan would not run" "$(is "$(sed -n 's/^Reason *//p' "$work/output")" "Disabled
Insufficient resources")"

finish
