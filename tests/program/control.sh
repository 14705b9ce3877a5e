#!/bin/sh
# cctr ctl: looking into a run, and what is asked of it.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree "a tree"
socket="$tree/Testing/Temporary/cctr.sock"
ctl() {
	timeout 60 "$CCTR" ctl --test-dir "$tree" "$@" 2>&1 </dev/null
}
# Tests that run until their file is there.
declare_waiting() { # names...
	for name in "$@"; do
		echo "add_test($name \"/bin/sh\" \"-c\" \"echo begun; touch '$work/$name.begun'; until [ -e '$work/$name.go' ]; do sleep 0.01; done\")"
	done | declare_tests
}
begin() { # options
	rm -f "$work"/*.go "$work"/*.begun
	"$CCTR" --test-dir "$tree" "$@" >"$work/output" 2>&1 </dev/null &
	program=$!
}
go() { # names...
	for name in "$@"; do
		: >"$work/$name.go"
	done
}
end() {
	wait $program
	status=$?
}
sockets() {
	find "$tree/Testing/Temporary" -name '*sock*'
}
without_numbers() {
	sed -E 's/[0-9]+\.[0-9]+ s\b/N s/g'
}

# ---- looking ---------------------------------------------------------------------------

check "without a run ctl fails" "$(is "$(ctl ps; echo $?)" \
	"cctr: ctl: no run can be asked by $socket: no such file or directory
1")"
declare_waiting one two
cat >>"$tree/CTestTestfile.cmake" <<'END'
add_test(three "/bin/true")
set_tests_properties(three PROPERTIES DEPENDS one)
set_tests_properties(two PROPERTIES TIMEOUT 500)
END
begin -j2
await test -e "$work/two.begun"
check "the socket is of this user alone" "$(is "$(stat -c '%F %a' "$socket")" "socket 600")"
check "ps says what runs" "$(is "$(ctl ps | without_numbers | sort)" "0 of 3 tests have ended, 0 failed
1 one runs for N s, N s left
2 two runs for N s, N s left")"
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	check "why the run cannot be asked" "$(is "$(traced -qq -o /dev/null -e trace=poll \
		-e inject=poll:error=ENOMEM "$CCTR" ctl --test-dir "$tree" ps 2>&1)" \
		"cctr: ctl: the run cannot be asked: not enough memory")"
	traced -qq -o "$work/trace" -e trace=openat "$CCTR" ctl runs >/dev/null 2>&1
	at=$(grep -n '"/proc/net/unix"' "$work/trace" | cut -d : -f 1)
	check "runs that cannot be found are not none" "$(is "$(traced -qq -o /dev/null -e trace=openat \
		-e "inject=openat:error=EMFILE:when=$at" "$CCTR" ctl runs 2>&1; echo $?)" \
		"cctr: ctl: the runs of this machine cannot be found: too many open files
1")"
fi
check "... as JSON" "$(is "$(ctl --json ps | python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(answer["version"], answer["status"], answer["tests"], answer["ended"], [t["test"] for t in answer["running"]],
      400 < [t for t in answer["running"] if t["test"] == "two"][0]["left"] <= 500)')" \
	"1 ok 3 0 ['one', 'two'] True")"
check "why says what a test waits for" "$(is "$(ctl why three)" "3 three waits for dependency of one")"
check "... by its number" "$(is "$(ctl why 3)" "3 three waits for dependency of one")"
check "a test that is not there is an error" "$(is "$(ctl why four; echo $?)" \
	"cctr: ctl: the run has no such test
1")"
check "tail says what a test has written" "$(is "$(ctl tail two)" begun)"
check "runs lists the run" "$(is "$(ctl runs | grep "^$program ")" "$program $tree")"
check "a run is found by its process" "$(is "$("$CCTR" ctl --pid $program why three)" \
	"3 three waits for dependency of one")"

# ---- waiting ---------------------------------------------------------------------------

open_sockets() {
	find "/proc/$program/fd" -lname 'socket:*' | wc -l
}
has_clients() { # number
	[ "$(open_sockets)" -ge $((before + $1)) ]
}
before=$(open_sockets)
ctl wait one >"$work/waited" &
waiting=$!
ctl wait >"$work/ended" &
all=$!
await has_clients 2
go one
wait $waiting
check "wait ends with the test" "$(is "$(cat "$work/waited")" "1 one has ended: passed")"
go two
end
check "the run passes" "$(is "$status" 0)"
wait $all
check "wait ends with the run" "$(is "$(cat "$work/ended")" "3 of 3 tests have ended, 0 failed")"
check "no socket is left" "$(sockets)"

declare_tests <<END
add_test(fails "/bin/sh" "-c" "touch '$work/fails.begun'; until [ -e '$work/fails.go' ]; do sleep 0.01; done; exit 1")
add_test(never "/bin/true")
END
begin -j1 --stop-on-failure
await test -e "$work/fails.begun"
before=$(open_sockets)
ctl wait never >"$work/waited" &
waiting=$!
ctl wait >"$work/ended" &
all=$!
await has_clients 2
go fails
end
wait $waiting
check "wait tells a test that has not run" "$(is "$? $(cat "$work/waited")" \
	"1 cctr: ctl: the test has not run, and the run has ended")"
wait $all
check "... and the end of such a run" "$(is "$? $(cat "$work/ended")" "0 1 of 2 tests have ended, 1 failed")"

# ---- what is asked ---------------------------------------------------------------------

declare_waiting one two three
begin -j1
await test -e "$work/one.begun"
check "pause" "$(is "$(ctl pause)" "0 of 3 tests have ended, 0 failed, paused")"
go one
ctl wait one >/dev/null
check "nothing starts then" "$(is "$(ctl ps)" "1 of 3 tests have ended, 0 failed, paused")"
check "resume" "$(is "$(ctl resume)" "1 of 3 tests have ended, 0 failed")"
await test -e "$work/two.begun"
left_of_two() {
	ctl --json why two | python3 -c 'import json, sys; print(round(json.load(sys.stdin)["left"] / 600))'
}
before=$(left_of_two)
ctl limit two +20m >/dev/null
check "limit moves the limit" "$(is "$(left_of_two)" $((before + 2)))"
ctl limit two -10m >/dev/null
check "... both ways" "$(is "$(left_of_two)" $((before + 1)))"
check "a limit that is no time is refused" "$(is "$(ctl limit two soon; echo $?)" \
	"cctr: ctl: limit: a time is missing, such as +60s
2")"
check "cancel ends a test" "$(is "$(ctl cancel three)" "3 three waits for slots: 1 wanted, 0 free")"
ctl cancel two >/dev/null
end
check "a canceled test has failed" "$(is "$status $(grep -c '2/3 Test #2: two .*\*\*\*Failed  *[Cc]anceled' "$work/output")" "8 1")"
check "... or has not run" "$(is "$(grep -c '3/3 Test #3: three .*\*\*\*Not Run (canceled)' "$work/output")" 1)"
check "... and is in the list of failed tests" "$(is "$(cat "$tree/Testing/Temporary/LastTestsFailed.log")" "2:two
3:three")"

declare_waiting one two three
begin -j1
await test -e "$work/one.begun"
ctl stop >/dev/null
go one
end
check "stop: nothing starts any more, and the run has failed" "$(is "$status $(grep -c 'Not Run (canceled)' "$work/output")" "8 2")"

cat <<'END' | declare_tests
add_test(kind "/bin/sh" "-c" "trap 'exit 0' TERM; touch '$ENV{WORK}/kind.begun'; while :; do sleep 0.01; done")
set_tests_properties(kind PROPERTIES TIMEOUT_SIGNAL_NAME SIGTERM TIMEOUT_SIGNAL_GRACE_PERIOD 5)
END
export WORK="$work"
begin --compat-version 4.3
await test -e "$work/kind.begun"
ctl cancel kind >/dev/null
end
check "a canceled test that exits with 0 has failed" "$(is "$status $(grep -c 'kind .*\*\*\*Failed  *[Cc]anceled' "$work/output")" "8 1")"

# ---- trying again ----------------------------------------------------------------------

# Each attempt of $1 says that it has begun.
retry() { # test
	await test -e "$work/$1.begun"
	rm "$work/$1.begun"
	ctl retry "$1" >/dev/null
	await test -e "$work/$1.begun"
}
results_of() { # test
	grep "Test *#.* $1 " "$work/output" | sed -E 's/^ *//; s/Test .*\*\*\*|Test .* (Passed)/\1/; s/  +.*//'
}

