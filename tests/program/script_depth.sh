#!/bin/sh
# Files and scripts that read or run themselves come to an end. What is said until then is
# compared with ctest: conformance, scripts/recursion_*.
set -u
. tests/meta/tap.sh
own_scripts

cat >CTestCustom.cmake <<'EOF'
message("level")
ctest_read_custom_files(.)
EOF
cp CTestCustom.cmake s.cmake
for version in 3.25 4.4; do
	export CCTR_COMPAT_VERSION="$version"
	"$cctr" -DCMAKE_MAXIMUM_RECURSION_DEPTH=12 -S s.cmake >out 2>err
	check "files end the script, as ctest $version" "$(is "$?" 255)"
	check "... at the limit" "$(is "$(grep -c -x level err)" 12)"
	check "... which is named" \
		"$(is "$(sed -n '/^CMake Error/{n;p;}' err)" "  Maximum recursion depth of 12 exceeded")"
done

# More scripts than there are descriptors for.
cat >s.cmake <<'EOF'
set(CTEST_RUN_CURRENT_SCRIPT OFF)
ctest_run_script("${CMAKE_CURRENT_LIST_FILE}" RETURN_VALUE value)
message("back ${value}")
EOF
(
	# shellcheck disable=SC3045 # not of POSIX, but of every shell
	ulimit -n 64
	"$cctr" -S s.cmake >out 2>err
)
check "a script that cannot be run has failed" "$(is "$(grep '^back' err | head -n 1)" "back -1")"
check "... and those around it go on" "$(is "$(grep '^back' err | tail -n 1)" "back 0")"
finish
