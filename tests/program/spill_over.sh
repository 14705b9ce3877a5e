#!/bin/sh
# --engine=local,slurm: this machine takes the first tests, pilots of a real Slurm the rest.
# shellcheck disable=SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/slurm.sh
. tests/helpers/own_jobs.sh

own_tree "a tree"
unset SLURM_JOB_ID
spill() {
	cctr --engine=local,slurm "$@"
}
# Tests that end when so many of them run.
declare_together() { # number
	rm -rf "$work/here"
	mkdir "$work/here"
	cat >"$work/together.sh" <<-END
		: >"$work/here/\$1"
		for _ in \$(seq 1200); do
			[ "\$(ls "$work/here" | wc -l)" = $1 ] && exit 0
			sleep 0.05
		done
		exit 3
	END
	for i in $(seq "$1"); do
		echo "add_test(t$i \"/bin/sh\" \"$work/together.sh\" $i)"
	done | declare_tests
}

# ---- the option ----------------------------------------------------------------------

declare_tests <<'END'
add_test(one "/bin/true")
END
text=$(cctr --engine=local,slurn)
check "an unknown engine after local" "$(is "$? $(lines "$text" 'did you mean slurm?')" "1 1" || echo "$text")"
mkdir "$work/empty"
text=$(PATH="$work/empty" "$CCTR" --test-dir "$tree" --engine=local,slurm 2>&1)
check "without need no one is asked" "$(is "$? $(lines "$text" Warning)" "0 0" || echo "$text")"
text=$(PATH="$work/empty" "$CCTR" --test-dir "$tree" --engine=local,slurm -j 999 2>&1)
check "without Slurm this machine runs all" "$(is "$? $(lines "$text" \
	'^Warning: --engine=slurm: sinfo: .*; this machine runs the tests')" "0 1" || echo "$text")"

# ---- with Slurm ----------------------------------------------------------------------

start_slurm 2 4
host=$(hostname)
# What cctr takes for the processors of this machine.
own=$(cctr --show-resources=json | tr -d ' \n' | sed 's/.*"cpus":\[\([^]]*\)\].*/\1/' | grep -o '"id"' | wc -l)
check "--show-resources says where each node is" "$(is "$(spill -j "$((own + 1))" --show-resources |
	sed -n 's/^  \([^ ]*\): .*engine/\1/p')" "$host local
pilot1 slurm")"
check "this machine has processors" "$([ "$own" -gt 0 ] || cctr --show-resources=json)"

declare_together "$own"
text=$(spill -j "$own" -V)
check "what this machine can run is run here" "$(is "$? $(lines "$text" '^Engine: ')" "0 0" || echo "$text")"
check "... and no job is asked for" "$(list_jobs all)"

declare_together $((own + 2))
text=$(spill -j $((own + 2)) -V)
check "the rest runs on pilots at the same time" "$(is "$?" 0 || echo "$text")"
check "... which the header says" "$(is "$(echo "$text" | grep '^Engine: ')" \
	"Engine: local,slurm, 2 pilots, $((own + 2)) slots")"
check "... and -V" "$(is "$(lines "$text" ": Node: $host\( \|\$\)") $(lines "$text" ': Node: n[12] ')" "$own 2")"
check "no job is left" "$(jobs_left)$(files_left)"

declare_tests <<'END'
add_test(here "/bin/true")
add_test(gpu "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
END
text=$(spill -V)
check "what does not fit here runs on a pilot" "$(is "$? $(lines "$text" '^2: gpus id:[01],slots:1$')" "0 1" || echo "$text")"
check "... and what does runs here" "$(is "$(lines "$text" "^1: Node: $host\( \|\$\)") $(lines "$text" '^2: Node: n[12] ')" "1 1")"
check "--simulate knows both" "$(is "$(lines "$(spill --simulate)" 'Too large')" 0)"
text=$(unset HWLOC_COMPONENTS && HWLOC_XMLFILE="$PWD/tests/cases/topology/nvidia.xml" CUDA_VISIBLE_DEVICES=1 spill -V)
check "GPUs of this machine are used" "$(is "$? $(lines "$text" '^2: gpus id:1,slots:1$') $(lines "$text" "^2: Node: $host\( \|\$\)")" "0 1 1" ||
	echo "$text")"
check "... and no job is asked for" "$(list_jobs)"
text=$(spill -V --backend-opt=--partition=none)
check "where no pilot starts, this machine runs what fits" "$(is "$? $(lines "$text" 'here \.* *Passed') $(lines "$text" \
	'gpu \.*\*\*\*Not Run (node lost)')" "8 1 1" || echo "$text")"
text=$(spill -j 1 -V --events "$work/events" --partition 'near::-R here --engine=local' --partition 'far::--engine=slurm')
check "partitions with an engine each" "$(is "$? $(lines "$text" "^1: Node: $host\( \|\$\)") $(lines "$text" '^2: Node: n[12] ')" "0 1 1" ||
	echo "$text")"
check "... which the events know" "$(is "$(grep -c '"partition":"near","state":"DONE","engine":"local",' "$work/events")" 1
	tests/helpers/event_schema.py "$work/events")"
text=$(spill -j 1 -V -R here --partition 'far::-R here --engine=slurm' --partition 'rest:nodes=fill')
check "... also where this machine would be enough" "$(is "$? $(lines "$text" '^1: Node: n[12] ')" "0 1" || echo "$text")"
text=$(spill -j 1 --partition 'a:nodes=2:-R here --engine=local' --partition 'b::--engine=slurm')
check "... whose sizes are of its nodes" "$(is "$? $(lines "$text" 'nodes of local: 2 (a), but the pool has 1$') $(lines "$text" 'Start ')" "1 1 0" ||
	echo "$text")"
allocate -N1 -n3
text=$(SLURM_JOB_ID=$job spill -V -R here --partition a:all --events "$work/events")
check "in a job the tests run on its nodes" "$(is "$? $(lines "$text" '^1: Node: n[12] ')" "0 1" || echo "$text")"
check "... and a partition has all its processors" "$(is "$(grep -c '"partition":"a",.*"slots":3,' "$work/events")" 1 ||
	cat "$work/events")"
scancel "$job"
check "no job is left" "$(jobs_left)$(files_left)"
finish
