#!/bin/sh
# Pilots of --engine=slurm: each is a job of its own, comes when it can, is replaced when it
# is lost, and is given back when no test needs it.
# shellcheck disable=SC2016,SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/slurm.sh
. tests/helpers/own_jobs.sh

own_tree "a tree"
unset SLURM_JOB_ID
start_slurm 2 4

has_jobs() { # number, states
	[ "$(list_jobs "$2" | wc -l)" = "$1" ]
}
make_gate() {
	rm -f "$work/go" "$work/begun"
	mkfifo "$work/go"
}
let_go() {
	timeout 60 sh -c "echo >'$work/go'"
}
needs_default_signals

# ---- imagined ------------------------------------------------------------------------

declare_tests <<'END'
add_test(one "/bin/true")
add_test(gpu "/bin/true")
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
END
text=$(cctr --engine=slurm -j2 --simulate)
check "--simulate knows what pilots would have" "$(is "$? $(echo "$text" | grep -c ' sec resource gpus$')" "0 1")"
text=$(cctr --engine=slurm -j2 --simulate --explain gpu)
check "... and --explain on which a test would run" "$(is "$(echo "$text" | grep -c '^Node          pilot1$')" 1 || echo "$text")"
check "... in a listing, too" "$(is "$(cctr --engine=slurm -j2 -N --explain gpu | grep -c '^Node          pilot1$')" 1)"
text=$(cctr --engine=slurm -j2 --show-resources | grep -v ^Internal)
check "--show-resources shows what pilots would have" "$(is "$text" "cpus: 2
  0: 1 slot, node pilot1
  0: 1 slot, node pilot2
gpus: 1
  0: 1 slot, node pilot1
nodes: 2, for which a run would ask Slurm
  pilot1: cpus 1, gpus 1 (0)
  pilot2: cpus 1")"
check "... for the tests that are selected" "$(is "$(cctr --engine=slurm -j2 --show-resources -R one | grep -v ^Internal)" "cpus: 1
  0: 1 slot, node pilot1
nodes: 1, for which a run would ask Slurm
  pilot1: cpus 1")"
check "... also as JSON" "$(is "$(cctr --engine=slurm -j2 --show-resources=json | grep -c '"node" : "pilot[12]"')" 3)"
check "... and asks for none" "$(list_jobs all)"

# ---- several sizes -------------------------------------------------------------------

declare_tests <<'END'
add_test(one "/bin/true")
add_test(another "/bin/true")
add_test(wide "/bin/true")
add_test(memory "/bin/sh" "-c" "echo $CTEST_RESOURCE_GROUP_0_MEM")
add_test(temporary "/bin/sh" "-c" "echo $CTEST_RESOURCE_GROUP_0_TMP")
add_test(giant "/bin/true")
set_tests_properties(wide PROPERTIES PROCESSORS 3)
set_tests_properties(memory PROPERTIES RESOURCE_GROUPS "mem:1001")
set_tests_properties(temporary PROPERTIES RESOURCE_GROUPS "tmp:1")
set_tests_properties(giant PROPERTIES PROCESSORS 5)
END
text=$(cctr --engine=slurm -j5 -V)
check "tests that never fit fail alone" "$(is "$? $(echo "$text" | grep -c 'giant .*Not Run (node lost)')" "8 1"
	is "$(echo "$text" | grep -c ' Passed ')" 5 || echo "$text")"
check "... with the reason" "$(is "$(echo "$text" | grep -c \
	'^Warning: node pilot1: its agent did not start: .*')" 1)"
check "memory is asked for exactly" "$(is "$(echo "$text" | grep -c '^4: id:0,slots:1001')" 1)"
check "temporary space, too" "$(is "$(echo "$text" | grep -c '^5: id:0,slots:1$')" 1)"
check "no job is left" "$(jobs_left)"

