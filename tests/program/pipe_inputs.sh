#!/bin/sh
# A named pipe in the place of a file that a step finds by its name: opening it would wait for
# somebody who writes, without end. The step says that it cannot read it, and the exit code is not 0.
set -u
. tests/meta/tap.sh
own_folder
cctr=$(realpath "${CCTR:?}")
cd "$work" || exit 1
export CCTR_COMPAT_VERSION=3.25
printf '#!/bin/sh\nexit 0\n' >valgrind && chmod +x valgrind
cat >DartConfiguration.tcl <<END
SourceDirectory: $work/source
BuildDirectory: $work
Site: here
BuildName: this
MakeCommand: mkfifo Testing/@/Build/error-a.xml
UseLaunchers: ON
MemoryCheckCommand: $work/valgrind
SubmitURL: http://127.0.0.1:9/submit.php?project=none
END
echo 'add_test(a "/bin/true")' >CTestTestfile.cmake
mkdir -p source Testing/Notes xdebugCoverage
"$cctr" -M Experimental -T Start >output 2>&1
tag=$(head -n 1 Testing/TAG)
sed -i "s|@|$tag|" DartConfiguration.tcl
mkdir "Testing/$tag"

unread() { # what is said; then the words
	said=$1
	shift
	timeout -s KILL "${WAIT:-60}" "$cctr" "$@" >output 2>&1 </dev/null
	status=$?
	check "$said: $*" "$([ "$status" != 0 ] && [ "$status" != 137 ] || echo "exit code $status"
		grep -q "$said" output || cat output)"
}
pipe() { # path, what is said; then the words
	path=$1
	shift
	mkfifo "$path"
	unread "$@"
	rm -f "$path"
}
no="Invalid argument" curl="there is no libcurl"
pipe Testing/Notes/note "Problem reading file: .*Notes/note" -T Notes
pipe xdebugCoverage/page "cannot read .*page: $no" -T Coverage
pipe source/a.json "cannot read .*a.json: $no" -T Coverage
unread "cannot read .*error-a.xml: $no" -T Build
cat >make.sh <<END
rm Testing/$tag/Build/CTestLaunchConfig.cmake
mkfifo Testing/$tag/Build/CTestLaunchConfig.cmake
"$cctr" --launch --build-dir "$work" --target-name t -- sh -c 'echo error; exit 1'
exit 0
END
rm "Testing/$tag/Build"/*
sed -i 's/^MakeCommand:.*/MakeCommand: sh make.sh/' DartConfiguration.tcl
unread "not every launched command could be noted" -T Build
pipe Testing/Temporary/MemoryChecker.1.log "Cannot read memory tester output file: .*MemoryChecker.1.log" -T MemCheck
rm "Testing/$tag"/*.xml
pipe "Testing/$tag/Build.xml" "Cannot find file: .*Build.xml\|$curl" -T Submit
mkfifo pipe
unread "Cannot find file: .*pipe\|$curl" --extra-submit pipe -T Submit

# Files that a script names. One that is not there is an error of the command.
script() { # call
	cat >script.cmake <<-END
		set(CTEST_SOURCE_DIRECTORY "$work/source")
		set(CTEST_BINARY_DIRECTORY "$work")
		ctest_start(Experimental QUIET)
		$1
	END
}
if command -v cmake >/dev/null; then
	script 'ctest_upload(FILES pipe)'
	unread "cannot read .*pipe: $no" -S script.cmake
	script 'ctest_upload(FILES source)'
	unread "cannot read .*source: Is a directory" -S script.cmake
	script 'ctest_submit(CDASH_UPLOAD pipe CDASH_UPLOAD_TYPE any)'
	unread "Upload file not found: '.*pipe'\|$curl" -S script.cmake
	script ''
	pipe CTestConfig.cmake "cannot read *.*/CTestConfig.cmake" -S script.cmake
	pipe CTestCustom.cmake "cannot read *.*/CTestCustom.cmake" -S script.cmake
	script 'ctest_read_custom_files(xdebugCoverage)'
	pipe xdebugCoverage/CTestCustom.ctest "cannot read *.*/CTestCustom.ctest" -S script.cmake
fi

# Files that an earlier run left.
rm -rf Testing/Temporary && mkdir Testing/Temporary
pipe Testing/Temporary/LastTest.log "LastTest.log: cannot be read: $no" log
pipe source/cctr-shard-1-of-1 "cctr-shard-1-of-1: cannot be read: $no" merge source
mkfifo shard
"$cctr" --shard 1/1 >output 2>&1
cat Testing/cctr-shard-* >shard &
timeout -s KILL 60 "$cctr" merge shard >output 2>&1 </dev/null
check "a shard from a pipe that the user names" "$(is "$?" 0
	grep -q '100% tests passed' output || cat output)"
wait

# What the user names may be a pipe that somebody writes to.
echo text >pipe &
timeout -s KILL 60 "$cctr" -A pipe >output 2>&1 </dev/null
check "a note from a pipe" "$(is "$?" 0
	grep -q '<Text>text' Testing/*/Notes.xml || cat output)"
wait
finish
