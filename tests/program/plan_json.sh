#!/bin/sh
# --plan-json: what --simulate and --explain say, as JSON.
set -u
. tests/meta/tap.sh

needs python3
own_folder
cd "$work" || exit 1
unset CTEST_PARALLEL_LEVEL CTEST_RESOURCE_SPEC_FILE
cat >CTestTestfile.cmake <<'END'
add_test(test_a true)
add_test(test_b true)
add_test(test_c true)
add_test(off true)
set_tests_properties(test_c PROPERTIES DEPENDS test_a RESOURCE_GROUPS gpus:2)
set_tests_properties(test_b PROPERTIES RESOURCE_GROUPS gpus:1)
set_tests_properties(off PROPERTIES DISABLED ON)
END
printf 'cctr-timings 1\n4 1 - test_a\n7 1 - test_b\n2 1 - test_c\n' >given-times
look() { # title, python
	check "$1" "$(python3 -c "import json
p = json.load(open('plan.json'))
try:
	assert p['format'] == 'cctr-plan-1'
	$2
except (AssertionError, KeyError, IndexError):
	print(p)" 2>&1)"
}
echo '{"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": "0", "slots": 2}]}]}' >spec
options='-j4 --resource-spec-file spec --simulate=given-times --plan-json plan.json'
# shellcheck disable=SC2086 # words
"$CCTR" $options >out 2>&1
look "a simulation" "s = p['simulation']; assert (s['tests'], s['parallel'], s['schedule'], s['makespan_s'], s['too_large']) == (3, 4, 'ctest', 9, 0) or s['tests'] == 4; assert s['lower_bound'] in s['bounds'] and 0 < s['utilisation'] <= 1"
check "... with its text" "$(grep -q '^Makespan  *9.00 sec$' out || cat out)"
# shellcheck disable=SC2086 # words
"$CCTR" $options --explain test_c --explain off >out 2>&1
look "what a test waits for" "t = p['explained'][0]; assert (t['test'], t['start_s'], t['end_s'], t['wait_s']) == ('test_c', 7, 9, 7); w = t['waits']; assert [(x['from_s'], x['to_s'], x['for']) for x in w] == [(0, 4, 'dependency'), (4, 7, 'resource')] and w[0]['test'] == 'test_a' and w[1]['name'] == 'gpus' and w[1]['held_by'] == ['test_b']"
look "... and its text" "w = p['explained'][0]['waits']; assert w[0]['text'] == 'after test_a' and w[1]['text'] in open('out').read()"
look "the critical path" "c = p['critical_path']; assert c['seconds'] == 9 and [(s['test'], s['after']) for s in c['steps']] == [('test_b', 'nothing'), ('test_c', 'resource')] and c == p['explained'][0]['critical_path']"
look "why a test never starts" "t = p['explained'][1]; assert t['test'] == 'off' and t['reason'] == 'Disabled' and 'start_s' not in t"
look "one more" "assert p['makespan_s'] == 9 and p['bottleneck']['name'] == 'resource gpus' and {m['name']: m['makespan_s'] for m in p['one_more']} == {'-j5': 9, 'gpus': 7}"
rm plan.json
"$CCTR" -N --explain test_c --plan-json plan.json >out 2>&1
look "with a listing" "assert p['explained'][0]['test'] == 'test_c' and 'simulation' not in p"
rm plan.json
"$CCTR" -R 'test_[ab]' --explain test_b --plan-json plan.json >out 2>&1
look "with a run" "assert p['explained'][0]['waits'][0]['for'] == 'processors' and p['makespan_s'] > 0"
text=$("$CCTR" -N --plan-json plan.json 2>&1)
check "alone it is an error" "$(is "$? $text" "1 CMake Error: '--plan-json' does nothing without '--simulate' or '--explain'")"
text=$("$CCTR" --simulate --plan-json no/where/plan.json 2>&1)
check "a file that cannot be written" "$(is "$? $(echo "$text" | grep -c 'no/where/plan.json')" "8 1")"
finish