declare_tests <<'END'
add_test(first "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
add_test(second "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
add_test(third "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
set_tests_properties(first second third PROPERTIES RESOURCE_GROUPS "gpus:1")
END
allocate -w n1 -N1 -n1 --gres=gpu:1
first=$job
allocate -w n2 -N1 -n1 --gres=gpu:2
text=$(cctr --engine=slurm -V)
check "a test gets the GPU that Slurm gave" "$(is "$? $(echo "$text" | grep -c '^[123]: gpus id:1,slots:1')" "0 3")"
scancel "$first" "$job"

# ---- late and never ------------------------------------------------------------------

declare_tests <<END
add_test(a "/bin/sh" "-c" "echo a >>'$work/begun'; read line <'$work/go'")
add_test(b "/bin/sh" "-c" "echo b >>'$work/begun'; echo >'$work/go'")
END
make_gate
allocate -w n1 -N1 -n1 -c4
first=$job
allocate -w n2 -N1 -n1 -c3
second=$job
begin -j2
await grep -q '[ab]' "$work/begun"
check "tests start on the first pilot" "$(has_jobs 1 pending || timeout 20 squeue)"
scancel "$first"
wait $program
check "a pilot that comes late takes part" "$(is $? 0 || cat "$work/output"; is "$(sort "$work/begun")" "a
b")"
scancel "$second"

declare_tests <<END
add_test(a "/bin/true")
add_test(b "/bin/true")
add_test(c "/bin/true")
END
allocate -w n1 -N1 -n1 -c4
first=$job
allocate -w n2 -N1 -n1 -c3
second=$job
text=$(cctr --engine=slurm -j3)
check "one that never comes is not waited for" "$(is $? 0 || echo "$text")"
check "... and is given back" "$(await has_jobs 0 pending || timeout 20 squeue)"
scancel "$first" "$second"

# ---- queues --------------------------------------------------------------------------

echo '{"backends": {"slurm": {"n_max_queued_jobs": 2, "idle_limit": 1}}}' >"$tree/cctr.yaml"
await has_jobs 0 running,completing
allocate -N2 -n2 -c4
first=$job
begin -j3
await has_jobs 2 pending
await waits
check "as many wait as are allowed" "$(has_jobs 2 pending || timeout 20 squeue)"
read -r processes <"/proc/$program/task/$program/children"
for process in $processes; do
	grep -q -- --pilot "/proc/$process/cmdline" && cp "/proc/$process/cmdline" "$work/pilot"
done
scancel "$first"
wait $program
check "the others follow" "$(is $? 0 || cat "$work/output")"
check "no job is left" "$(jobs_left)"

# The words of such a pilot, without its program, and a connection that takes nothing.
text=$(timeout 250 xargs -0 sh -c 'shift; exec "$CCTR" "$@" 2>&1 >/dev/full' sh <"$work/pilot")
check "a pilot that cannot say where it is ends" "$(is $? 123)"
check "... with the reason" "$(is "$(echo "$text" | sed 's/job [0-9]* /job N /')" \
	"cannot say on which node job N is: no space left on device")"
check "... and gives its job back" "$(jobs_left)"

# The choice of an order tries them in simulated time, before any node is there.
await has_jobs 0 running,completing
declare_tests <<END
add_test(first "/bin/true")
add_test(last "/bin/true")
set_tests_properties(last PROPERTIES COST 50 DEPENDS first PROCESSORS 2)
END
text=$(cctr --engine=slurm -j3 --schedule=pressure)
check "tests run by pressure, too" "$(is "$? $(echo "$text" | grep -c ' Passed ')" "0 2" || echo "$text")"

# The test that others wait for is as much more urgent as these take.
echo '{"backends": {"slurm": {"use_nice": true, "time_origin": "2026-01-01 00:00", "nice_factor": 2}}}' >"$tree/cctr.yaml"
declare_tests <<END
add_test(early "/bin/true")
add_test(late "/bin/true")
set_tests_properties(early PROPERTIES COST 100)
set_tests_properties(late PROPERTIES COST 50 DEPENDS early PROCESSORS 2)
END
nice_of() { # processors
	timeout 20 squeue -h -t pending -o '%C %y' | sed -n "s/^$1 //p"
}
begin_full() { # options
	await has_jobs 0 running,completing
	allocate -N2 -n2 -c4
	first=$job
	begin "$@"
	await has_jobs 2 pending
}
begin_full -j3 --schedule=pressure
check "jobs have the dates at which they should begin" "$(is "$(($(nice_of 2) - $(nice_of 1)))" 200
	[ "$(nice_of 1)" -gt 1000000 ] || nice_of 1)"
scancel "$first"
wait $program
check "... and their tests run" "$(is $? 0 || cat "$work/output")"
begin_full -j3
check "by ctest's order they have none" "$(is "$(nice_of 1) $(nice_of 2)" "0 0")"
scancel "$first"
wait $program
echo '{"backends": {"slurm": {"n_max_queued_jobs": 2, "idle_limit": 1}}}' >"$tree/cctr.yaml"

# ---- given back ----------------------------------------------------------------------

declare_tests <<END
add_test(long "/bin/sh" "-c" "echo >'$work/begun'; read line <'$work/go'")
add_test(b "/bin/true")
add_test(c "/bin/true")
END
make_gate
begin -j3
await test -s "$work/begun"
await said 'c \.\.* *Passed'
check "pilots that no test needs are given back" "$(await has_jobs 1 running,pending || timeout 20 squeue)"
let_go
wait $program
check "... and the last test goes on" "$(is $? 0 || cat "$work/output")"

# ---- lost ----------------------------------------------------------------------------

declare_tests <<END
add_test(long "/bin/sh" "-c" "mkdir '$work/once' 2>/dev/null || exit 0; echo >'$work/begun'; while :; do sleep 1; done")
END
rm -f "$work/begun"
begin -V
await test -s "$work/begun"
scancel "$(list_jobs running)"
wait $program
check "a test whose job is cancelled runs in another one" "$(is $? 0 || cat "$work/output")"
check "... which -V says" "$(said '^1: Test starts again: node n[12] was lost: job [0-9]* has ended: CANCELLED' ||
	cat "$work/output")"
check "no job is left" "$(jobs_left)"

rmdir "$work/once"
rm -f "$work/begun"
begin -V
await test -s "$work/begun"
node=$(timeout 20 squeue -h -t running -o %N)
scontrol update node="$node" state=down reason=test
wait $program
check "a test whose node is down runs on another one" "$(is $? 0 || cat "$work/output")"
# srun and the daemon of the step both say so, in either order.
check "... which -V says" "$(said "^1: Test starts again: node $node was lost: .*\(Node failure on $node\|ON $node CANCELLED.*NODE FAILURE\)" ||
	cat "$work/output")"

