#!/bin/sh
# --annotations: GitHub's workflow commands and GitLab's report, and the lines that they name.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

needs python3
own_folder
cd "$work" || exit 1
unset GITHUB_ACTIONS GITHUB_WORKSPACE GITLAB_CI CI_PROJECT_DIR
export CCTR_COMPAT_VERSION=4.4
mkdir -p source build
printf '%s\n' 1 2 3 >source/unit.cc
printf '%s\n' 1 2 3 >source/other.py
cd build || exit 1
cat >CTestTestfile.cmake <<END
add_test(passes echo "../source/unit.cc:1: error: none")
add_test(gtest sh -c "echo 'log.txt:7: error'; echo '$work/source/unit.cc:2: Failure'; echo 'Value of: 50%, not 1'; exit 3")
add_test(python sh -c "echo 'Traceback:'; echo '  File \"../source/unit.cc\", line 1, in f'; echo '  File \"../source/other.py\", line 3, in g'; exit 1")
add_test("a:b,c%0A" false)
add_test(again sh -c "[ -e there ] || { touch there; exit 1; }")
set_tests_properties("a:b,c%0A" PROPERTIES _BACKTRACE_TRIPLES "$work/source/CMakeLists.txt;12;add_test;$work/x;1;")
END
touch there
"$CCTR" >plain 2>plain.err
text=$(GITHUB_WORKSPACE=$work "$CCTR" --annotations github 2>commands)
check "standard output is ctest's" "$(is "$(echo "$text" | sed 's/[0-9.]* sec/T/')" "$(sed 's/[0-9.]* sec/T/' plain)")"
grep '^::' commands >said
check "GitHub's commands" "$(is "$(cat said)" "::error file=source/unit.cc,line=2,title=gtest::test gtest: failed, exit code 3%0A\
$work/source/unit.cc:2: Failure%0AValue of: 50%25, not 1
::error file=source/other.py,line=3,title=python::test python: failed, exit code 1%0A\
File \"../source/other.py\", line 3, in g
::error file=source/CMakeLists.txt,line=12,title=a%3Ab%2Cc%250A::test a:b,c%250A: failed, exit code 1")"
check "nothing else is printed there" "$(grep -v '^::' commands | diff - plain.err)"
rm there
"$CCTR" -R again --repeat until-pass:2 --annotations github 2>commands >/dev/null
check "a flaky test is a warning" "$(is "$(grep '^::' commands)" "::warning title=again::test again passed after 1 failures")"

GITLAB_CI=true CI_PROJECT_DIR=$work "$CCTR" --annotations=auto >/dev/null 2>&1
check "GitLab's report" "$(python3 - <<'END'
import json
v = json.load(open("gl-code-quality-report.json"))
got = [(i["check_name"], i["severity"], i["location"]["path"], i["location"]["lines"]["begin"]) for i in v]
want = [("test", "major", "source/unit.cc", 2), ("test", "major", "source/other.py", 3),
        ("test", "major", "source/CMakeLists.txt", 12)]
if got != want or len({i["fingerprint"] for i in v}) != 3 or not v[0]["description"].startswith("test gtest"):
    print(got, v)
# What GitLab's schema of a member of the list requires: app/validators/json_schemas/codeclimate.json.
for issue in v:
    for name in ("description", "fingerprint", "severity", "check_name"):
        if type(issue[name]) is not str:
            print(name, issue)
    if type(issue["location"]["lines"]["begin"]) is not int:
        print(issue)
END
)"
mkdir -p ../twins/sub
printf '%s\n' 'add_test(twin false)' >../twins/sub/CTestTestfile.cmake
printf '%s\n' 'add_test(twin false)' 'subdirs(sub)' >../twins/CTestTestfile.cmake
fingerprints() {
	(cd ../twins && GITLAB_CI=true "$CCTR" --annotations=auto >/dev/null 2>&1
	grep -o '"fingerprint":"[^"]*"' gl-code-quality-report.json)
}
check "... tells tests of one name apart, in the same way each time" "$(
	is "$(fingerprints | sort -u | wc -l)" 2
	is "$(fingerprints)" "$(fingerprints)")"
