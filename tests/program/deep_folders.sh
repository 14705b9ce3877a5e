#!/bin/sh
# 2,000 folders inside each other. CMAKE_MAXIMUM_RECURSION_DEPTH decides how many levels are
# read; what the stack has no room for is an error.
# shellcheck disable=SC3045
set -u
. tests/meta/tap.sh

own_folder
cctr=$(realpath "${CCTR:?}")
levels=2000

# The system refuses paths of 4096 bytes.
[ ${#work} -lt 60 ] || skip_all "the folder for temporary files has a long name"

level=0
cd "$work" || exit 1
while [ $level -lt $levels ]; do
	printf 'add_test(t%s "/bin/true")\nsubdirs(d)\n' $level >CTestTestfile.cmake
	mkdir d && cd -P d || exit 1
	level=$((level + 1))
done
echo 'add_test(last "/bin/true")' >CTestTestfile.cmake
cd "$work" || exit 1

# $1: the stack in KiB. The rest: settings, and cctr's arguments after "--".
list() {
	stack=$1
	shift
	(ulimit -s "$stack" && env "$@") >"$work/output" 2>&1
	echo "exit $?"
	grep -E '^Total Tests|Maximum recursion|The stack has' "$work/output"
}
# A sanitizer takes more of the stack.
most=$(ulimit -H -s)

check "CMake reads 1000 levels" "$(is \
	"$(list "$most" CCTR_COMPAT_VERSION=4.3 "$cctr" -N)" \
	"exit 8
  Maximum recursion depth of 1000 exceeded")"
check "the environment has another limit, and all levels are read" "$(is \
	"$(list "$most" CCTR_COMPAT_VERSION=4.3 CMAKE_MAXIMUM_RECURSION_DEPTH=2001 "$cctr" -N)" \
	"exit 0
Total Tests: 2001")"
check "before 3.27 it has not" "$(is \
	"$(list "$most" CCTR_COMPAT_VERSION=3.26 CMAKE_MAXIMUM_RECURSION_DEPTH=2001 "$cctr" -N)" \
	"exit 8
  Maximum recursion depth of 1000 exceeded")"
check "where the stack has no room, that is an error" "$(is \
	"$(list 256 CCTR_COMPAT_VERSION=4.3 CMAKE_MAXIMUM_RECURSION_DEPTH=2001 "$cctr" -N |
		sed 's/ for [0-9]* / for N /')" \
	"exit 8
  The stack has no room for N nested commands")"
echo 'set(CMAKE_MAXIMUM_RECURSION_DEPTH 2001)' >top
cat CTestTestfile.cmake >>top && mv top CTestTestfile.cmake
check "a variable has another limit, in every release" "$(is \
	"$(list "$most" CCTR_COMPAT_VERSION=3.25 "$cctr" -N)" \
	"exit 0
Total Tests: 2001")"
check "the test in the last folder runs" "$(is \
	"$(list "$most" CCTR_COMPAT_VERSION=3.25 "$cctr" -R last
		grep -o '100% tests passed.*' output)" \
	"exit 0
100% tests passed, 0 tests failed out of 1")"
finish
