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

# The report of a test in the log, without numbers of processes.
report() { # test
	sed -n "/\"$1\" start time/,/\"$1\" end time/p" "$log" | sed -n '/^Hang report/,/^---/p' |
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
equal "events, too" 3 "$(grep -c '"hang_report":"process [0-9]*, child of' "$work/events")"
rm "$log"
cctr -j4 --hang-report --launcher '{agent}' --nodes n1 >"$work/output"
report hangs >"$work/on_node"
equal "tests on nodes have the same" "$(sort "$work/hangs")" "$(sort "$work/on_node")"
equal "... those that pass none" "" "$(report good)"
finish
