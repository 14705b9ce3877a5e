#!/bin/sh
# A step that finds a cycle among its tests keeps no file open.
set -u
. tests/meta/tap.sh
[ -d /proc/self/fd ] || skip_all "no /proc"
own_scripts

cat >CTestTestfile.cmake <<'END'
add_test(a true)
add_test(b true)
set_tests_properties(a PROPERTIES DEPENDS b)
set_tests_properties(b PROPERTIES DEPENDS a)
END
# How many files the process has that runs the script.
cat >count.sh <<'END'
cctr=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$PPID/status")
ls "/proc/$cctr/fd" | wc -l
END
cat >s.cmake <<'END'
set(CTEST_SOURCE_DIRECTORY "${CTEST_SCRIPT_DIRECTORY}")
set(CTEST_BINARY_DIRECTORY "${CTEST_SCRIPT_DIRECTORY}")
set(CTEST_MEMORYCHECK_TYPE AddressSanitizer)
ctest_start(Experimental QUIET)
foreach(step test memcheck)
  foreach(time RANGE 2)
    cmake_language(CALL ctest_${step} QUIET RETURN_VALUE value CAPTURE_CMAKE_ERROR ignored)
    execute_process(COMMAND sh count.sh OUTPUT_VARIABLE n OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(${step}_${time} "${value} ${n}")
  endforeach()
  message("${step}: ${${step}_0}")
  message("${step}: ${${step}_2}")
endforeach()
END
for row in "3.25 0" "4.4 -1"; do
	CCTR_COMPAT_VERSION=${row% *} "$cctr" -S s.cmake >out 2>err
	for step in test memcheck; do
		check "${row% *}: $step" "$(is "$(grep "^$step:" err | uniq | wc -l)" 1
			grep -q "^$step: ${row#* } " err || cat err)"
	done
done
finish
