#!/bin/sh
# What a script does after an error of a command of cmake's own, as ctest 4.1 and later.
set -u
. tests/meta/tap.sh
own_scripts

export CCTR_COMPAT_VERSION=4.4
cat >part.cmake <<'END'
file(READ nope text)
message("part")
END
cat >s.cmake <<'END'
include(part.cmake)
list(GET)
message("end")
END
"$cctr" -S s.cmake >out 2>err
check "a script with errors ends with one" "$(is "$?" 255)"
check "... at its end" "$(is "$(grep -x -e part -e end err | tr '\n' ' ')" "part end ")"

# cmake writes a long text in pieces, between which it may have to wait. Here a program of the
# script plays cmake, and waits longer than cctr does for the rest of a message.
cat >pieces.cmake <<'END'
set(CTEST_RUN_CURRENT_SCRIPT OFF)
get_property(folder GLOBAL PROPERTY CCTR_FOLDER)
execute_process(COMMAND sh -c "printf '%s\n' 'CMake Error at pieces.cmake:3 (message):' '  first' >&2
  sleep 1
  printf '%s\n' '' '  last' 'Call Stack (most recent call first):' '  ${folder}/script.cmake:8 (include)' '' '' >&2")
END
CCTR_COMPAT_VERSION=3.25 "$cctr" -S pieces.cmake >out 2>err
check "a message that comes in pieces is an error" "$(is "$?" 255)"
check "... and shown as one" "$(grep -x 'Call Stack.*' err)"

echo 'cmake_language(EVAL CODE "message(part)")' >part.cmake
"$cctr" -S s.cmake >out 2>err
check "what may choose its exit code ends with one, too" "$(is "$?" 255)"
check "... where the error is" "$(is "$(grep -x -e part -e end err)" part)"

echo 'cmake_language(EXIT 3)' >part.cmake
echo 'cmake_language(EXIT 4)' >probe.cmake
cmake -P probe.cmake >out 2>err
if [ "$?" -eq 4 ]; then
	"$cctr" -S s.cmake >out 2>err
	check "an exit code of its own" "$(is "$?" 3)"
	echo 'cmake_language(EXIT 1)' >part.cmake
	"$cctr" -S s.cmake >out 2>err
	check "... that of cmake's errors" "$(is "$?" 1)"
	for chosen in 0 1 3; do
		{
			echo 'message(SEND_ERROR "one")'
			echo "cmake_language(EXIT $chosen)"
		} >part.cmake
		"$cctr" -S s.cmake >out 2>err
		check "... behind an error, $chosen" "$(is "$?" "$chosen")"
	done
	echo 'cmake_language(EXIT 4)' >four.cmake
	"$cctr" -S s.cmake -S four.cmake >out 2>err
	check "several scripts: the bits of all exit codes" "$(is "$?" 7)"
	check "... without a word of cmake's about its trace" "$(cat out)"
	echo 'message(FATAL_ERROR "one") # cmake_language' >part.cmake
	"$cctr" -S s.cmake -S four.cmake >out 2>err
	check "... and of an error" "$(is "$?" 255)"
fi
finish
