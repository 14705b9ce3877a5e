#!/bin/sh
# Files of a run and of steps whose name, or the name beside it until they are whole, is that
# of a directory: each is named, and the exit code is not 0.
set -u
. tests/meta/tap.sh
own_folder
cctr=$(realpath "${CCTR:?}")
cd "$work" || exit 1

project() {
	rm -rf "$work/tree"
	mkdir -p "$work/tree/source/.hg" && cd "$work/tree" || exit 1
	echo 'add_test(a "/bin/true")' >CTestTestfile.cmake
	echo 'cmake_minimum_required(VERSION 3.25)' >source/CMakeLists.txt
	printf '#!/bin/sh\nexit 0\n' >valgrind && chmod +x valgrind
	cat >DartConfiguration.tcl <<-END
		SourceDirectory: $work/tree/source
		BuildDirectory: $work/tree
		Site: here
		BuildName: build
		ConfigureCommand: true
		MakeCommand: true
		UpdateCommand: $work/tree/valgrind
		UpdateType: hg
		MemoryCheckCommand: $work/tree/valgrind
	END
}

# $1: the file, where @ is the tag; then the words of the command line.
lose() {
	file=$1
	shift
	for ending in "" .tmp; do
		project
		"$cctr" -T Start >/dev/null 2>&1
		name=$(echo "$file" | sed "s/@/$(head -n 1 Testing/TAG)/")
		mkdir -p "$name$ending/directory"
		"$cctr" "$@" >out 2>err
		status=$?
		check "$CCTR_COMPAT_VERSION: $file$ending" "$([ $status != 0 ] || echo "exit code 0"
			grep -qF "${name##*/}" err || cat err)"
	done
}

for release in 3.25 4.4; do
	export CCTR_COMPAT_VERSION=$release
	lose junit.xml --output-junit junit.xml
	lose output.log --output-log output.log
	lose Testing/@/Test.xml -T Test
	lose Testing/Temporary/LastTest_@.log -T Test
	lose Testing/@/Build.xml -T Build
	lose Testing/Temporary/LastBuild_@.log -T Build
	lose Testing/@/Configure.xml -T Configure
	lose Testing/Temporary/LastConfigure_@.log -T Configure
	lose Testing/@/Notes.xml -A out
	lose Testing/@/Update.xml -T Update
	lose Testing/Temporary/LastUpdate_@.log -T Update
	lose Testing/@/DynamicAnalysis.xml -T MemCheck
done

# Two reports in one file would be one that is lost.
project
"$cctr" --html report --tap report >out 2>err
status=$?
check "two reports with one file" "$([ $status != 0 ] || echo "exit code 0"
	grep -qF "'--html' and '--tap' name the same file: $PWD/report" err || cat err
	ls report 2>/dev/null)"
(cd .. && "$cctr" --test-dir "$OLDPWD" -O "${OLDPWD##*/}/report" --html ./report) >out 2>err
status=$?
check "a report with the file of -O" "$([ $status != 0 ] || echo "exit code 0"
	grep -qF "'--output-log' and '--html' name the same file: $PWD/report" err || cat err)"
"$cctr" -O report --output-junit report >out 2>err
check "those of ctest are as in ctest" "$(is "$?" 0)"
"$cctr" --events /dev/null --tap /dev/null >out 2>err
check "two reports with one device" "$(is "$?" 0)"

for option in --events --tap; do
	project
	echo 'add_test(b rm report)' >>CTestTestfile.cmake
	"$cctr" $option report >out 2>err
	status=$?
	check "$option: a test removes the file" "$([ $status != 0 ] || echo "exit code 0"
		grep -qF "report: was removed while tests ran" err || cat err)"
done

# To this release a run without a plan is no failure.
export CCTR_COMPAT_VERSION=3.25
for file in junit.xml Testing/Temporary/LastTest.log; do
	project
	echo 'set_tests_properties(a PROPERTIES DEPENDS a)' >>CTestTestfile.cmake
	"$cctr" --output-junit junit.xml >out 2>err
	check "a cycle, as in ctest" "$(is "$?" 0)"
	rm -rf "$file" && mkdir -p "$file/directory"
	"$cctr" --output-junit junit.xml >out 2>err
	check "a cycle: $file" "$(is "$?" 8
		grep -qF "${file##*/}" err || cat err)"
done
finish
