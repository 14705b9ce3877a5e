#!/bin/sh
# A master of Grid Engine that ends while --engine=gridengine has a job, and is back. Most of the time
# this waits for Grid Engine: so it is a script of its own.
# shellcheck disable=SC2119,SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/grid_engine.sh
. tests/helpers/own_jobs.sh

begin_outside_of_a_job 6

# What a daemon does while it is down is nothing to the tests, but their jobs cannot be given
# back by a master that is gone: the next cctr does that.
declare_tests <<END
add_test(waits "/bin/sh" "-c" "echo begun >'$work/begun'; read line <'$work/go'; exit 3")
END
rm -f "$work/begun"
mkfifo "$work/go"
begin
await test -s "$work/begun"
ge_end qmaster KILL
timeout 20 sh -c "echo >'$work/go'"
wait $program
check "without its master a test has its own verdict" "$(is "$? $(grep -c 'waits .*\*\*\*Failed' "$work/output")" "8 1" ||
	cat "$work/output")"
check "... the job is not forgotten" "$(is "$(files_left | grep -c cctr-job-)" 1)"
# The execution daemon notices a new master after half a minute. If it starts anew, too, it ends no
# job for a minute.
ge_begin_master
declare_tests <<'END'
add_test(passes "/bin/true")
END
text=$(by_pilots)
check "... the next cctr gives it back" "$(is "$? $(lines "$text" 'of an earlier run, which was killed, was given back')" "0 1" || echo "$text")"
check "no job is left" "$(jobs_left)$(files_left)"
finish
