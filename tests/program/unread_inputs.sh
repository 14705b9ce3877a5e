#!/bin/sh
# Files and folders that are there and cannot be read, or not to their end: what a step would have
# taken from them is lost. The step names them, and the exit code is not 0.
set -u
. tests/meta/tap.sh
search_no_leaks
strace -qq -o /dev/null true 2>/dev/null || skip_all "strace cannot trace"

cctr=$(realpath "${CCTR:?}")
own_folder
cd "$work" || exit 1
export CCTR_COMPAT_VERSION=3.25
printf '#!/bin/sh\nexit 0\n' >valgrind && chmod +x valgrind
cat >DartConfiguration.tcl <<END
SourceDirectory: $work/source
BuildDirectory: $work
Site: here
BuildName: this
MakeCommand: sh make.sh
UseLaunchers: ON
MemoryCheckCommand: $work/valgrind
SubmitURL: http://127.0.0.1:9/submit.php?project=none
END
echo 'add_test(a "/bin/true")' >CTestTestfile.cmake
mkdir -p source Testing/Notes xdebugCoverage
"$cctr" -M Experimental -T Start >output 2>&1
tag=$(head -n 1 Testing/TAG)
echo text >Testing/Notes/note.txt
echo '[]' >xdebugCoverage/page
mkdir -p "Testing/$tag"
echo '<Site/>' >"Testing/$tag/Coverage.xml" # with which its logs are sent

# $1: what the line names; $2: the path that fails; $3: calls; $4: the error; then the words.
unread() {
	named=$1 path=$2 calls=$3 error=$4
	shift 4
	strace -qq -o log -e signal=none -P "$path" -e "trace=$calls" -e "inject=$calls:error=$error" \
		"$cctr" "$@" >output 2>&1 </dev/null
	status=$?
	check "$named: $calls $error: $*" "$([ "$status" != 0 ] || echo "exit code 0"
		grep -q INJECTED log || echo "no call failed"
		grep -q "cannot read .*$named\|$named: cannot be read" output || cat output)"
}
for fault in "openat EACCES" "getdents64 EIO"; do
	call=${fault% *} error=${fault#* }
	unread "Testing/Notes" "$work/Testing/Notes" "$call" "$error" -T Notes
	unread "source" "$work/source" "$call" "$error" -T Coverage
	unread "xdebugCoverage" "$work/xdebugCoverage" "$call" "$error" -T Coverage
	unread "Testing/$tag" "$work/Testing/$tag" "$call" "$error" -T Submit
done
rm "Testing/$tag/Coverage.xml"
unread "xdebugCoverage/page" "$work/xdebugCoverage/page" read EIO -T Coverage
unread "xdebugCoverage/page" "$work/xdebugCoverage/page" openat EACCES -T Coverage

# A log of the memory checker that cannot be looked at: a link to itself.
mkdir -p Testing/Temporary
printf '#!/bin/sh\nln -sf MemoryChecker.1.log "%s"\n' "$work/Testing/Temporary/MemoryChecker.1.log" >valgrind
"$cctr" -T MemCheck >output 2>&1 </dev/null
status=$?
check "a log that is a link to itself" "$([ "$status" != 0 ] || echo "exit code 0"
	grep -q 'Cannot read memory tester output file: .*MemoryChecker.1.log' output || cat output)"

# What is found by its name: the program of a test, a file to submit.
unread "bin/true" /bin/true newfstatat,stat,statx ENOMEM --show-only=json-v1
unread "DartConfiguration.tcl" "$work/DartConfiguration.tcl" openat EACCES:when=2+ -T Notes
echo '<Site/>' >"Testing/$tag/Build.xml"
strace -qq -o log -e signal=none -P "$work/Testing/$tag/Build.xml" -e trace=newfstatat,stat,statx \
	-e inject=newfstatat,stat,statx:error=EIO:when=1 "$cctr" -T Submit >output 2>&1
check "submit a file that could not be looked at" "$(grep -q 'Error when uploading file.*Build.xml' output ||
	cat output)"
