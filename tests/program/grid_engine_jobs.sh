#!/bin/sh
# --engine=gridengine outside of a job of a real Grid Engine: cctr asks for one, and gives
# it back at every kind of end.
# shellcheck disable=SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/grid_engine.sh
. tests/helpers/own_jobs.sh

own_folder
unset JOB_ID NSLOTS SGE_TASK_ID PE_HOSTFILE
tree="$work/a tree"
mkdir "$tree"
grid_engine_start 6
qconf -sc >"$work/complexes"
for type in megs scratch; do
	echo "$type $type MEMORY <= YES YES 0 0"
done >>"$work/complexes"
{
	qconf -Mc "$work/complexes"
	qconf -aattr exechost complex_values megs=1000M,scratch=1000M "$ge_host"
} >"$work/setup" 2>&1

by_jobs() {
	cctr --engine=gridengine "$@"
}

declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "cat /proc/$PPID/environ | tr '\\0' '\\n' | grep ^JOB_NAME=")
add_test(fails "/bin/sh" "-c" "exit 100")
add_test(wide "/bin/true")
set_tests_properties(wide PROPERTIES PROCESSORS 2)
END
text=$(by_jobs -j4 -V)

check "the exit code is that of the tests" "$(is $? 8)"
check "an agent of the job runs the tests" "$(is "$(echo "$text" | grep -c '^1: JOB_NAME=petask')" 1 ||
	echo "$text")"
check "the job has what -j needs" "$(is "$(printf '%s\n' "$text" | grep '^Engine: ')" "Engine: gridengine, 1 node, 4 slots")"
check "no job is left" "$(jobs_left)"
check "no file is left" "$(files_left)"

declare_tests <<'END'
add_test(gpu "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1,gpus:1")
END
text=$(by_jobs -V)
check "GPUs are asked for" "$(is $? 0
	is "$(echo "$text" | grep -c '^1: gpus id:0,slots:1;id:1,slots:1$')" 1)"
cat >"$tree/cctr.yaml" <<'END'
{"backends": {"gridengine": {"mem_resource": "megs", "tmp_resource": "scratch", "default_prio": -7, "parallel_environment": "smp"}}}
END
declare_tests <<'END'
add_test(memory "/bin/sh" "-c" "echo $CTEST_RESOURCE_GROUP_0_MEM $CTEST_RESOURCE_GROUP_0_TMP; qstat -r; qstat -j '*' | grep ^priority:")
set_tests_properties(memory PROPERTIES RESOURCE_GROUPS "mem:300,tmp:200")
END
await jobs_are_gone
text=$(by_jobs --backend-opt='-pe make 1 -p -9' -V)
check "so are memory and temporary space, by the names in cctr.yaml" "$(is $? 0
	is "$(echo "$text" | grep -c '^1: id:0,slots:300 id:0,slots:200$')" 1
	is "$(echo "$text" | grep -c "^1: .*megs=300M")" 1
	is "$(echo "$text" | grep -c "^1: .*scratch=200M")" 1 || echo "$text")"
check "options win over cctr.yaml" "$(is "$(echo "$text" | grep -c '^1: .*Requested PE: *make')" 1)"
check "so is the priority" "$(is "$(echo "$text" | sed -n 's/^1: priority: *//p')" -9
	await jobs_are_gone
	is "$(by_jobs -V | sed -n 's/^1: priority: *//p')" -7)"
echo '{"backends": {"gridengine": {"bin": "/nonexistent", "root": "/nonexistent"}}}' >"$tree/cctr.yaml"
text=$(by_jobs)
check "a Grid Engine that is not there is a warning" "$(is "$? $(echo "$text" | grep -c \
	'^Warning: --engine=gridengine: qconf: .*; this machine runs the tests')" "0 1")"
rm "$tree/cctr.yaml"

# ---- jobs that do not start ----------------------------------------------------------

declare_tests <<'END'
add_test(wide "/bin/true")
set_tests_properties(wide PROPERTIES PROCESSORS 9)
END
text=$(by_jobs -j9)
check "a job that can never start is an error" "$(is $? 8)"
check "... with the reason" "$(is "$(echo "$text" | grep -c 'qsub: Job [0-9]* cannot run in PE "make" because it only offers 6 slots')" 1)"
text=$(by_jobs --backend-opt='-l nothing=1')
check "so is one that is refused" "$(is $? 8
	is "$(echo "$text" | grep -c 'qsub: unknown resource "nothing"')" 1)"
check "no test has run" "$(echo "$text" | grep Start)"
check "no job is left" "$(jobs_left)"
check "no file is left" "$(files_left)"

# ---- what ends cctr ------------------------------------------------------------------

needs_default_signals
fills() {
	qstat | grep -q ' fills .* r '
}
says_why() {
	said '^Waiting for job .*: its state is qw, .'
}
declare_deaf_test
check_signals

# All slots are in use.
qsub -b y -shell n -wd / -j y -o /dev/null -N fills -pe make 6 /bin/sleep infinity >"$work/qsub"
await fills
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

kill -KILL $program
wait $program 2>/dev/null
check_next_cctr
finish
