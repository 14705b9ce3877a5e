#!/bin/sh
# --hang-report: what the processes of a test do at its limit. The limits count from a line of output.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
needs python3
[ -e /proc/self/stat ] || skip_all "no /proc"
tree="$work/tree"
mkdir "$tree"
log="$tree/Testing/Temporary/LastTest.log"

# The report of a test in the log.
whole_report() { # test
	sed -n "/\"$1\" start time/,/\"$1\" end time/p" "$log" | sed -n '/^Hang report/,/^---/p'
}
# Without stacks and numbers of processes.
report() { # test
	whole_report "$1" | sed '/^stacks of /,$d' |
		sed -E 's/(process|child of|thread) [0-9]+/\1 N/g; s/pipe:\[[0-9]+\]/pipe/'
}
declare_tests <<END
add_test(hangs "/bin/sh" "-c" "sleep 1111 >/dev/null & exec 3<'$tree/CTestTestfile.cmake'; echo begun; exec sleep 2222")
add_test(left "/bin/sh" "-c" "sleep 3333 & echo begun")
add_test(soft "/bin/sh" "-c" "echo begun; exec sleep 4444")
add_test(good "/bin/true")
set_tests_properties(hangs left soft PROPERTIES TIMEOUT 200 TIMEOUT_AFTER_MATCH "0.2;begun")
set_tests_properties(soft PROPERTIES TIMEOUT_SIGNAL_NAME SIGTERM)
END
CCTR_COMPAT_VERSION=4.4
cctr -j4 --output-junit "$work/before.xml" >"$work/before"
equal "without it there is no report" "8 0 0" \
	"$? $(grep -c '^Hang report' "$log") $(grep -c system-err "$work/before.xml")"
cctr -j4 --hang-report --output-junit "$work/junit.xml" --events "$work/events" >"$work/output"
equal "the tests fail as without it" 8 $?
equal "and the console says the same" "$(sed -n '/tests passed/p; /FAILED/,/^Errors/p' "$work/before")" \
	"$(sed -n '/tests passed/p; /FAILED/,/^Errors/p' "$work/output")"
report hangs >"$work/hangs"
equal "the report has each process of the test" "process N, child of N: sleep 1111
process N, child of N: sleep 2222" "$(grep '^process' "$work/hangs" | sort)"
equal "its threads and their states" "2" "$(grep -c '^  thread N (sleep): S' "$work/hangs")"
equal "and its open files" 1 "$(grep -c "^  file 3: $tree/CTestTestfile.cmake\$" "$work/hangs")"
equal "processes that a test has left are found" "process N, child of N: sleep 3333" \
	"$(report left | grep '^process')"
equal "a test is looked at before it gets its signal" "process N, child of N: sleep 4444" \
	"$(report soft | grep '^process')"
equal "a test that passes has no report" "" "$(report good)"
equal "JUnit has the reports" "hangs 2
left 1
soft 1" "$(python3 -c '
import sys, xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).getroot():
    said = case.find("system-err")
    if said is not None:
        print(case.get("name"), said.text.count("child of"))
' "$work/junit.xml" | sort)"
echo "BuildDirectory: $tree" >"$tree/DartConfiguration.tcl"
cctr -T Test -R hangs --hang-report >"$work/output"
equal "Test.xml, too" "2" "$(python3 -c '
import glob, sys, xml.etree.ElementTree as tree
path, = glob.glob(sys.argv[1] + "/Testing/*/Test.xml")
for measurement in tree.parse(path).iter("NamedMeasurement"):
    if measurement.get("name") == "Hang report":
        print(measurement.find("Value").text.count("child of"))
' "$tree")"
equal "events are as their schema says" "" "$(tests/helpers/event_schema.py "$work/events")"
equal "events, too" 3 "$(grep -c '"hang_report":"process [0-9]*, child of' "$work/events")"
rm "$log"
cctr -j4 --hang-report --launcher '{agent}' --nodes n1 >"$work/output"
report hangs >"$work/on_node"
equal "tests on nodes have the same" "$(sort "$work/hangs")" "$(sort "$work/on_node")"
equal "... those that pass none" "" "$(report good)"