GITLAB_CI=true "$CCTR" -R passes --annotations=auto >/dev/null 2>&1
check "... is empty where nothing fails" "$(is "$(cat gl-code-quality-report.json)" "[]")"
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	traced -qq -o /dev/null -P "$work/source/unit.cc" -e inject=newfstatat,stat:error=EIO \
		"$CCTR" -R gtest --annotations=gitlab >/dev/null 2>said
	check "sources that cannot be looked for are said" "$(is "$? $(grep -c 'files cannot be looked for: Input' said)" "8 1")"
fi
GITLAB_CI=true "$CCTR" --resource-spec-file none --annotations=auto >/dev/null 2>&1
check "nothing of an earlier run stays where none begins" "$(is "$? $(find . -name 'gl-*')" "8 ")"
"$CCTR" --annotations=auto 2>&1 | grep '^::' >said
check "auto does nothing elsewhere" "$(cat said)$(find . -name 'gl-*')"
GITHUB_ACTIONS=true "$CCTR" --annotations=auto 2>&1 | grep '^::' >said
check "... and finds GitHub" "$(is "$(grep -c . said)" 3)"
# Once "fails" has ended, and while "waits" runs.
begin_waiting() { # options...
	rm -f go
	"$CCTR" -j2 "$@" >output 2>commands </dev/null &
	pid=$!
	await grep -q 'fails .*Failed' output
	await is_there
}
is_there() {
	"$CCTR" ctl ps | grep -q ' waits runs for '
}
printf '%s\n' 'add_test(fails false)' 'add_test(waits sh -c "until [ -e go ]; do sleep 0.01; done")' >CTestTestfile.cmake
failed="::error title=fails::test fails: failed, exit code 1"
begin_waiting --annotations github
"$CCTR" ctl retry waits >said 2>&1
await grep -q 'waits .*Canceled' output
touch go
wait "$pid"
check "a test that is started again has not failed" "$(is "$? $(grep '^::' commands)" "8 $failed")"
begin_waiting --annotations github
"$CCTR" ctl cancel waits >said 2>&1
wait "$pid"
check "a test that somebody cancels says so" "$(is "$? $(grep '^::' commands)" "8 $failed
::error title=waits::test waits: failed%0ASomebody asked that it ends")"
begin_waiting --annotations github
kill "$pid"
wait "$pid"
check "an interrupted run tells what has failed" "$(is "$? $(grep '^::' commands)" "143 $failed")"
begin_waiting --annotations gitlab
kill "$pid"
wait "$pid"
check "... in GitLab's report, too" "$(is "$? $(grep -o '"fails[^"]*\|test [a-z]*:' gl-code-quality-report.json)" "143 test fails:")"
rm gl-code-quality-report.json
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	echo "add_test(t$i false)"
done >CTestTestfile.cmake
"$CCTR" --annotations github 2>said >/dev/null
check "ten, and how many more" "$(is "$(grep -c '^::error' said) $(grep '^::notice' said)" "10 \
::notice title=cctr::2 more tests have failed or are flaky: GitHub shows 10 of each kind")"
mkdir gl-code-quality-report.json
"$CCTR" -N --annotations gitlab >/dev/null 2>&1
check "a listing writes none" "$(is "$?" 0)"
rmdir gl-code-quality-report.json
mkdir gl-code-quality-report.json
text=$("$CCTR" --annotations=gitlab 2>&1)
check "an old report that cannot be removed fails the run" "$(is "$? $(echo "$text" | head -n1)" \
	"8 cctr: $work/build/gl-code-quality-report.json: cannot be removed: Is a directory")"
rmdir gl-code-quality-report.json
mkdir gl-code-quality-report.json.tmp
text=$(GITLAB_CI=true "$CCTR" -R t1 --annotations=auto 2>&1 >/dev/null)
check "a report that cannot be written fails the run" "$(is "$? $(echo "$text" | grep -c 'gl-code-quality-report.json: cannot be written')" "8 1")"
text=$("$CCTR" --annotations jenkins 2>&1)
check "another server" "$(is "$? $text" "1 CMake Error: '--annotations' given unknown value 'jenkins', not github, gitlab or auto")"
finish
