#!/bin/sh
# cctr log: the whole output of tests in the last run, and what has none.
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25
cd "$work" || exit 1
cat >CTestTestfile.cmake <<'END'
add_test(passes sh -c "echo hello; printf end")
add_test(imitates sh -c "printf '%s\n' '2/5 Testing: passes' '2/5 Test: passes' '<end of output>' 'Test time = 0.01 sec'; exit 3")
add_test(again sh -c "[ -e there ] || { touch there; echo first; exit 1; }; echo second")
add_test(large awk "BEGIN { for (i = 0; i < 300000; i++) print i \" one of many lines\" }")
add_test(off true)
set_tests_properties(off PROPERTIES DISABLED ON)
set_tests_properties(again passes PROPERTIES LABELS some)
END
tell() { # words... -> the exit code and the text
	text=$("$CCTR" log "$@" 2>&1)
	echo "$? $text"
}
check "before any run" "$(is "$(tell passes)" \
	"1 cctr: $work/Testing/Temporary: there is no LastTest.log: no run has ended here")"
"$CCTR" -E off --repeat until-pass:2 >/dev/null 2>&1
before=$(find . | sort)

check "one test, byte for byte" "$("$CCTR" log passes >out; printf "hello\nend\n" | cmp - out)"
check "lines of a log in it are its own" "$(is "$("$CCTR" log imitates | sed -n '/^$/q; 2,$p')" \
	"$(printf '%s\n' '2/5 Testing: passes' '2/5 Test: passes' '<end of output>' 'Test time = 0.01 sec')")"
check "several, with titles" "$(is "$(tell -L some)" "0 ==> passes <==
hello
end

==> again <==
first

==> again, attempt 2 <==
second")"
check "all of a large output" "$(is "$("$CCTR" log large | cksum)" \
	"$(awk 'BEGIN { for (i = 0; i < 300000; i++) print i " one of many lines" }' | cksum)")"
check "what failed" "$(is "$("$CCTR" log --rerun-failed | head -n 1)" "==> imitates <==")"
check "a misspelled name" "$(is "$(tell pases)" '1 log: no test "pases"; did you mean "passes"?')"
check "a test that did not run" "$(is "$(tell off)" \
	"1 cctr: $work/Testing/Temporary/LastTest.log: has no output of \"off\": it did not run then")"
check "no test at all" "$(tell -R nothing 2>&1 | grep -q 'has no output of a selected test' || tell -R nothing)"
check "it goes with no dashboard" "$(is "$(tell -T Test)" "1 CMake Error: 'cctr log' runs nothing: \
no -S, -T, -M, -D or --build-and-test goes with it")"
check "a reader that goes away ends it" "$("$CCTR" log large | head -n 1 | grep -v '^0 one')"
check "it writes nothing" "$(is "$(find . ! -name out | sort)" "$before")"
# The pipe holds less than the output, so that the rest is read when the reader goes on.
{
	"$CCTR" log large 2>said
	echo $? >code
} | {
	read -r _
	: >Testing/Temporary/LastTest.log
	cat >/dev/null
}
check "a log that becomes shorter while it is read" "$(is "$(cat code said)" \
	"1
cctr: $work/Testing/Temporary/LastTest.log: cannot be read: it became shorter while it was read")"

cat >CTestTestfile.cmake <<'END'
add_test(twin echo one)
add_test(twin echo two)
END
"$CCTR" >/dev/null 2>&1
check "two tests with one name are not attempts of one" "$(is "$(tell twin)" "0 ==> twin <==
one

==> twin <==
two")"

# While a run goes on.
mkfifo go
cat >CTestTestfile.cmake <<'END'
add_test(early echo early)
add_test(late cat go)
END
"$CCTR" >/dev/null 2>&1 &
run=$!
exec 3>go # once the test has it open
check "of a run that goes on" "$(tell early | tr '\n' ' ' | grep -E '^0 (early )?cctr: .*/LastTest.log.tmp: is of a run that has not ended (early )?$' >/dev/null || tell early)"
exec 3>&-
wait "$run"
check "as ctest it is no command" "$(ln -s "$CCTR" ctest; ./ctest log -N 2>&1 | grep -q '^Test project' || echo none)"
finish
