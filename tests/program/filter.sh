#!/bin/sh
# --filter: tests for which an expression holds.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
tree="$work/tree"
mkdir -p "$tree/net/ip"

listed() { # options... -> the names of the tests that are listed, on one line
	cctr -N "$@" | sed -n 's/ (Disabled)$//; s/^ *Test *#[0-9]*: //p' | paste -sd' '
}
declare_tests <<'END'
add_test(fast "/bin/true")
add_test(slow "/opt/bin/tool" "--deep" "a b")
add_test(gpu.a "/bin/true")
add_test(gpu_a "/bin/false")
add_test(start "/bin/true")
add_test(stop "/bin/true")
add_test(uses "/bin/true")
add_test(after "/bin/true")
set_tests_properties(slow PROPERTIES LABELS "long;nightly" TIMEOUT 90 COST 7 WILL_FAIL 1)
set_tests_properties(gpu.a PROPERTIES LABELS gpu RESOURCE_GROUPS "2,gpus:1;cpus:4" PROCESSORS 4)
set_tests_properties(gpu_a PROPERTIES LABELS "gpu;nightly" RESOURCE_LOCK card)
set_tests_properties(start PROPERTIES FIXTURES_SETUP server)
set_tests_properties(stop PROPERTIES FIXTURES_CLEANUP server)
set_tests_properties(uses PROPERTIES FIXTURES_REQUIRED server PASS_REGULAR_EXPRESSION "up;ready")
set_tests_properties(after PROPERTIES DEPENDS uses ENVIRONMENT "A=1;B=2")
subdirs(net)
END
cat >"$tree/net/CTestTestfile.cmake" <<'END'
add_test(ping "/bin/true")
set_tests_properties(ping PROPERTIES DISABLED 1)
subdirs(ip)
END
echo 'add_test(route "/bin/true")' >"$tree/net/ip/CTestTestfile.cmake"

while IFS='	' read -r expression expected; do
	equal "$expression" "$expected" "$(listed -f "$expression")"
done <<'END'
all() & !fixture(server)	fast slow gpu.a gpu_a after ping route
none()	
name(gpu.a)	gpu.a
name(gpu?a) - name(=gpu.a)	gpu_a
name(~ow) | name(/^p/)	slow ping
label(gpu)	gpu.a gpu_a
label(gpu) & !label(nightly)	gpu.a
label(night*)	slow gpu_a
dir(net)	ping route
dir(=net)	ping
dir(net/ip)	route
dir(.) & !fixture(server)	fast slow gpu.a gpu_a after
deps(after)	start stop uses after
rdeps(uses)	start stop uses after
rdeps(start) & name(s*)	start
fixture(server)	start stop uses
setup(server)	start
cleanup(server)	stop
requires(server)	start stop uses
program(tool) & program(=/opt/bin/tool)	slow
command(--deep)	slow
command(="a b")	slow
property(ENVIRONMENT)	after
property(ENVIRONMENT=B=2)	after
property(DISABLED)	ping
property(WILL_FAIL=TRUE)	slow
property(TIMEOUT=90)	slow
property(RESOURCE_GROUPS~gpus)	gpu.a
property(PASS_REGULAR_EXPRESSION=ready)	start stop uses
property(PASS_REGULAR_EXPRESSION=read)	
lock(card)	gpu_a
resource(cpus)	gpu.a
processors(>1)	gpu.a
processors(2..4)	gpu.a
cost(>=7)	slow
timeout(<2m)	slow
failed()	
END

equal "--filter= is the same" "fast" "$(listed '--filter=name(fast)')"
equal "several must all hold" "gpu_a" "$(listed -f 'label(gpu)' -f 'label(nightly)')"
equal "-R must hold, too" "gpu_a" "$(listed -R '_a' -f 'label(gpu)')"
equal "-E" "gpu_a" "$(listed -E '[.]' -f 'label(gpu)')"
equal "-L" "gpu_a" "$(listed -L 'night' -f 'label(gpu)')"
equal "-LE" "gpu.a" "$(listed -LE 'night' -f 'label(gpu)')"
equal "-I counts without the expression" "gpu.a" "$(listed -I 1,3 -f 'label(gpu)')"
equal "-U" "gpu.a" "$(listed -U -I 3,3 -R fast -f 'label(gpu)')"
equal "--test" "gpu_a" "$(listed --test gpu_a --test fast -f 'label(gpu)')"
equal "numbers are those of all tests" "  Test #4: gpu_a" "$(cctr -N -f 'lock(card)' | grep '#')"

cctr -R 'fast|gpu' >"$work/output"
equal "failed() is what --rerun-failed runs" "$(listed --rerun-failed)" "$(listed -f 'failed()')"
equal "which is not nothing" "gpu_a" "$(listed -f 'failed() | none()')"
equal "time() is the expected time" "fast" "$(listed -f 'time(<60s) & name(fast)')"
equal "fixtures add what the selected tests need" "start
uses
stop" "$(cctr -j1 -f 'name(uses)' | sed -n 's/^ *Start *[0-9]*: //p')"

for version in 3.25 3.29 3.31 4.0 4.4; do
	text=$(CCTR_COMPAT_VERSION=$version cctr -N -f 'label(gpu) & lable(x)')
	equal "$version: an error ends cctr" "1 1" "$? $(echo "$text" | grep -cF \
		"'-f' given 'label(gpu) & lable(x)': column 14: no such predicate 'lable'; did you mean label?")"
done
text=$(cctr -N --filter)
equal "so does a missing expression" "1 1" "$? $(echo "$text" | grep -c "'--filter' requires an argument")"
text=$(cctr -N -f 'name(/(/)')
equal "and a regular expression that is wrong" "1 1" \
	"$? $(echo "$text" | grep -c '^cctr: --filter: column 1: the regular expression "(" is wrong: ')"
text=$(cctr -f 'name(gpu.b) | deps(aftre)')
equal "a name that no test has is an error" 1 $?
equal "which says what was meant" "cctr: --filter: column 1: no test matches name(gpu.b); did you mean gpu.a?
cctr: --filter: column 15: no test matches deps(aftre); did you mean after?" "$(echo "$text" | grep '^cctr:')"
text=$(cctr -N -f 'property(LABLES=gpu)')
equal "so is a property that no test has" "1 1" "$? $(echo "$text" | grep -c \
	'^cctr: --filter: column 1: no test has a property LABLES; did you mean LABELS?$')"
text=$(cctr -N -f 'label(gqu) | name(fast)' 2>&1)
equal "a label that no test has is a warning" "0 1 1" "$? $(echo "$text" | grep -c '#1: fast') $(echo "$text" | grep -c \
	'^cctr: --filter: column 1: no test matches label(gqu); did you mean gpu?$')"
text=$("$CCTR" --test-dir "$tree" -N -f 'label(gqu) | name(fast)' 2>/dev/null)
equal "on standard error" 0 "$(echo "$text" | grep -c gqu)"
equal "a glob that matches nothing is none" 0 "$(cctr -N -f 'label(g*qu) | name(fast)' | grep -c gqu)"
mkdir "$tree/Testing/Temporary/LastTestsFailed.log_" 2>/dev/null
equal "a list of failed tests that cannot be read is an error" 1 \
	"$(cctr -N -f 'failed()' >"$work/output"; echo $?)"
finish
