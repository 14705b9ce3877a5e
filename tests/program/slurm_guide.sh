#!/bin/sh
# The commands of Help/guide/cluster.rst for Slurm as they are written, in a build tree, with a
# real Slurm whose nodes are all this machine.
# shellcheck disable=SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/slurm.sh
. tests/helpers/tree.sh
. tests/helpers/own_jobs.sh

own_tree tree
unset SLURM_JOB_ID
start_slurm 4 4
scontrol create PartitionName=short Nodes=ALL State=UP >"$work/short" 2>&1
begin_guide

sed -n 's/^  \(.*cctr --engine=slurm .*\)/\1/p' Help/guide/cluster.rst >"$work/commands"
check "there are commands" "$(is "$(wc -l <"$work/commands")" 2)"
while read -r command; do
	text=$(cd "$tree" && timeout 250 sh -c "$command -V" 2>&1 </dev/null)
	check "$command" "$(is "$? $(lines "$text" ' Passed ') $(lines "$text" '^Engine: slurm, ')" "0 2 1" || echo "$text")"
	check "... runs the tests by agents" "$(is "$(lines "$text" '^2: .*--agent$') $(lines "$text" ': Node: n[1-4]')" "1 2" || echo "$text")"
	check "... and leaves no job" "$(jobs_left)"
done <"$work/commands"
finish
