#!/bin/sh
# --engine=slurm outside of a job of a real Slurm: cctr asks for one, and gives it back at
# every kind of end.
set -u
. tests/meta/tap.sh
. tests/helpers/slurm.sh
. tests/helpers/tree.sh
. tests/helpers/own_jobs.sh

own_tree "a tree"
unset SLURM_JOB_ID
start_slurm 2 4

asked() { # what sbatch was asked for, of the last job
	timeout 20 scontrol show job "$(timeout 20 squeue -h -t all -o %A | sort -n | tail -n 1)" | grep -o "$1[^ ]*"
}

declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "echo $(ps -o args= $PPID)")
add_test(fails "/bin/sh" "-c" "exit 3")
add_test(wide "/bin/true")
set_tests_properties(wide PROPERTIES PROCESSORS 2 RESOURCE_GROUPS "mem:200")
END
text=$(cctr --engine=slurm -j4 -V)
check "the exit code is that of the tests" "$(is $? 8)"
check "an agent of the job runs the tests" "$(is "$(echo "$text" | grep -c '^1: .*--agent$')" 1)"
check "there are as many jobs as -j needs" "$(is "$(echo "$text" | grep '^Engine: ')" "Engine: slurm, 3 pilots, 4 slots")"
check "... of what the tests need" "$(is "$(timeout 20 squeue -h -t all -o '%C %m' | sort)" "1 100M
1 100M
2 100M")"
check "no job is left" "$(jobs_left)"
check "no file is left" "$(files_left)"

text=$(cctr --engine=slurm -R passes --backend-opt='--comment="a  b"' -V)
check "options go to the asking command" "$(is "$(asked Comment=)" "Comment=a")"
echo '{"backends": {"slurm": {"repo_key": "mine:"}}}' >"$tree/cctr.yaml"
text=$(cctr --engine=slurm -R passes --backend-opt="--comment='\$(touch $work/shell);\`touch $work/shell\`'")
check "... and to no shell" "$(is "$? $(asked Comment=)" "0 Comment=\$(touch"; ls "$work/shell" 2>/dev/null)"
check "the name of a job begins with repo_key" "$(asked JobName= | grep -q '^JobName=mine:cctr-' || asked JobName=)"
rm "$tree/cctr.yaml"

declare_tests <<'END'
add_test(gpu "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
END
text=$(cctr --engine=slurm -V)
check "GPUs are asked for" "$(is $? 0
	is "$(echo "$text" | grep -c '^1: gpus id:[01],slots:1')" 1)"

# ---- jobs that do not start ----------------------------------------------------------

text=$(cctr --engine=slurm --backend-opt=-N9)
check "tests whose job can never start have failed" "$(is $? 8)"
check "... with the reason" "$(is "$(echo "$text" | grep -c \
	'^Warning: the batch system gives no node: pilot1: .*job [0-9]* can never start: PENDING, PartitionConfig')" 1)"
check "... and is given back" "$(jobs_left)"
text=$(cctr --engine=slurm --backend-opt=--partition=none)
check "so have those whose job is refused" "$(is $? 8)"
check "... with the reason" "$(is "$(echo "$text" | grep -ci 'invalid partition')" 1)"
check "no test has run" "$(is "$(echo "$text" | grep -c 'Not Run (node lost)')" 1)"
text=$(cctr --engine=slurm --backend-opt=-N2)
check "a pilot has one node" "$(is "$? $(echo "$text" | grep -c 'job [0-9]* has 2 nodes, but a pilot has one')" "8 1")"
check "no file is left" "$(files_left)"

# ---- what ends cctr ------------------------------------------------------------------

needs_default_signals
pilots() { # their processes
	for process in /proc/[0-9]*; do
		{ tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null | grep -qF -- "--pilot slurm $tree/" && basename "$process"
	done
}
declare_deaf_test
check_signals

# All processors are in use.
allocate -N2 -c4 -n2
begin
check_signal_while_it_waits
check "... and gives the job back" "$(jobs_left pending)"
begin
await waits
scancel "$job"
await test -s "$work/pid"
check "a job that waits starts when there is room" "$(test -s "$work/pid" || cat "$work/output")"

kill -KILL $program
wait $program 2>/dev/null
check "SIGKILL leaves no process" "$(left "$(cat "$work/pid")")"
check "... and the pilot gives the job back" "$(jobs_left)"
check "... no file names it" "$(files_left | grep cctr-job-)"

begin
await test -s "$work/pid"
# shellcheck disable=SC2046 # several
kill -KILL $program $(pilots)
wait $program 2>/dev/null
check_next_cctr
finish
