#!/bin/sh
# --flaky: tests that pass after a failure, in each file that can tell it, and as failures of the run.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree
needs python3
junit="$work/junit.xml"

# Each testcase with its earlier attempts, and what these wrote.
show_junit() {
	python3 -c '
import sys, xml.etree.ElementTree as tree
def output(element):
    return (element.find("system-out").text or "").strip()
for case in tree.parse(sys.argv[1]).getroot():
    print(case.get("name"), case.get("status"), output(case))
    for child in case:
        if child.tag.endswith("Failure"):
            print(" ", child.tag, child.get("message"), child.get("type"), output(child))
' "$junit"
}
show_events() { # keys...
	python3 -c '
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    event = json.loads(line)
    if event["event"] in ("end", "finish"):
        print(event["event"], *(str(event[key]) for key in sys.argv[2:] if key in event))
' "$work/events" "$@"
}
# A test fails as often as its file has room for.
declare_flaky() {
	rm -rf "$work/tries"
	mkdir "$work/tries"
	declare_tests <<END
add_test(good "/bin/sh" "-c" "echo good")
add_test(flaky "/bin/sh" "-c" "echo x >>'$work/tries/flaky'; n=\$(wc -l <'$work/tries/flaky'); echo \"<try \$n>\"; test \$n -ge 3")
add_test(late "/bin/sh" "-c" "echo x >>'$work/tries/late'; n=\$(wc -l <'$work/tries/late'); echo \"late \$n\"; test \$n -ge 2 || exec sleep 1000")
add_test(bad "/bin/sh" "-c" "echo x >>'$work/tries/bad'; echo \"bad \$(wc -l <'$work/tries/bad')\"; exit 1")
add_test(skips "/bin/sh" "-c" "echo x >>'$work/tries/skips'; test \$(wc -l <'$work/tries/skips') -ge 2 && exit 9; exit 1")
set_tests_properties(late PROPERTIES TIMEOUT 0.5)
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 9)
END
}

declare_flaky
cctr --repeat until-pass:3 -E bad --output-junit "$junit" --events "$work/events" --tap "$work/tap" \
	--trace "$work/trace" >"$work/plain" 2>&1
equal "without the option a flaky test passes" 0 $?
equal "and JUnit has only the last attempt" "good run good
flaky run <try 3>
late run late 2
skips notrun " "$(show_junit)"
equal "events say which tests are flaky" "end True
end False
end False
end True True
end False
end True True
end False
end True
finish 2" "$(show_events last flaky)"
equal "... as their schema says" "" "$(tests/helpers/event_schema.py "$work/events")"
equal "TAP, too" "ok 2 - flaky
  ---
  flaky: true
  attempts: 3
  failures: 2
  ...
ok 3 - late
  ---
  flaky: true
  attempts: 2
  failures: 1
  ..." "$(sed -n '/^ok 2/,/^ok 4/p' "$work/tap" | sed '$d')"
equal "and the trace" 2 "$(grep -o '"flaky":true' "$work/trace" | wc -l)"

declare_flaky
cctr --repeat until-pass:3 -E bad --flaky=pass --output-junit "$junit" >"$work/output"
equal "--flaky=pass: the run passes" 0 $?
equal "its text stays" "" "$(diff "$work/plain" "$work/output" | grep '^[<>]' |
	grep -vE 'sec$|sec *$|Start|Passed|Skipped|Failed|Timeout')"
equal "JUnit has the attempts before" "good run good
flaky run <try 3>
  flakyFailure Failed failed <try 1>
  flakyFailure Failed failed <try 2>
late run late 2
  flakyFailure Timeout timeout late 1
skips notrun 
  rerunFailure Failed failed " "$(show_junit)"

declare_flaky
rm -f "$tree/Testing/Temporary/LastTestsFailed.log"
timeout 250 "$CCTR" --test-dir "$tree" --repeat until-pass:3 -E bad --flaky fail \
	>"$work/output" 2>"$work/said" </dev/null
equal "--flaky=fail: the run fails" 8 $?
equal "and says why" "--flaky=fail: the run fails for 2 tests that passed only after a failure: flaky, late
Errors while running CTest" "$(sed '/^Output from\|^Use "/d' "$work/said")"
equal "its summary stays" 1 "$(grep -c '100% tests passed' "$work/output")"
equal "the tests are listed as those to run again" "2:flaky
3:late" "$(cat "$tree/Testing/Temporary/LastTestsFailed.log")"
equal "--rerun-failed runs them" "flaky
late" "$(cctr --rerun-failed | sed -n 's/^ *Start *[0-9]*: //p')"

declare_flaky
cctr --repeat until-pass:2 -R '^bad$' --flaky=pass --output-junit "$junit" >"$work/output"
equal "a test that fails each time is not flaky" 8 $?
equal "JUnit calls its attempts reruns" "bad fail bad 2
  rerunFailure Failed failed bad 1" "$(show_junit | sed '/  failure/d')"
cctr -R good --repeat until-pass:3 --flaky=fail >"$work/output"
equal "a test that passes at once is not flaky" 0 $?
declare_tests <<'END'
add_test(ends "/bin/sh" "-c" "exit 1")
END
CCTR_FLAKY=fail cctr --repeat until-fail:3 >"$work/output" 2>&1
equal "nor one that fails after it passed" "8 0" "$? $(grep -c 'flaky=fail' "$work/output")"

# The run is interrupted when the second test runs; what -F does not run again must not be forgotten.
declare_tests <<END
add_test(flaky "/bin/sh" "-c" "test -e '$work/tries/again' || { : >'$work/tries/again'; exit 1; }")
add_test(waits "/bin/sh" "-c" "test -e '$work/begun' || { : >'$work/begun'; exec sleep 1000; }")
END
"$CCTR" --test-dir "$tree" --repeat until-pass:2 --flaky=fail >"$work/output" 2>&1 </dev/null &
program=$!
await test -e "$work/begun"
kill -KILL "$program"
wait "$program" 2>/dev/null
equal "-F runs a flaky test again" "flaky
waits" "$(cctr -F --repeat until-pass:2 --flaky=fail | sed -n 's/^ *Start *[0-9]*: //p')"

for value in yes "" Pass; do
	cctr -N --flaky "$value" >"$work/output"
	equal "\"$value\" is refused" "1 1" \
		"$? $(grep -c "'--flaky' given '$value', neither pass nor fail" "$work/output")"
done
finish
