#!/bin/sh
# Commands of a script without ctest_start: below the build directory, or an error.
set -u
. tests/meta/tap.sh
own_scripts

export CCTR_COMPAT_VERSION=3.25
cat >s.cmake <<'END'
set(CTEST_RUN_CURRENT_SCRIPT OFF)
set(CTEST_SOURCE_DIRECTORY "${CTEST_SCRIPT_DIRECTORY}")
set(CTEST_BINARY_DIRECTORY "${CTEST_SCRIPT_DIRECTORY}/b")
set(CTEST_CONFIGURE_COMMAND "echo configured")
set(CTEST_BUILD_COMMAND "echo built")
set(CTEST_COVERAGE_COMMAND true)
set(CTEST_MEMORYCHECK_COMMAND true)
set(CTEST_MEMORYCHECK_TYPE AddressSanitizer)
set(CTEST_UPDATE_COMMAND git)
set(CTEST_UPDATE_VERSION_ONLY ON)
set(CTEST_NOTES_FILES "${CTEST_SCRIPT_DIRECTORY}/s.cmake")
include(${COMMAND}.cmake)
END
# The files that are left, in order.
leaves() { # command
	rm -rf b
	mkdir b
	echo 'add_test(good "/bin/true")' >b/CTestTestfile.cmake
	echo "$1" >command.cmake
	"$cctr" -S s.cmake -DCOMMAND=command >out 2>err
	echo "$?" >status
	(cd b/Testing/Temporary 2>/dev/null && ls) | grep -v '^cctr-timings'
}
no_tag="Current Tag empty, this may mean NightlyStartTime"

check "ctest_build" "$(is "$(leaves 'ctest_build()')" LastBuild.log)"
check "ctest_test" "$(is "$(leaves 'ctest_test()')" "CTestCostData.txt
LastTest.log")"
check "ctest_memcheck" "$(is "$(leaves 'ctest_memcheck()' | grep -v MemoryChecker)" \
	"CTestCostData.txt
LastDynamicAnalysis.log")"
check "ctest_coverage" "$(is "$(leaves 'ctest_coverage()')" LastCoverage.log)"
check "ctest_update" "$(is "$(leaves 'ctest_update()')" "")"
check "ctest_update has no log" "$(grep -qx "Cannot open log file" err || cat out err)"
for command in 'ctest_configure()' 'ctest_upload(FILES s.cmake)' 'ctest_submit(PARTS Notes)' \
	'ctest_update()'; do
	leaves "$command" >left
	check "$command is an error" "$(is "$(cat status)" 255)"
	check "... that says why" "$(grep -q "^$no_tag" err || cat out err)"
done
finish
