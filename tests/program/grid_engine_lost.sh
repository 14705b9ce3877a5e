#!/bin/sh
# What becomes of tests of --engine=gridengine outside of a job when their pilots or cctr end: jobs
# that are lost are replaced, and none is left.
# shellcheck disable=SC2016,SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/grid_engine.sh
. tests/helpers/own_jobs.sh

begin_outside_of_a_job 6

# ---- lost ----------------------------------------------------------------------------

# No run here waits for a silent node.
declare_once() { # what the first attempt of the test does
	rm -rf "$work/once" "$work/begun"
	declare_tests <<-END
		add_test(long "/bin/sh" "-c" "mkdir '$work/once' 2>/dev/null || exit 0; echo >'$work/begun'; $1; while :; do sleep 1; done")
	END
}
declare_once :
begin -V --node-timeout=1000
await test -s "$work/begun"
qdel -u "$(id -un)" >"$work/qdel"
wait $program
check "a test whose job is deleted runs in another one" "$(is $? 0 || cat "$work/output")"
check "... which -V says" "$(said "^1: Test starts again: node .* was lost: job [0-9]* has ended: " || cat "$work/output")"
check "no job is left" "$(jobs_left)"

declare_once 'kill -9 $PPID'
text=$(by_pilots -V --node-timeout=1000)
check "a test whose agent is killed runs again" "$(is "$? $(lines "$text" '^1: Test starts again: node .* was lost')" "0 1" || echo "$text")"
check "... while its job goes on" "$(is "$(lines "$text" 'has ended')" 0)"

declare_tests <<END
add_test(long "/bin/sh" "-c" "echo run >>'$work/runs'; while :; do sleep 1; done")
END
text=$(by_pilots -V --node-timeout=1000 --backend-opt='-l h_rt=4')
check "a test whose job reaches its limit of time has failed" "$(is $? 8)"
check "... it does not run again" "$(is "$(wc -l <"$work/runs")" 1; is "$(lines "$text" 'starts again')" 0)"
check "... the reason and the node are said" "$(is "$(lines "$text" \
	'^Test not run: node .* was lost: job [0-9]* has ended: failed 37: qmaster enforced h_rt')" 1 || echo "$text")"

# ---- what ends cctr ------------------------------------------------------------------

says_why() {
	said '^Waiting for job .*: its state is qw, .'
}
declare_deaf_test
check_signals

# All slots are in use.
fill 6
begin
await says_why
check "cctr says why a job waits" "$(says_why || cat "$work/output")"
check_signal_while_it_waits
check "... and gives the job back" "$(is "$(list_jobs | grep -c ' qw ')" 0)"
begin
await waits
qdel fills >"$work/qdel"
await test -s "$work/pid"
check "a job that waits starts when there is room" "$(test -s "$work/pid" || cat "$work/output")"

kill -KILL "$program"
wait $program 2>/dev/null
check "SIGKILL leaves no process" "$(left "$(cat "$work/pid")")"
check "... and no job: the pilot gives it back" "$(jobs_left)$(await test -z "$(files_left | grep cctr-job-)" || files_left)"
finish