# Debuggers: first those that only say that they are.
declare_tests <<END
add_test(hangs "/bin/sh" "-c" "echo begun; exec /bin/sleep 2222")
add_test(two "/bin/sh" "-c" "/bin/sleep 1111 & echo begun; exec /bin/sleep 2222")
set_tests_properties(hangs two PROPERTIES TIMEOUT 200 TIMEOUT_AFTER_MATCH "0.2;begun")
END
debugger() { # name, what it does
	mkdir -p "$work/bin"
	rm -f "$work"/bin/*
	printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
cctr_with() { # path, options...
	path=$1
	shift
	timeout 250 env PATH="$path" "$CCTR" --test-dir "$tree" --hang-report "$@" >"$work/output" 2>&1 </dev/null
}
stacks() { # test
	whole_report "$1" | sed -n '/^stacks of /,/^--/p' | sed '/^--/d' |
		sed -E 's/process [0-9]+/process N/; s/-p [0-9]+$/-p N/; s/^  [0-9]+$/  N/'
}
mkdir "$work/empty"
cctr_with "$work/empty" -R hangs
equal "without a debugger the report is as it was" "8 1 " "$? $(report hangs | grep -c '^process') $(stacks hangs)"
# shellcheck disable=SC2016 # for the debugger
debugger eu-stack 'echo "$@"; printf "first\\tline\\n\\nlast \"$DEBUGINFOD_URLS\""'
DEBUGINFOD_URLS=http://127.0.0.1:1 cctr_with "$work/bin" -R hangs
equal "eu-stack is asked, and may fetch nothing" 'stacks of process N, by eu-stack:
  -s -p N
  first line
  last ""' "$(stacks hangs)"
cctr_with "$work/bin" -R two
equal "each process is looked at" 2 "$(stacks two | grep -c '^stacks of process N')"
# shellcheck disable=SC2016 # for the debugger
debugger gstack 'echo "$@"; exit 3'
cctr_with "$work/bin" -R hangs
equal "gstack serves, too" "stacks of process N, by gstack:
  N" "$(stacks hangs)"
# shellcheck disable=SC2016 # for the debugger
debugger gdb 'while :; do echo 0123456789012345678901234567890123456789; done'
cctr_with "$work/bin" -R hangs
equal "one that writes too much is ended" "  gdb: it wrote too much" "$(stacks hangs | tail -n 1)"
debugger eu-stack "echo \$\$ >'$work/pids'; echo begun; sleep 3333 & echo \$! >>'$work/pids'; wait"
cctr_with "$work/bin:$PATH" -R hangs
equal "and one that takes too long" "stacks of process N, by eu-stack:
  begun
  eu-stack: it took too long" "$(stacks hangs)"
# shellcheck disable=SC2046 # two words
equal "with what it has started" "" "$(left $(cat "$work/pids"))"
equal "which is no time of the test's" yes "$(sed -n 's/^Test time = *\([0-9]*\)\..*/\1/p' "$log" |
	while read -r seconds; do [ "$seconds" -lt 5 ] && echo yes; done)"
debugger eu-stack "echo of a node"
cctr_with "$work/bin" -R hangs --launcher '{agent}' --nodes n1
equal "agents ask the debuggers of their nodes" "stacks of process N, by eu-stack:
  of a node" "$(stacks hangs)"
mkfifo "$work/asked"
debugger eu-stack "echo asked >'$work/asked'; exec sleep 4444"
PATH="$work/bin:$PATH" "$CCTR" --test-dir "$tree" --hang-report -R hangs >"$work/output" 2>&1 </dev/null &
read -r asked <"$work/asked"
kill -TERM $!
wait $!
equal "a signal ends the debugger, too" "143 asked 1" \
	"$? $asked $(grep -c '^Test time' "$log")"

# A real one, and a program with two threads.
command -v eu-stack >/dev/null || command -v gdb >/dev/null || skip_all "neither eu-stack nor gdb"
cat >"$work/threads.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t both;

__attribute__((noinline)) void
wait_in_second(void)
{
	pthread_barrier_wait(&both);
	for (;;)
		pause();
}

__attribute__((noinline)) void
wait_in_first(void)
{
	pthread_barrier_wait(&both);
	puts("begun");
	fflush(stdout);
	for (;;)
		pause();
}

static void *
run_second(void *nothing)
{
	wait_in_second();
	return nothing;
}

int
main(void)
{
	pthread_t second;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&second, NULL, run_second, NULL);
	wait_in_first();
	return 0;
}
END
"${CC:-cc}" -g -pthread -o "$work/threads" "$work/threads.c" 2>"$work/output" || skip_all "no C compiler"
declare_tests <<END
add_test(threads "$work/threads")
set_tests_properties(threads PROPERTIES TIMEOUT 200 TIMEOUT_AFTER_MATCH "0.1;begun")
END
cctr --hang-report --output-junit "$work/junit.xml" >"$work/output"
whole_report threads >"$work/threads.txt"
grep -q 'not permitted' "$work/threads.txt" && skip_all "processes may not be traced"
equal "the stacks of both threads are there" "wait_in_first wait_in_second" \
	"$(grep -o 'wait_in_[a-z]*' "$work/threads.txt" | sort -u | paste -sd ' ')"
equal "in the file for JUnit, too" 2 "$(grep -o 'wait_in_[a-z]*' "$work/junit.xml" | sort -u | grep -c .)"
cctr -T Test --hang-report >"$work/output"
equal "and in Test.xml" 2 "$(cat "$tree"/Testing/*/Test.xml | grep -o 'wait_in_[a-z]*' | sort -u | grep -c .)"
finish
