#!/bin/sh
# The commands of Help/guide/cluster.rst for Grid Engine as they are written, in a build tree, with
# a real Grid Engine whose one host is this machine.
# shellcheck disable=SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/own_jobs.sh
. tests/helpers/grid_engine.sh

begin_outside_of_a_job 32
qconf -sq all.q | sed 's/^qname.*/qname short.q/' >"$work/short"
qconf -Aq "$work/short" >"$work/said" 2>&1 || cat "$work/said"
begin_guide

job_has_ended() {
	! qstat -j "$job" >"$work/said" 2>&1
}
sed -n 's/^  \(.*cctr --engine=gridengine.*\)/\1/p' Help/guide/cluster.rst >"$work/commands"
check "there are commands" "$(is "$(wc -l <"$work/commands")" 2)"
while read -r command; do
	text=$(cd "$tree" && timeout 250 sh -c "$command -V" 2>&1 </dev/null)
	case $command in
	qsub*)
		job=$(echo "$text" | sed -n 's/^Your job \([0-9]*\) .*/\1/p')
		await job_has_ended
		text=$(cat "$tree/cctr.o$job" "$tree/cctr.e$job")
		;;
	esac
	check "$command" "$(is "$(lines "$text" ' Passed ') $(lines "$text" '^Engine: gridengine, ') $(lines "$text" '^100% tests passed')" "2 1 1" ||
		echo "$text")"
	check "... runs the tests by agents" "$(is "$(lines "$text" '^2: .*--agent$')" 1 || echo "$text")"
	check "... and leaves no job" "$(jobs_left)"
done <"$work/commands"
finish