declare_waiting sets_up uses waits
cat >>"$tree/CTestTestfile.cmake" <<'END'
set_tests_properties(sets_up PROPERTIES FIXTURES_SETUP f)
set_tests_properties(uses PROPERTIES FIXTURES_REQUIRED f)
END
rm "$tree/Testing/Temporary/LastTestsFailed.log"
begin -j1 --stop-on-failure --output-junit "$work/junit.xml"
retry sets_up
check "retry: the test runs again" "$(is "$(ctl --json why sets_up | grep -o '"attempt":[0-9]*')" '"attempt":2')"
retry sets_up
check "... as often as it is asked for" "$(is "$(ctl --json why sets_up | grep -o '"attempt":[0-9]*')" '"attempt":3')"
check "... not if it waits" "$(is "$(ctl retry uses; echo $?)" \
	"cctr: ctl: the test has not started in this run
1")"
go sets_up uses
await test -e "$work/waits.begun"
check "... nor if it has ended, and those that need it have started" "$(is "$(ctl retry sets_up; echo $?)" \
	"cctr: ctl: uses, which depends on it, has started
1")"
go waits
end
check "only its last attempt counts, also for a fixture and for --stop-on-failure" "$(is \
	"$status $(grep -c '100% tests passed' "$work/output")" "0 1")"