# Slurm looks at times now and then: this takes a minute or two.
declare_tests <<END
add_test(long "/bin/sh" "-c" "echo run >>'$work/runs'; while :; do sleep 1; done")
add_test(quick "/bin/true")
END
text=$(cctr --engine=slurm -j1 -V --backend-opt=--time=1)
check "a test whose job reaches its limit of time has failed" "$(is $? 8)"
check "... it does not run again" "$(is "$(wc -l <"$work/runs")" 1; is "$(echo "$text" | grep -c 'starts again')" 0)"
check "... the reason and the node are said" "$(is "$(echo "$text" |
	grep -c '^Test not run: node n[12] was lost: job [0-9]* has ended: [A-Z]*, TimeLimit')" 1 || echo "$text")"
check "... other tests run" "$(is "$(echo "$text" | grep -c 'quick .*Passed')" 1 || echo "$text")"

allocate -N2 -n2 -c4
first=$job
declare_tests <<'END'
add_test(a "/bin/true")
END
begin
await has_jobs 1 pending
await waits
scancel "$(list_jobs pending)"
await has_jobs 1 pending
scancel "$first"
wait $program
check "a job that is cancelled while it waits is asked for again" "$(is $? 0 || cat "$work/output")"

# ---- no agent ------------------------------------------------------------------------

declare_tests <<'END'
add_test(a "/bin/true")
add_test(wide "/bin/true")
set_tests_properties(wide PROPERTIES PROCESSORS 4)
END
text=$(cctr --engine=slurm -j4 --launcher 'false {agent}')
check "without any agent this machine runs the tests" "$(is $? 0)"
check "... after one warning" "$(is "$(echo "$text" | grep -c '^Warning: ')" 1
	is "$(echo "$text" | grep -c '^Warning: no node has an agent, so this machine runs all tests: n[12]: ')" 1)"
allocate -N2 -n2 -c4
text=$(SLURM_JOB_ID=$job cctr --engine=slurm -j4 --launcher 'false {agent}')
check "so does it in a job" "$(is "$? $(echo "$text" | grep -c '^Warning: no node has an agent')" "0 1")"
finish
