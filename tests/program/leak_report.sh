#!/bin/sh
# --leak-report: what tests have left. Such a process ends when its file is gone.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
tree="$work/tree"
mkdir "$tree"
equal() { # title, what is expected, what is there
	check "$1" "$(is "$3" "$2")"
}
lives() { # file
	echo "{ echo \\\$\\\$ >'$work/pid.$1'; while test -e '$work/$1'; do sleep 0.1; done; } >/dev/null 2>&1 </dev/null &"
}
: >"$work/server"
: >"$work/fixture"
declare_tests <<END
add_test(clean "/bin/sh" "-c" "(true &) >/dev/null")
add_test(server "/bin/sh" "-c" "$(lives server)")
add_test(begin "/bin/sh" "-c" "$(lives fixture)")
add_test(end "/bin/sh" "-c" "rm '$work/fixture'; while kill -0 \$(cat '$work/pid.fixture'); do sleep 0.1; done")
add_test(uses "/bin/true")
set_tests_properties(begin PROPERTIES FIXTURES_SETUP f)
set_tests_properties(end PROPERTIES FIXTURES_CLEANUP f)
set_tests_properties(uses PROPERTIES FIXTURES_REQUIRED f)
END
run() { # options...
	timeout 250 "$CCTR" --test-dir "$tree" "$@" >"$work/output" 2>"$work/said" </dev/null
}
run --leak-report -E '^end$|begin|uses' --events "$work/events"
equal "no verdict changes" 0 $?
equal "the process is named, and no other one" yes "$(grep -q '^LEAK Test #2: server: process [0-9]* (.*)$' "$work/said" &&
	! grep -v '#2: server' "$work/said" && echo yes)"
equal "events tell it, too" yes "$(grep -q '"event":"leak".*"test":"server","number":2.*"pid":[0-9]' "$work/events" && echo yes)"
equal "... as their schema says" "" "$(tests/helpers/event_schema.py "$work/events")"
run -R clean
equal "without the option nothing is said" "0 " "$? $(cat "$work/said")"
rm "$work/server"
run --leak-report -R uses
equal "what a cleanup ends is no leak" "0 " "$? $(cat "$work/said")"
run --leak-report -R clean
equal "nor what has ended" "0 " "$? $(cat "$work/said")"
finish
