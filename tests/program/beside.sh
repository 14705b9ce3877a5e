#!/bin/sh
# Two runs in one build tree at the same time: each has its own files until they are whole.
set -u
. tests/meta/tap.sh

own_folder
export CCTR CCTR_COMPAT_VERSION=3.25 WORK="$work"
# The second run begins and ends within a test of the first.
cat >"$work/CTestTestfile.cmake" <<'END'
add_test(outer sh -c "\$CCTR --test-dir \$WORK -R inner --output-junit inner.xml -O \$WORK/inner.txt; echo ended with \$?")
add_test(inner echo "of both")
add_test(fails sh -c "exit 1")
set_tests_properties(inner PROPERTIES DEPENDS outer)
set_tests_properties(outer PROPERTIES PASS_REGULAR_EXPRESSION "ended with 0")
END
"$CCTR" --test-dir "$work" --output-junit inner.xml -O "$work/inner.txt" >"$work/output" 2>&1
status=$?
log=$work/Testing/Temporary/LastTest.log

check "both have written what they have to" \
	"$([ $status = 8 ] || echo "status $status"; grep -E 'cctr:|cannot' "$work/output")"
check "the log is of the last one alone" "$(is "$(grep -E '^(./. Test|Start|End).*:' "$log" |
	grep -v Passed | sed 's/ing: [A-Z].*/ing/')" "Start testing
1/3 Testing: outer
1/3 Test: outer
2/3 Testing: inner
2/3 Test: inner
3/3 Testing: fails
3/3 Test: fails
End testing")"
check "so is what JUnit reads" "$(is "$(grep -c '<testcase' "$work/inner.xml")" 3)"
check "and what -O has" "$(is "$(grep -oE '^Test project|Start [0-9]: .*' "$work/inner.txt")" \
"Test project
Start 1: outer
Start 2: inner
Start 3: fails")"
check "no temporary file is left" "$(cd "$work" && find . -name '*.tmp' -o -name '*.cases')"

finish
