#!/bin/sh
# Who sees what CTestCustom.cmake sets when ctest_start reads it, and what
# an error that ends the file is to steps of the command line.
set -u
. tests/meta/tap.sh
own_scripts

echo 'set(CTEST_CUSTOM_MAXIMUM_NUMBER_OF_WARNINGS 2)' >CTestCustom.cmake
cat >s.cmake <<'END'
set(CTEST_SOURCE_DIRECTORY "${CTEST_SCRIPT_DIRECTORY}")
set(CTEST_BINARY_DIRECTORY "${CTEST_SCRIPT_DIRECTORY}")
ctest_start(Experimental QUIET)
message("[${CTEST_CUSTOM_MAXIMUM_NUMBER_OF_WARNINGS}]")
ctest_start(Continuous GROUP other APPEND QUIET)
END
for row in "3.25 []" "4.4 [2]"; do
	CCTR_COMPAT_VERSION=${row% *} "$cctr" -S s.cmake >out 2>err
	check "as ctest ${row% *}, and quiet" \
		"$([ "$(cat out err)" = "${row#* }" ] || cat out err)"
done

echo "BuildDirectory: $PWD" >DartConfiguration.tcl
echo 'add_test(good true)' >CTestTestfile.cmake
for error in "message(FATAL_ERROR x)" "set(A 1 CACHE STRING x) include(nope.cmake)"; do
	echo "$error" | sed 's/) /)\n/' >CTestCustom.cmake
	for version in 3.25 4.4; do
		CCTR_COMPAT_VERSION=$version "$cctr" -D ExperimentalTest >out 2>err
		code=$?
		check "$version: after '$error' -D does not end with 0" \
			"$([ $code -ne 0 ] || cat out err)"
	done
done
finish
