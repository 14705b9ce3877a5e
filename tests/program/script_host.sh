#!/bin/sh
# --script-host: what evaluates a script, and what that changes for it.
set -u
. tests/meta/tap.sh
cmake=$(command -v cmake) || skip_all "no cmake"
beside=$(dirname "$(realpath "$cmake")")
[ -x "$beside/ctest" ] || skip_all "no ctest beside $cmake"
cctr=$(realpath "${CCTR:?}")
"$beside/ctest" --help | grep -q -e --script-host && skip_all "that ctest is cctr"

own_folder
export CCTR_COMPAT_VERSION=3.25

cat >"$work/s.cmake" <<'END'
set(CTEST_RUN_CURRENT_SCRIPT OFF)
list(GET)
get_property(role GLOBAL PROPERTY CMAKE_ROLE)
ctest_sleep(0)
message("role ${role}")
END
cd "$work" || exit 1

"$cctr" --script-host=ctest -S s.cmake >out 2>err
check "an error of a command is one of the script" "$(is "$?" 255)"
check "ctest goes on behind an error of a command" \
	"$(is "$(grep -c '^role CTEST$' err)" 1)"
check "... which is said" \
	"$(is "$(grep -c '^CMake Error at .*/s.cmake:2 (list):$' err)" 1)"

cat >s.cmake <<'END'
set(CTEST_SOURCE_DIRECTORY .)
set(CTEST_BINARY_DIRECTORY .)
set(CTEST_COMMAND true)
ctest_sleep()
END
"$cctr" --script-host=ctest -S s.cmake >out 2>err
check "the commands are cctr's" \
	"$(is "$(sed -n 2p err)" "  ctest_sleep called with incorrect number of arguments")"

# A cmake with cctr beside it.
mkdir bin
cp "$cmake" bin/cmake
ln -s "$cctr" bin/ctest
PATH=$PWD/bin:$PATH "$cctr" --script-host ctest -S s.cmake >out 2>err
check "cctr is no host for itself" "$(is "$?" 255)"
check "... and says so" "$(is "$(grep -c 'there is no ctest beside' err)" 1)"

"$cctr" --script-host=make -S s.cmake >out 2>err
check "any other word is an error" "$(is "$?" 1)"
finish