check "... each is shown" "$(is "$(results_of sets_up)" "1/3 Failed
1/3 Failed
1/3 Passed")"
check "... JUnit has one" "$(is "$(grep -c '<testcase name="sets_up"' "$work/junit.xml")" 1)"
check "... no test is in the list of failed tests" "$(cat "$tree/Testing/Temporary/LastTestsFailed.log" 2>/dev/null)"

cat <<'END' | declare_tests
add_test(one "/bin/sh" "-c" "touch '$ENV{WORK}/one.begun'; until [ -e '$ENV{WORK}/one.go' ]; do sleep 0.01; done; echo >>'$ENV{WORK}/runs'; [ $(wc -l <'$ENV{WORK}/runs') -gt 2 ]")
END
begin --repeat until-pass:3
retry one
go one
end
check "an attempt that was retried is none of --repeat's" "$(is "$status $(results_of one | grep -c Failed)" "0 3")"
rm "$work/runs"
begin --repeat until-pass:2
retry one
go one
end
check "... and gives it none" "$(is "$status $(results_of one | grep -c Failed)" "8 3")"

declare_waiting one two
begin -j1
await test -e "$work/one.begun"
ctl stop >/dev/null
check "after a stop no test is tried again" "$(is "$(ctl retry one)" \
	"cctr: ctl: no test starts any more")"
go one
end
declare_waiting one
begin
# Both requests are read before the run goes on.
await test -e "$work/one.begun"
python3 - "$socket" <<'END' >/dev/null
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"version":1,"verb":"retry","test":"one"}\n{"version":1,"verb":"cancel","test":"one"}\n')
s.makefile("rb").readline()
s.makefile("rb").readline()
END
end
check "cancel after retry: the test has failed" "$(is "$status $(results_of one)" "8 1/1 Failed")"

# ---- trying again what has ended -------------------------------------------------------

