#!/bin/sh
# --strict: names that mean nothing are errors before any test runs.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree

# The exit code, how many tests ran, and what --strict said.
strict() { # options...
	cctr --strict "$@" >"$work/output"
	code=$?
	echo "$code $(grep -c '^ *Start ' "$work/output")"
	grep -o -e '--strict: .*' "$work/output"
}
declare_right() {
	cat <<'END'
add_test(set_up "/bin/true")
add_test(uses "/bin/true")
add_test(after "/bin/true")
set_tests_properties(set_up PROPERTIES FIXTURES_SETUP data)
set_tests_properties(uses PROPERTIES FIXTURES_REQUIRED data LABELS "quick;unit" MY_OWN_WORD 1)
set_tests_properties(after PROPERTIES DEPENDS uses TIMEOUT 100 RESOURCE_GROUPS "gpus:2")
END
}
wrong() { # title, what is said -> a tree with more lines, the standard input
	{ declare_right && cat; } | declare_tests
	equal "$1" "8 0
--strict: $2" "$(strict)"
	cctr >"$work/output"
	equal "$1: nothing without --strict" "0 0" "$? $(grep -c strict "$work/output")"
}
declare_right | declare_tests
equal "a tree in which all names mean something runs" "0 3" "$(strict)"
equal "also with options" "0 2" "$(strict -R uses -L unit -E after -FC data)"

wrong "a misspelled property" "ctest ignores the property TIMOUT; did you mean TIMEOUT?" <<'END'
set_tests_properties(uses PROPERTIES TIMOUT 5)
END
equal "is told with its place" 1 "$(strict >"$work/said"; grep -c 'CTestTestfile.cmake:7' "$work/output")"
wrong "a property in small letters" "ctest ignores the property labels; did you mean LABELS?" <<'END'
set_tests_properties(uses PROPERTIES labels x)
END
wrong "a property of later releases" "this release of ctest ignores the property TIMEOUT_SIGNAL_NAME" <<'END'
set_tests_properties(uses PROPERTIES TIMEOUT_SIGNAL_NAME SIGINT)
END
wrong "a name that two tests have" "two tests are called \"uses\", in $tree and $tree" <<'END'
add_test(uses "/bin/true")
END
wrong "a test that nothing depends on" \
	"test \"last\" DEPENDS on \"aftre\", and there is no such test; did you mean \"after\"?" <<'END'
add_test(last "/bin/true")
set_tests_properties(last PROPERTIES DEPENDS aftre)
END
wrong "a fixture that nothing sets up" \
	"test \"last\" has FIXTURES_REQUIRED \"dta\", which no test sets up or cleans up; did you mean \"data\"?" <<'END'
add_test(last "/bin/true")
set_tests_properties(last PROPERTIES FIXTURES_REQUIRED dta)
END
wrong "a fixture that nothing requires" "test \"last\" has FIXTURES_SETUP \"dataa\", which no test requires; did you mean \"data\"?" <<'END'
add_test(last "/bin/true")
set_tests_properties(last PROPERTIES FIXTURES_SETUP dataa)
END

declare_right | declare_tests
equal "expressions that nothing matches" "8 0
--strict: no test matches -R usse; did you mean \"uses\"?
--strict: no test matches -E nothing
--strict: no label matches -L quikc; did you mean \"quick\"?
--strict: no label matches -LE x
--strict: no fixture matches -FA or -FS dat_; did you mean \"data\"?" \
	"$(strict -R usse -E nothing -L quikc -LE x -FS dat_)"
printf 'uses\nuse\n' >"$work/names"
CCTR_COMPAT_VERSION=4.4 cctr --strict --tests-from-file "$work/names" >"$work/output"
equal "a name in a file" "8 --strict: --tests-from-file names \"use\", and there is no such test; did you mean \"uses\"?" \
	"$? $(grep -o -e '--strict: .*' "$work/output")"

equal "a resource type of which there is none" "8 0
--strict: test \"licensed\" asks for the resource type licences, of which there is none; did you mean \"licenses\"?" \
	"$({ declare_right && echo 'add_test(licensed "/bin/true")
	set_tests_properties(licensed PROPERTIES RESOURCE_GROUPS "licences:1")'; } | declare_tests
	strict --resource licenses=4 --resource gpus=1:2)"
declare_right | declare_tests
equal "a test that can never fit" "8 0
--strict: test \"after\" asks for more resources than there are in all" "$(strict --resource gpus=1)"
equal "is no error where it is not selected" "0 2" "$(strict --resource gpus=1 -R uses)"
equal "a test that fits runs" "0 3" "$(strict --resource gpus=1:2)"
cat >"$work/spec.json" <<'END'
{"version": {"major": 1, "minor": 0},
 "local": [{"gpus": [{"id": "0", "slots": 2}, {"id": "0", "slots": 4}], "Not-a-type": []}]}
END
equal "ids that two instances have, and types for no test" "8 0
--strict: type 'Not-a-type' is passed over: no test can ask for it
--strict: gpus: id '0' occurs twice, the last one counts" \
	"$(strict --resource-spec-file "$work/spec.json")"
cctr --resource-spec-file "$work/spec.json" >"$work/output"
equal "but not without --strict" "0 0" "$? $(grep -c twice "$work/output")"
equal "a listing is checked, too" "8 0
--strict: no test matches -R nothing" "$(strict -N -R nothing)"
finish
