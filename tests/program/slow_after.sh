#!/bin/sh
# --slow-after: a test runs until cctr has called it slow, so that nothing depends on how long that
# takes.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree
said="$work/said"

# Standard error goes to $said, standard output to $work/output.
run() { # options...
	timeout 250 "$CCTR" --test-dir "$tree" "$@" >"$work/output" 2>"$said" </dev/null
}
lines_of() { # test -> how often it was called slow
	grep -cE "^SLOW \[> [0-9.]+ sec\] Test #[0-9]+: $1\$" "$said"
}
declare_tests <<END
add_test(waits "/bin/sh" "-c" "until test \$(grep -c waits '$said') -ge 2; do sleep 0.01; done")
add_test(also "/bin/sh" "-c" "until grep also '$said'; do sleep 0.01; done")
set_tests_properties(waits also PROPERTIES TIMEOUT 200)
END
run -j2 --slow-after 0.05 --events "$work/events"
equal "both were called slow while they ran" 0 $?
equal "one of them again and again" yes "$([ "$(lines_of waits)" -ge 2 ] && [ "$(lines_of also)" -ge 1 ] && echo yes)"
equal "nothing else is said on standard error" "" "$(grep -v '^SLOW ' "$said")"
equal "nor anything more on standard output" "" "$(grep SLOW "$work/output")"
equal "events tell it, too" yes \
	"$([ "$(grep -c '"event":"slow",.*"test":"waits","number":1,"attempt":1,"seconds":[0-9]' "$work/events")" -ge 2 ] && echo yes)"
equal "... as their schema says" "" "$(tests/helpers/event_schema.py "$work/events")"
run -R also --slow-after=0.05s --launcher '{agent}' --nodes n1
equal "a test on a node is called slow, and --slow-after= is the same" "0 yes" \
	"$? $([ "$(lines_of also)" -ge 1 ] && echo yes)"
# The first attempt fails when it was called slow, the second runs until it is, too.
declare_tests <<END
add_test(again "/bin/sh" "-c" "n=0; test -e '$work/second' && n=\$(cat '$work/second')
	until test \$(grep -c again '$said') -gt \$n; do sleep 0.01; done
	test -e '$work/second' || { grep -c again '$said' >'$work/second'; exit 1; }")
set_tests_properties(again PROPERTIES TIMEOUT 200)
END
run --slow-after 0.05 --repeat until-pass:2
equal "each attempt is called slow" 0 $?

declare_tests <<'END'
add_test(quick "/bin/true")
add_test(quick_too "/bin/true")
END
run --slow-after 1h
equal "no test is called slow before" "" "$(cat "$said")"
for time in soon "" 0 -5s 1e-9 nan 5d; do
	run --slow-after "$time"
	equal "\"$time\" is refused" "1 1" \
		"$? $(grep -c "'--slow-after' given '$time', not a time of a millisecond or more" "$said")"
done
finish
