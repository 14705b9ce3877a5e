#!/bin/sh
# --engine=gridengine in jobs of a real Grid Engine, whose only host is this machine.
# shellcheck disable=SC2016,SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/grid_engine.sh

own_folder
unset JOB_ID NSLOTS SGE_TASK_ID PE_HOSTFILE
tree="$work/a tree"
mkdir "$tree"

# ---- without Grid Engine -------------------------------------------------------------

declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "echo one; echo two >&2")
END
text=$(cctr --engine=gridengine)
check "outside of a job this machine runs the tests" "$(is $? 0)"
check "... after one warning" "$(is "$(echo "$text" | grep -ic warning)" 1
	is "$(echo "$text" | grep -c '^Warning: --engine=gridengine: qconf: .*; this machine runs the tests')" 1)"
text=$(JOB_ID=7 SGE_TASK_ID=undefined NSLOTS=1 PE_HOSTFILE="$work/nothing" cctr --engine=gridengine)
check "a file of hosts that is not there is a warning" "$(is "$? $(echo "$text" | grep -c \
	'^Warning: --engine=gridengine: cat: .*; this machine runs the tests')" "0 1")"
echo "n1;touch x 2" >"$work/hosts"
text=$(JOB_ID=7 SGE_TASK_ID=undefined NSLOTS=1 PE_HOSTFILE="$work/hosts" cctr --engine=gridengine)
check "a file of something else, too" "$(is "$? $(echo "$text" | grep -c \
	'a line is not a host and its slots; this machine')" "0 1")"

# ---- in a job ------------------------------------------------------------------------

grid_engine_start 99

declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "echo one; echo two >&2")
add_test(fails "/bin/sh" "-c" "exit 3")
add_test(asks_to_run_again "/bin/sh" "-c" "exit 99")
add_test(asks_to_be_an_error "/bin/sh" "-c" "exit 100")
add_test(crashes "/bin/sh" "-c" "kill -SEGV $$")
add_test("blanks ' and \" $(touch injected)" "/bin/sh" "-c" "echo 'a  b' \"\\\$0\"")
add_test(bytes "/bin/sh" "-c" "head -c 3000 /dev/zero | tr '\\0' x; printf '\\r\\n\\377 no newline'")
add_test(late "/bin/sh" "-c" "echo begun; exec sleep 600")
set_tests_properties(late PROPERTIES TIMEOUT 1)
END
cctr -V >"$work/alone"
status=$?
# Texts of some length, of which only what differs is of interest.
same_text() { # file
	without_times <"$work/alone" >"$work/expected"
	without_times <"$1" | diff "$work/expected" -
}
in_job() { # options of qsub -- command...
	rm -f "$work/said"
	timeout 250 qsub -sync y -b y -shell n -V -wd "$work" -j y -o "$work/said" "$@" >"$work/qsub" 2>&1
}
for kind in "-pe make 2" "-pe smp 2" ""; do
	# shellcheck disable=SC2086 # words
	in_job $kind "$CCTR" --test-dir "$tree" --engine=gridengine -j1 -V
	check "a job with '$kind' has the same exit code" "$(is $? $status)"
	check "... and the same text" "$(same_text "$work/said")"
done
check "no shell has read a name" "$(find "$work" -name injected)"

# ---- tasks of a job --------------------------------------------------------------------

# The machine has two names, so that a job has two hosts.
job_runs() {
	qstat | awk -v job="$job" '$1 == job && $5 == "r" { found = 1 } END { exit !found }'
}
begin_job() { # slots
	job=$(timeout 60 qsub -terse -b y -shell n -wd / -j y -o /dev/null -pe make "$1" /bin/sleep infinity)
	await job_runs
	printf '%s 1 all.q@%s UNDEFINED\nlocalhost 1 all.q@localhost UNDEFINED\n' "$ge_host" "$ge_host" >"$work/hosts"
}
inside() { # command...
	JOB_ID=$job SGE_TASK_ID=undefined NSLOTS=8 PE_HOSTFILE="$work/hosts" "$@"
}
by_tasks() {
	inside cctr --engine=gridengine "$@"
}
begin_job 8
by_tasks -j1 -V >"$work/said"
check "tasks on other hosts give the same exit code" "$(is $? $status)"
check "... and the same text" "$(same_text "$work/said")"
check "no shell has read a name" "$(find "$work" -name injected)"

