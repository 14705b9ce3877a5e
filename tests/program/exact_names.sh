#!/bin/sh
# --test: tests by their exact names.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree

runs() { # options... -> the names of the tests that run, in their order
	cctr "$@" | sed -n 's/^ *Start *[0-9]*: //p'
}
declare_tests <<'END'
add_test(a.b "/bin/true")
add_test(a_b "/bin/true")
add_test("two words" "/bin/false")
add_test(twice "/bin/true")
add_test(twice "/bin/true")
add_test(uses "/bin/true")
add_test(sets_up "/bin/true")
set_tests_properties(uses PROPERTIES FIXTURES_REQUIRED it)
set_tests_properties(sets_up PROPERTIES FIXTURES_SETUP it)
END
equal "the name is no expression" a.b "$(runs --test a.b)"
equal "--test= is the same" a.b "$(runs --test=a.b)"
equal "several, in the order of the tests" "a.b
two words" "$(runs --test "two words" --test a.b)"
equal "all tests of the name" "twice
twice" "$(runs --test twice)"
equal "fixtures add what they need" "sets_up
uses" "$(runs --test uses)"
equal "other options must select the test, too" a.b "$(runs --test a.b --test twice -R 'a.b')"
equal "numbers are those of all tests" "  Test #4: twice
  Test #5: twice" "$(cctr -N --test twice | grep '#')"
cctr >"$work/output"
equal "--rerun-failed is such an option" "two words" "$(runs --rerun-failed --test 'two words' --test a.b)"

equal "--with-depends adds what the test depends on" "a_b
depends" "$(echo 'add_test(depends "/bin/true")
	set_tests_properties(depends PROPERTIES DEPENDS a_b)' >>"$tree/CTestTestfile.cmake"
	runs --test depends --with-depends)"

cctr --test a.b >"$work/output"
cp "$tree/Testing/Temporary/CTestCostData.txt" "$work/before"
text=$(cctr --test "tow words" --test a.b --test nothing)
equal "a name that no test has is an error" 1 $?
equal "which says what was meant, and nothing runs" 'Test project
--test: no test "tow words"; did you mean "two words"?
--test: no test "nothing"' "$(echo "$text" | sed '/^Internal/d; s/^\(Test project\) .*/\1/')"
equal "no record changes" "" "$(cmp "$work/before" "$tree/Testing/Temporary/CTestCostData.txt" 2>&1)"
cctr --test "" >"$work/output"
equal "no test has the empty name" "1 1" "$? $(grep -c '^--test: no test ""$' "$work/output")"
cctr -N --test nothing >"$work/output"
equal "nor is it listed" 1 $?
text=$(CCTR_COMPAT_VERSION=4.4 cctr --tset a.b)
equal "a misspelled --test runs nothing" "1 1" "$? $(echo "$text" | grep -c 'did you mean --test?')"

declare_tests <<'END'
END
cctr --test a.b >"$work/output"
equal "nor has an empty tree the test" 1 $?
finish