rm -r "Testing/$tag/Build.xml" Testing/Temporary
strace -qq -o log -e signal=none -P "$work/Testing/Temporary" -e trace=mkdir,mkdirat \
	-e inject=mkdir,mkdirat:error=EIO "$cctr" -T Submit >output 2>&1
check "submit without a folder for its log" "$(grep -q 'Cannot create log file.*LastSubmit' output ||
	cat output)"

# The folder that cmake and cctr share cannot be looked at.
if command -v cmake >/dev/null; then
	echo 'message(done)' >script.cmake
	calls=newfstatat,lstat,statx
	strace -qq -o log -e signal=none -e trace=$calls "$cctr" -S script.cmake >output 2>&1
	n=$(grep -n cctr-scratch log | head -n 1 | cut -d: -f1)
	timeout 60 strace -qq -o log -e signal=none -e trace=$calls \
		-e "inject=$calls:error=EACCES:when=$n+" "$cctr" -S script.cmake >output 2>&1
	status=$?
	check "a script without a folder" "$([ $status != 0 ] && [ $status != 124 ] || echo "exit code $status"
		grep -q cannot output || cat output)"
fi

# Launchers. make.sh has the commands of the build; it ends with 0 whatever they do.
folder=$work/Testing/$tag/Build
launched() { # command; wrapper
	command=$1
	shift
	cat >make.sh <<-END
		$* $cctr --launch --build-dir $work --target-name t -- $command
		exit 0
	END
}
fragments() { # file that fails, calls, error, command
	launched "$4" strace -qq -o "$work/log" -e signal=none -P "$1" -e "trace=$2" \
		-e "inject=$2:error=$3"
	"$cctr" -T Build >output 2>&1 </dev/null
	status=$?
	check "a launcher: $2 $3 of ${1##*/}" "$([ "$status" != 0 ] || echo "exit code 0"
		grep -q INJECTED log || echo "no call failed"
		grep -q "not every launched command could be noted" output || cat output
		ls "$folder/cctr-launch.txt" 2>/dev/null)"
}
launched "sh -c 'echo error; exit 1'" env
"$cctr" -T Build >output 2>&1
fragment=$(ls "$folder"/error-*)
fragments "$fragment.tmp" openat ENOSPC "sh -c 'echo error; exit 1'"
fragments "$folder/CTestLaunchConfig.cmake" openat EIO "sh -c 'echo error; exit 1'"
echo 'set(CTEST_CUSTOM_WARNING_MATCH "odd")' >CTestCustom.cmake
fragments "$folder/CustomWarning.txt" read EIO "echo odd"
rm CTestCustom.cmake
launched "echo fine" env
"$cctr" -T Build >output 2>&1 </dev/null
check "a launcher that loses nothing" "$(is "$? $(ls "$folder")" "0 CTestLaunchConfig.cmake"
	grep "could be noted" output)"

# Fragments that the build step cannot read.
launched "sh -c 'echo error; exit 1'" env
unread "$tag/Build" "$folder" getdents64 EIO -T Build
unread "Build/error-" "$fragment" openat EIO -T Build

# The folder of a JUnit file that a test removes is made again.
echo 'add_test(a "rm" "-r" "report")' >CTestTestfile.cmake
"$cctr" --output-junit report/out.xml >output 2>&1
check "JUnit into a folder that a test removes" "$(is "$?" 0
	grep -q '<testcase' report/out.xml || cat output)"

# The command of --build-and-test has an empty standard input or does not run.
mkdir -p project/build
CCTR_COMPAT_VERSION=4.4 strace -qq -o log -e signal=none -P /dev/null -e trace=openat \
	-e inject=openat:error=EMFILE:when=1+ "$cctr" --build-and-test project project/build \
	--build-generator Ninja --build-nocmake --build-makeprogram true --test-command true \
	>output 2>&1 <CTestTestfile.cmake
status=$?
check "--build-and-test without /dev/null" "$([ "$status" != 0 ] || echo "exit code 0"
	grep -q INJECTED log || echo "no call failed"
	grep -q "ERROR executing" output || cat output)"
finish
