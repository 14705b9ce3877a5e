#!/bin/sh
# --events and --tap: reports that others read while the run goes on.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree "a tree"
needs python3
events="$work/events"

# All lines as JSON: what is asked for of each, without times.
show_events() { # keys...
	python3 -c '
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    event = json.loads(line)
    print(event["event"], *(event[key] for key in sys.argv[2:] if key in event))
' "$events" "$@"
}

declare_tests <<'END'
add_test(good "/bin/sh" "-c" "echo 12345")
set_tests_properties(good PROPERTIES LABELS "a;b c")
add_test(bad "/bin/sh" "-c" "exit 3")
add_test([=[sk#ip\ "ped"]=] "/bin/sh" "-c" "exit 9")
set_tests_properties([=[sk#ip\ "ped"]=] PROPERTIES SKIP_RETURN_CODE 9)
add_test(off "/bin/true")
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(lost "/nonexistent/program")
add_test(killed "/bin/sh" "-c" "kill -SEGV $$")
add_test(late "/bin/sleep" "1000")
set_tests_properties(late PROPERTIES TIMEOUT 0.2)
add_test(text "/bin/echo" "ERROR here")
set_tests_properties(text PROPERTIES FAIL_REGULAR_EXPRESSION "ERR[A-Z]+")
END
cctr --events "$events" --tap "$work/tap" >"$work/output"
equal "the exit code is that of the tests" 8 $?

equal "each test has a start and an end, in the order of the run" "begin 8
start good 1
end good 1 passed 0 6
start bad 1
end bad 1 failed 3 0
start sk#ip\\ \"ped\" 1
end sk#ip\\ \"ped\" 1 skipped 9 0
start off 1
end off 1 disabled
start lost 1
end lost 1 not run
start killed 1
end killed 1 crashed 0
start late 1
end late 1 timeout 0
start text 1
end text 1 failed 0 11
finish" "$(show_events tests test attempt result exit output_bytes)"
equal "the lines are as their schema says" "" "$(tests/helpers/event_schema.py "$events")"
equal "why and how a test ended" "begin
start
end ['a', 'b c']
start
end
start
end
start
end Disabled
start
end Unable to find executable: /nonexistent/program
start
end 11
start
end
start
end ERR[A-Z]+
finish" "$(show_events labels signal pattern reason)"
equal "the totals" "finish 2 5" "$(show_events passed failed | tail -n 1)"

prove --exec cat "$work/tap" >"$work/proved" 2>&1
equal "a TAP harness finds the same failures" "  Failed tests:  2, 5-8" \
	"$(grep 'Failed tests' "$work/proved")"
equal "a test point for each test, with its reason" 'TAP version 14
ok 1 - good
not ok 2 - bad
  ---
  result: failed
  exit: 3
  seconds: T
  ...
ok 3 - sk\#ip\\ "ped" # SKIP skipped
ok 4 - off # SKIP Disabled
not ok 5 - lost
  ---
  result: not run
  reason: "Unable to find executable: /nonexistent/program"
  seconds: T
  ...' "$(sed 's/seconds: .*/seconds: T/' "$work/tap" | head -n 16)"
equal "the plan comes last" "1..8" "$(tail -n 1 "$work/tap")"

cctr -R bad --repeat until-pass:2 --events "$events" >"$work/output"
equal "each attempt is told" "begin
start 1
end 1 False
start 2
end 2 True
finish" "$(show_events attempt last)"

cctr -R good --events "$work/nowhere/events" --tap "$tree" >"$work/output"
code=$?
equal "files that cannot be made fail the run" 1 "$([ "$code" -ne 0 ] && grep -c '100% tests passed' "$work/output")"
equal "and are named" "nowhere/events:cannot be written: No such file or directory
a tree:cannot be written: Is a directory" \
	"$(sed -n 's/.*\(nowhere.events\|a tree\): *\(cannot be written.*\)/\1:\2/p' "$work/output")"

alone() {
	"$CCTR" --test-dir "$tree" "$@" </dev/null
}
alone -R good --tap - >"$work/tap" 2>"$work/output"
equal "a report to standard output has it alone" "TAP version 14, 1..1, 100% tests passed" \
	"$(head -n 1 "$work/tap"), $(tail -n 1 "$work/tap"), $(grep -o '100% tests passed' "$work/output")"
alone -R good --events - >"$events" 2>/dev/null
equal "also events" "begin
start
end
finish" "$(show_events)"
[ -e "$tree/-" ]
equal "no file is called -" 1 $?
alone -R good --events - >/dev/full 2>"$work/output"
equal "lost lines fail the run" 1 "$(grep -c '^cctr: standard output: cannot be written' "$work/output")"
equal "two reports cannot have it" "CMake Error: '--events -' and '--tap -' cannot both have standard output" \
	"$(cctr --tap - --events - 2>&1)"
equal "... if the environment asks for one" "CMake Error: '--events -' and '--tap -' cannot both have standard output" \
	"$(export CCTR_EVENTS=-; cctr --tap - 2>&1)"

declare_tests <<END
add_test(first "/bin/true")
add_test(waits "/bin/sh" "-c" ": >'$work/begun'; exec sleep 1000")
END
"$CCTR" --test-dir "$tree" --events "$events" --tap "$work/tap" >"$work/output" 2>&1 </dev/null &
program=$!
await test -e "$work/begun"
equal "an event is in the file while the run goes on" "end first" \
	"$(show_events test | grep ^end)"
kill -TERM "$program"
wait "$program"
equal "a run that was ended says so" "interrupted, Bail out! interrupted" \
	"$(show_events | tail -n 1), $(tail -n 1 "$work/tap")"
equal "... as the schema says" "" "$(tests/helpers/event_schema.py "$events")"
{
	cat "$events"
	echo '{"event":"end","time":1,"test":"a","number":0,"attempt":"1","result":"well","last":true,"more":1}'
	echo '{"event":"other","time":1}'
	echo '{"event":"warning","time":1}'
} >"$work/wrong"
equal "what is not as the schema says is found" "6 end.number
6 end.attempt
6 end.result
6 end: more
7 other
8 no text" "$(tests/helpers/event_schema.py "$work/wrong" | sed -E 's/^.*:([0-9]+)\.(number|attempt|result): .*/\1 end.\2/
	s/^.*:([0-9]+): more .*/\1 end: more/; s/^.*:([0-9]+): 0 kinds of event .other.$/\1 other/; s/^.*:([0-9]+): no text$/\1 no text/')"

# A pipe whose reader never reads: one page.
cat >"$work/pipe.py" <<'END'
import fcntl, os, subprocess, sys
reader, writer = os.pipe()
fcntl.fcntl(writer, 1031, 4096)
words = [*sys.argv[1:], "--events", f"/dev/fd/{writer}"]
run = subprocess.Popen(words, pass_fds=[writer], stdin=subprocess.DEVNULL)
os.close(writer)
sys.exit(run.wait())
END
seq 30 | sed 's|.*|add_test(test_&_with_a_name_that_is_rather_long "/bin/true")|' | declare_tests
timeout 250 python3 "$work/pipe.py" "$CCTR" --test-dir "$tree" >"$work/output" 2>&1
code=$?
equal "a reader that never reads stops no test" "100% tests passed, 0 tests failed out of 30" \
	"$(grep 'tests passed' "$work/output")"
equal "but its run fails" "1 cannot be written: Connection timed out" \
	"$([ "$code" -ne 0 ] && echo 1) $(grep -o 'cannot be written.*' "$work/output")"
mkfifo "$work/fifo"
cctr -R test_1_ --events "$work/fifo" >"$work/output"
equal "a FIFO without a reader is not waited for" \
	"cannot be written: No such device or address" \
	"$(grep -o 'cannot be written.*' "$work/output")"
finish
