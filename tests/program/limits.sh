#!/bin/sh
# --default-timeout and --timeout-multiplier, as -VV shows the limits of tests. None of them is reached.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree

limits() { # options... -> "number: limit" of each test
	cctr -VV "$@" | sed -n 's/^\([0-9]*\): Test timeout computed to be: /\1: /p'
}
declare_tests <<'END'
add_test(none "/bin/true")
add_test(own "/bin/true")
add_test(endless "/bin/true")
add_test(checked "/bin/true")
set_tests_properties(own PROPERTIES TIMEOUT 100)
set_tests_properties(endless PROPERTIES TIMEOUT 0)
set_tests_properties(checked PROPERTIES TIMEOUT 100 LABELS "a=b;valgrind")
END
echo 'TimeOut: 1500' >"$tree/DartConfiguration.tcl"
equal "without options limits are ctest's" "1: 1500
2: 100
3: 0
4: 100" "$(limits)"
equal "--default-timeout is for tests without TIMEOUT alone" "1: 90
2: 100
3: 0
4: 100" "$(limits --default-timeout 1.5m)"
equal "--timeout of ctest is for TIMEOUT 0, too, and beats it" "1: 5
2: 100
3: 5
4: 100" "$(limits --default-timeout=60 --timeout 5)"
equal "0 is no limit" "1: 10000000" "$(limits --default-timeout 0 -R none)"
equal "all limits are multiplied, but those of tests with a label" "1: 3000
2: 200
3: 0
4: 2000" "$(limits --timeout-multiplier 2 --timeout-multiplier=valgrind=20)"
equal "the largest multiplier of its labels counts" "1: 1500
2: 100
3: 0
4: 300" "$(limits --timeout-multiplier valgrind=0.5 --timeout-multiplier a=b=3)"

# The limit would end the test at once if it were not multiplied.
declare_tests <<END
add_test(match "/bin/sh" "-c" "echo begin; until grep -q '^1: begin' '$work/output'; do sleep 0.01; done")
set_tests_properties(match PROPERTIES TIMEOUT_AFTER_MATCH "0.03;begin")
END
cctr -VV --timeout-multiplier 1000 >"$work/output"
equal "and so are those of TIMEOUT_AFTER_MATCH" "1: Test timeout changed to 30" \
	"$(grep 'Test timeout changed' "$work/output")"

refused() { # option, value, phrase
	cctr -N "$1" "$2" >"$work/output"
	equal "$1 refuses \"$2\"" "1 1" "$? $(grep -c "'$1' given '$2', not a $3" "$work/output")"
}
for value in "" soon -1 nan inf 1e300 10000001 5d; do
	refused --default-timeout "$value" "time of at most 10000000 s"
done
for value in "" 0 -1 nan inf 1e300 1001 x =2 a= a=b=; do
	refused --timeout-multiplier "$value" "number from 0.001 to 1000, nor LABEL=number"
done
finish