declare_tests <<'END'
add_test(on1 "/bin/sh" "-c" "cat /proc/$PPID/environ | tr '\\0' '\\n' | grep ^JOB_NAME=")
add_test(on2 "/bin/sh" "-c" "cat /proc/$PPID/environ | tr '\\0' '\\n' | grep ^JOB_NAME=")
END
text=$(by_tasks -V -j2)
check "agents are tasks of the job" "$(is "$(echo "$text" | grep -c '^[12]: JOB_NAME=petask')" 2)"

check "--resource restricts what a job has" "$(is "$(by_tasks --show-resources -r cpus=9 -r gpus=1 | grep -v /)" \
	"cctr: --engine: node $ge_host has 1 of 9 instances of 'cpus' in this job
cctr: --engine: node localhost has 1 of 9 instances of 'cpus' in this job
cpus: 2
  0: 1 slot, node $ge_host
  0: 1 slot, node localhost
gpus: 2
  0: 1 slot, node $ge_host
  0: 1 slot, node localhost
nodes: 2, those of job $job of Grid Engine
  $ge_host: cpus 1, gpus 1 (0)
  localhost: cpus 1, gpus 1 (0)")"

# Grid Engine ends a job where a task ends by a signal.
declare_tests <<'END'
add_test(once "/bin/sh" "-c" "echo begun; mkdir once 2>/dev/null && kill -9 $PPID; exit 0")
END
text=$(by_tasks -V)
check "a test of a lost agent runs again" "$(is $? 0; ls -d "$tree/once" >/dev/null)"
check "... which -V says" "$(is "$(echo "$text" | grep -c '^1: Test starts again: node .* was lost')" 1)"
# The agent that takes the place of the lost one has perhaps just begun to start.
text=$(by_tasks -V)
check "... and the job goes on" "$(is $? 0; is "$(echo "$text" | grep -c '^1: Node: ')" 1; job_runs || echo "it has ended")"

# What a daemon does while it is down is nothing to the tests.
mkfifo "$work/go"
declare_tests <<END
add_test(waits "/bin/sh" "-c" "echo begun >'$work/begun'; read line <'$work/go'; exit 3")
END
while_it_runs() { # what is done meanwhile
	rm -f "$work/begun"
	by_tasks >"$work/output" 2>&1 &
	program=$!
	await test -s "$work/begun"
	"$@"
	timeout 20 sh -c "echo >'$work/go'"
	wait $program
}
while_it_runs ge_end qmaster KILL
check "without its master a test has its own verdict" "$(is $? 8
	is "$(grep -c 'waits .*\*\*\*Failed' "$work/output")" 1)"
ge_begin_master
while_it_runs ge_end execd KILL
check "without its execution daemon, too" "$(is $? 8
	is "$(grep -c 'waits .*\*\*\*Failed' "$work/output")" 1)"
ge_begin_execution
await ge_is_ready

# ---- what ends a run ------------------------------------------------------------------

begin_job 8
declare_tests <<END
add_test(runs "/bin/sh" "-c" "qdel $job >/dev/null; while :; do sleep 1; done")
END
text=$(by_tasks --node-timeout=10)
check "a test whose job is deleted has failed" "$(is $? 8)"
check "... it has not run, either" "$(is "$(echo "$text" | grep -c 'runs .*\*\*\*Not Run (node lost)')" 1)"

declare_tests <<END
add_test(deaf "/bin/sh" "-c" "trap '' INT TERM; echo \$\$ >'$work/pid'; while :; do sleep 1; done")
END
no_agents() {
	! grep -lsz -- '^JOB_NAME=petask' /proc/[0-9]*/environ | xargs -r -n1 dirname 2>/dev/null |
		xargs -r -I{} grep -lsz -- "^SGE_ROOT=$SGE_ROOT\$" {}/environ | grep -q .
}
if env --default-signal=INT true 2>/dev/null; then
	for signal in INT TERM KILL; do
		begin_job 8
		rm -f "$work/pid"
		env --default-signal=INT,TERM JOB_ID="$job" SGE_TASK_ID=undefined NSLOTS=8 PE_HOSTFILE="$work/hosts" \
			"$CCTR" --test-dir "$tree" --engine=gridengine >"$work/output" 2>&1 </dev/null &
		program=$!
		await test -s "$work/pid"
		kill -$signal $program
		wait $program 2>/dev/null
		status=$?
		check "SIG$signal ends cctr" "$([ $status -gt 128 ] || echo $status)"
		check "... and leaves no test" "$(left "$(cat "$work/pid")")"
		check "... and no agent" "$(await no_agents || echo "one runs")"
	done
fi
finish