# Passes where its file is there; says which attempt it is.
declare_mended() { # names...
	for name in "$@"; do
		echo "add_test($name \"/bin/sh\" \"-c\" \"echo $name >>'$work/order'; [ -e '$work/$name.mended' ]\")"
	done >>"$tree/CTestTestfile.cmake"
}
again() { # test
	ctl retry "$1" >/dev/null && ctl wait "$1"
}
begin_again() { # options
	rm -rf "$work"/*.mended "$work/order" "$tree/Testing"
	begin -j1 "$@"
	await test -e "$work/holds.begun"
}
failed_list() {
	cat "$tree"/Testing/Temporary/LastTestsFailed*.log 2>/dev/null
}
: >"$tree/DartConfiguration.tcl"
declare_waiting holds
declare_mended other breaks
cat >>"$tree/CTestTestfile.cmake" <<'END'
set_tests_properties(other breaks PROPERTIES COST 10)
add_test(disabled /bin/true)
set_tests_properties(disabled PROPERTIES DISABLED 1 COST 10)
add_test(depends /bin/true)
set_tests_properties(depends PROPERTIES DEPENDS other)
END
begin_again -j2 -T Test --output-junit "$work/junit.xml" --repeat after-timeout:2 --flaky pass --events "$work/events" --trace "$work/trace" --history on
ctl wait breaks >/dev/null
await sh -c "grep -q breaks '$tree'/Testing/Temporary/LastTestsFailed_*.log"
: >"$work/breaks.mended"
text=$(again breaks)
check "a test that has ended is tried again" "$(is "$text" "3 breaks has ended: passed")"
check "... and is in the list of failed tests no more" "$(is "$(failed_list | grep -c breaks)" 0)"
rm "$work/breaks.mended"
check "... as often as it is asked for" "$(is "$(again breaks)" "3 breaks has ended: failed")"
: >"$work/breaks.mended"
again breaks >/dev/null
check "... not where others have started that depend on it" "$(is "$(ctl retry other)" \
	"cctr: ctl: depends, which depends on it, has started")"
check "... nor if it is disabled" "$(is "$(ctl retry disabled)" "cctr: ctl: the test is disabled")"
go holds
end
check "only its last attempt counts" "$(is "$status $(grep -c '80% \|75% tests passed, 1 tests failed out of 4' "$work/output")" "8 1")"
check "... all four are shown, and in the log" "$(is "$(results_of breaks | sed 's/^[0-9/]* //') \
$(grep -c '^3/5 Testing: breaks$' "$tree"/Testing/Temporary/LastTest_*.log)" "Failed
Passed
Failed
Passed 4")"
check "... the list has what failed" "$(is "$(cat "$tree"/Testing/Temporary/LastTestsFailed_*.log)" 2:other)"
read -r folder <"$tree/Testing/TAG"
xml="$tree/Testing/$folder/Test.xml"
check "... Test.xml has it once" "$(is "$(grep -c '<Test>./breaks</Test>' "$xml") $(grep -c '<Test Status=.*' "$xml") \
$(grep -A1 '<Test Status="passed"' "$xml" | grep -c '<Name>breaks')" "1 5 1")"
check "... JUnit, too, with the attempts that failed" "$(is "$(python3 - "$work/junit.xml" <<'END'
import sys
from xml.etree import ElementTree
suite = ElementTree.parse(sys.argv[1]).getroot()
print(suite.get("tests"), suite.get("failures"))
for case in suite:
    if case.get("name") == "breaks":
        print(case.get("status"), [child.tag for child in case])
END
)" "5 1
run ['flakyFailure', 'flakyFailure', 'system-out']")"
check "... the events are as their schema says" "$(tests/helpers/event_schema.py "$work/events")"
check "... the events know each" "$(is "$(python3 - "$work/events" <<'END'
import json, sys
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event.get("test") == "breaks" and event["event"] != "start":
        print(event["event"], event["attempt"], event.get("result", ""))
END
)" "end 1 failed
retry 1 
end 2 passed
retry 2 
end 3 failed
retry 3 
end 4 passed")"
check "... and so does the history" "$(is "$("$CCTR" history --test-dir "$tree" --json breaks | grep -o '"last":[a-z]*' | tr '\n' ' ')" \
	'"last":true "last":false "last":false "last":false ')"

: >"$tree/CTestTestfile.cmake"
declare_mended first
declare_waiting holds
declare_mended first second
cat >>"$tree/CTestTestfile.cmake" <<'END'
set_tests_properties(first PROPERTIES COST 10)
set_tests_properties(second PROPERTIES DEPENDS first)
END
begin_again
ctl retry first >/dev/null
check "a test that waits for one that is tried again waits for it" "$(is "$(ctl why second)" "3 second waits for dependency of first")"
: >"$work/first.mended"
: >"$work/second.mended"
go holds
end
check "... until that has ended" "$(is "$status $(tr '\n' ' ' <"$work/order")" "0 first first second ")"
check "... and the run leaves no list of failed tests" "$(failed_list)"

begin_again --tap "$work/tap"
check "a file that cannot take back its result keeps it" "$(is "$(ctl retry first)" "cctr: ctl: the test has ended, and the file of TAP keeps its result")"
go holds
end
begin_again -j2 -E second
: >"$work/first.mended"
again first >/dev/null
rm "$work/first.mended"
again first >/dev/null
kill -KILL $program
wait $program 2>/dev/null
go holds
: >"$work/first.mended"
: >"$work/second.mended"
check "-F runs a test whose last attempt did not pass" "$(is "$(cctr -F | grep -c 'first .*Passed')" 1)"

# Nothing starts any more when the second one has failed.
: >"$tree/CTestTestfile.cmake"
declare_mended first
echo 'set_tests_properties(first PROPERTIES COST 10 PASS_REGULAR_EXPRESSION "^")' >>"$tree/CTestTestfile.cmake"
echo "add_test(holds \"/bin/sh\" \"-c\" \"touch '$work/holds.begun'; until [ -e '$work/holds.go' ]; do sleep 0.01; done; exit 1\")" \
	>>"$tree/CTestTestfile.cmake"
begin_again --stop-on-failure
ctl retry first >/dev/null
go holds
end
check "a test that is to be tried again, and is not, has not run" "$(is "$status $(failed_list | tr '\n' ' ')" "8 1:first 2:holds ")"

# ---- every verb in every state ---------------------------------------------------------

declare_waiting runs waits
echo 'add_test(ended "true")
add_test(disabled "true")
set_tests_properties(ended disabled PROPERTIES COST 10)
set_tests_properties(disabled PROPERTIES DISABLED 1)
set_tests_properties(runs PROPERTIES TIMEOUT 900)' >>"$tree/CTestTestfile.cmake"
begin -j1
await test -e "$work/runs.begun"
for verb in ps "why runs" "tail runs" "tail waits" "limit runs +1s" pause resume partitions "reconfig --start gpus=1" \
	"wait ended" "retry waits" "cancel disabled" "wait --partition p"; do
	# shellcheck disable=SC2086 # they are words
	ctl --json $verb
done >"$work/answers"
check "--json: each verb answers with a line" "$(is "$(python3 -c '
import json, sys
answers = [json.loads(line) for line in open(sys.argv[1])]
print(*[a["status"] if ("reason" in a) == (a["status"] == "error") and a["version"] == 1 else a for a in answers])' \
	"$work/answers")" "ok ok ok error ok ok ok error error ok error error error")"
for test in ended disabled runs waits absent; do
	for verb in wait why tail "limit +1s" retry cancel; do
		# What runs goes on, and what has not ended is waited for.
		case "$test $verb" in "runs retry" | "runs cancel" | runs\ wait | waits\ wait) continue ;; esac
		# shellcheck disable=SC2086 # they are two words
		echo "$verb $test: $(ctl ${verb%% *} $test ${verb#"${verb%% *}"})"
	done
done | sed -E 's/[0-9]+\.[0-9]+ s\b/N s/g; s/: cctr: ctl: /: no: /' >"$work/table"
check "every verb in every state" "$(is "$(cat "$work/table")" "wait ended: 3 ended has ended: passed
why ended: 3 ended has ended: passed
tail ended: no: the test does not run
limit +1s ended: no: the test does not run, or has no limit
retry ended: 3 ended waits for slots: 1 wanted, 0 free
cancel ended: 3 ended waits for slots: 1 wanted, 0 free
wait disabled: 4 disabled has ended: disabled
why disabled: 4 disabled has ended: disabled
tail disabled: no: the test does not run
limit +1s disabled: no: the test does not run, or has no limit
retry disabled: no: the test is disabled
cancel disabled: no: the test has ended
why runs: 1 runs runs for N s, N s left
tail runs: begun
limit +1s runs: 1 runs runs for N s, N s left
why waits: 2 waits waits for slots: 1 wanted, 0 free
tail waits: no: the test does not run
limit +1s waits: no: the test does not run, or has no limit
retry waits: no: the test has not started in this run
cancel waits: 2 waits waits for slots: 1 wanted, 0 free
wait absent: no: the run has no such test
why absent: no: the run has no such test
tail absent: no: the run has no such test
limit +1s absent: no: the run has no such test
retry absent: no: the run has no such test
cancel absent: no: the run has no such test")"
for verb in ps pause ps pause partitions "reconfig --stop p" "wait --partition p" resume resume stop ps stop pause resume "why runs"; do
	# shellcheck disable=SC2086 # they are words
	echo "$verb: $(ctl $verb | head -n 1)"
done | sed -E 's/[0-9]+\.[0-9]+ s\b/N s/g; s/: cctr: ctl: /: no: /' >"$work/table"
check "... of the run" "$(is "$(cat "$work/table")" "ps: 1 runs runs for N s, N s left
pause: 1 of 4 tests have ended, 0 failed, paused
ps: 1 runs runs for N s, N s left
pause: 1 of 4 tests have ended, 0 failed, paused
partitions: no: the run has no partitions: see --partition
reconfig --stop p: no: the run has no partitions: see --partition
wait --partition p: no: the run has no such partition
resume: 1 of 4 tests have ended, 0 failed
resume: 1 of 4 tests have ended, 0 failed
stop: 1 of 4 tests have ended, 0 failed
ps: 1 runs runs for N s, N s left
stop: 1 of 4 tests have ended, 0 failed
pause: 1 of 4 tests have ended, 0 failed, paused
resume: 1 of 4 tests have ended, 0 failed
why runs: 1 runs runs for N s, N s left")"
go runs waits
end
check "... the canceled ones have not run" "$(is "$status $(grep -c 'Not Run (canceled)' "$work/output")" "8 2")"

declare_waiting one
begin
await test -e "$work/one.begun"
python3 - "$socket" <<'END' >"$work/answers"
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"version":1,"verb":"cancel","test":"one"}\n{"version":1,"verb":"limit","test":"one","seconds":1e7}\n')
answers = s.makefile("rb")
print(json.loads(answers.readline())["status"], json.loads(answers.readline())["status"])
END
await is_gone $program || go one
end
check "a test that is canceled gets no more time" "$(is "$status $(cat "$work/answers")" "8 ok error")"

# ---- tests on other nodes --------------------------------------------------------------

declare_waiting one two
begin -j2 --launcher '{agent}' --nodes n1
await test -e "$work/two.begun"
await sh -c "'$CCTR' ctl --test-dir '$tree' tail two | grep -q begun" # it comes through the agent
check "tests of agents: tail" "$(is "$(ctl tail two)" begun)"
ctl cancel two >/dev/null
ctl wait two >/dev/null
retry one
go one
end
check "... and retry" "$(is "$(results_of one)" "2/2 Failed
2/2 Passed")"
check "... and cancel" "$(is "$status $(grep -c 'two .*\*\*\*Failed  *[Cc]anceled' "$work/output")" "8 1")"

cat >"$work/nodes.py" <<'END'
import json, os, socket, sys, time
v = [socket.socket(socket.AF_UNIX) for _ in range(200)]
answers = []
for s in v:
    s.connect(os.environ["CCTR_SOCKET"])
    try:
        s.sendall(b'{"version":1,"verb":"hello"}\n')
    except BrokenPipeError: # it is refused already
        pass
    answers.append(json.loads(s.makefile("rb").readline() or b'{"status":"none"}')["status"])
open(sys.argv[1], "w").write("".join(a + "\n" for a in answers))
while not os.path.exists(sys.argv[2]):
    time.sleep(0.01)
END
for name in one two; do
	echo "add_test($name python3 \"$work/nodes.py\" \"$work/$name.answers\" \"$work/all.go\")"
	echo "set_tests_properties($name PROPERTIES PROCESSORS 2)"
done | declare_tests
begin -j4 --launcher '{agent}' --nodes n1,n2
await test -s "$work/one.answers"
await test -s "$work/two.answers"
go all
end
check "... and many who ask on several nodes" "$(is "$status $(sort "$work/one.answers" "$work/two.answers" | uniq -c | xargs)" \
	"0 144 error 256 ok")"

# While cctr reads nothing, its agent does not keep all that a test says.
cat >"$work/talk.py" <<'END'
import os, socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["CCTR_SOCKET"])
s.settimeout(2)
open(sys.argv[1] + "/talks.begun", "w").close()
while not os.path.exists(sys.argv[1] + "/stopped"):
    time.sleep(0.01)
said = 0
try:
    while said < 1 << 25:
        said += s.send(b'{"version":1,"verb":"ps"}\n' * 1000)
    text = "all is taken"
except OSError as e:
    text = "held" if isinstance(e, TimeoutError) else "closed"
with open(sys.argv[1] + "/talked", "w") as f:
    f.write(text)
END
echo "add_test(talks python3 \"$work/talk.py\" \"$work\")" | declare_tests
begin -j2 --launcher '{agent}' --nodes n1
await test -e "$work/talks.begun"
kill -STOP $program
: >"$work/stopped"
await test -s "$work/talked"
kill -CONT $program
end
check "... and a test that says too much" "$(is "$status $(cat "$work/talked")" "0 held")"

if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	echo "add_test(asks /bin/sh -c \"timeout 2 '$CCTR' ctl why asks; true\")" | declare_tests
	traced -f -qq -o "$work/trace" -e trace=accept4 -e inject=accept4:error=EMFILE \
		"$CCTR" --test-dir "$tree" --launcher '{agent}' --nodes n1 >/dev/null 2>&1
	n=$(grep -c EMFILE "$work/trace")
	check "... an agent without descriptors waits for some" "$([ "$n" -gt 0 ] && [ "$n" -lt 10 ] || echo "$n tries")"
fi

# ---- tests look, too -------------------------------------------------------------------

declare_tests <<END
add_test(asks "$CCTR" ctl why asks)
add_test(sees "/bin/sh" "-c" "test -S \"\$CCTR_SOCKET\"")
END
text=$(cctr -V)
check "a test finds its run" "$(is "$(echo "$text" | grep '^1: 1 asks' | without_numbers)" "1: 1 asks runs for N s, N s left")"
check "... by a variable" "$(is "$(echo "$text" | grep -c 'sees .* Passed')" 1)"
text=$(cctr --control=off)
check "--control=off: no socket, no variable" "$(is "$(echo "$text" | grep -c '\*\*\*Failed')" 2)"
check "another value is refused" "$(is "$(cctr --control=maybe | grep -c "given unknown value")" 1)"

# ---- long answers ----------------------------------------------------------------------

# Each test takes a line from the pipe, which this shell keeps open.
mkfifo "$work/gate"
exec 9<>"$work/gate"
long_name=$(printf '%06000d' 0)
for name in $(seq -f 'one_of_many_tests_that_wait_at_the_gate_%.0f' 150) "$long_name"; do
	echo "add_test($name \"/bin/sh\" \"-c\" \"read line <'$work/gate'\")"
done | declare_tests
begin -j151 --timeout 900
all_run() {
	[ "$(ctl ps | grep -c ' runs for ')" = 151 ]
}
await all_run
check "ps of many tests as JSON" "$(is "$(ctl --json ps | python3 -c '
import json, sys
line = sys.stdin.read()
names = [t["test"] for t in json.loads(line)["running"]]
print(len(line) > 16384, line.count("\n"), len(names), len(set(names)), max(map(len, names)))')" "True 1 151 151 6000")"
check "why of a test with a long name" "$(is "$(ctl why 151 | without_numbers)" "151 $long_name runs for N s, N s left")"
check "... as JSON" "$(is "$(ctl --json why 151 | python3 -c '
import json, sys
print(len(json.load(sys.stdin)["test"]))')" 6000)"
ctl --json wait 151 >"$work/waited" &
waiting=$!
yes | head -n 151 >&9
end
wait $waiting
exec 9>&-
check "wait for it" "$(is "$status $(python3 -c '
import json, sys
answer = json.load(open(sys.argv[1]))
print(answer["status"], len(answer["test"]))' "$work/waited")" "0 ok 6000")"

# ---- those who do not behave -----------------------------------------------------------

cat >"$work/rude.py" <<'END'
import socket, sys, time, json
def open_socket():
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.settimeout(60)
    return s
def ask(s, text):
    s.sendall(text)
    return s.makefile("rb").readline().decode()
s = open_socket()
for line in (b"\n", b"{}\n", b"[]\n", b"nonsense\n", b'{"version":2,"verb":"ps"}\n', b'{"version":1}\n',
             b'{"version":1,"verb":"why"}\n', b'{"version":1,"verb":"fly"}\n', b'{"version":1,"verb":"ps","x":1}\n',
             b'{"version":1,"verb":"limit","test":"1","seconds":1e999}\n', b"\xff\x00\xfe\n", b"[" * 5000 + b"\n"):
    print(json.loads(ask(s, line))["status"])
half = [open_socket() for _ in range(20)]
for h in half:
    h.sendall(b'{"version":1,')
print("half:", json.loads(ask(half[0], b'"verb":"ps"}\n'))["status"])
deaf = open_socket()
deaf.settimeout(1)
try:
    while True:
        deaf.sendall(b'{"version":1,"verb":"ps"}\n' * 1000)
except OSError as e:
    print("deaf is", "closed" if not isinstance(e, TimeoutError) else "stuck")
long = open_socket()
try:
    for _ in range(1000):
        long.sendall(b"x" * 65536)
except OSError:
    print("long is closed")
print(json.loads(ask(open_socket(), b'{"version":1,"verb":"ps"}\n'))["status"])
many = [open_socket() for _ in range(400)]
for m in many:
    m.settimeout(0.001)
def refused(m):
    try:
        return b"too many ask at the same time" in m.recv(1000)
    except TimeoutError:
        return False
print("turned away:", 0 < sum(map(refused, many)) < 200)
for m in many:
    m.close()
END
declare_waiting one
begin
await test -e "$work/one.begun"
check "rubbish is answered, and costs the run nothing" "$(is "$(python3 "$work/rude.py" "$socket" | sort | uniq -c | sed 's/^ *//')" \
	"1 deaf is closed
12 error
1 half: ok
1 long is closed
1 ok
1 turned away: True")"
check "... it still answers" "$(is "$(ctl why one | without_numbers)" "1 one runs for N s, N s left")"
cat >"$work/many.py" <<'END'
import os, signal, socket, sys, time, json
pid = int(sys.argv[2])
os.kill(pid, signal.SIGSTOP)
v = [socket.socket(socket.AF_UNIX) for _ in range(200)]
try:
    for s in v:
        s.setblocking(False)
        s.connect(sys.argv[1])
        s.sendall(b'{"version":1,"verb":"hello"}\n{"version":1,"verb":"wait"}\n')
finally:
    os.kill(pid, signal.SIGCONT)
for s in v:
    s.setblocking(True)
answers = [s.makefile("rb") for s in v]
def status(answer):
    return json.loads(answer.readline())["status"]
print({status(a) for a in answers})
open(sys.argv[3], "w").close()
print({status(a) for a in answers})
END
few_are_open() {
	[ "$(open_sockets)" -lt 20 ]
}
await few_are_open
python3 "$work/many.py" "$socket" $program "$work/one.go" >"$work/many" 2>&1
check "... and many who come and wait at the same time" "$(is "$(cat "$work/many")" "{'ok'}
{'ok'}")"
go one
end
check "... and passes" "$(is $status 0)"

# ---- two runs, long paths, a run that was killed ----------------------------------------

begin
await test -e "$work/one.begun"
"$CCTR" --test-dir "$tree" >"$work/second" 2>&1 </dev/null &
second=$!
await sh -c "'$CCTR' ctl runs | grep -q '^$second '"
check "a second run in the tree has its own socket" "$(is "$("$CCTR" ctl runs | grep -c "^\($program\|$second\) $tree\$")" 2)"
check "... the tree's is that of the first" "$(is "$(ctl --json ps >/dev/null; "$CCTR" ctl --json runs | grep -c "\"pid\":$second,")" 1)"
go one
end
wait $second
begin
await test -e "$work/one.begun"
kill -KILL $program
wait $program 2>/dev/null
check "a run that was killed is not there" "$(is "$(ctl ps >/dev/null; echo $?)" 1)"
: >"$work/one.go"
check "the next run has the socket" "$(is "$(cctr | grep -c '100% tests passed')" 1)"
check "... and leaves none" "$(sockets)"

long=$work/$(printf '%0120d' 0)
mkdir "$long"
mv "$tree/CTestTestfile.cmake" "$long"
tree=$long
begin
await test -e "$work/one.begun"
check "a path that is too long for a socket" "$(is "$(ctl why one | without_numbers)" "1 one runs for N s, N s left")"
go one
end
check "... leaves nothing" "$(is $status 0; sockets)"
finish
