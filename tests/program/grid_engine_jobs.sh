#!/bin/sh
# Pilots of --engine=gridengine: each is a job of its own, comes when it can, and is given back
# when no test needs it.
# shellcheck disable=SC2016,SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/grid_engine.sh
. tests/helpers/own_jobs.sh

begin_outside_of_a_job 6
qconf -sc >"$work/complexes"
for type in megs scratch; do
	echo "$type $type MEMORY <= YES YES 0 0"
done >>"$work/complexes"
{
	qconf -Mc "$work/complexes"
	qconf -aattr exechost complex_values megs=1000M,scratch=1000M "$ge_host"
} >"$work/setup" 2>&1

# ---- several sizes -------------------------------------------------------------------

declare_tests <<'END'
add_test(one "/bin/sh" "-c" "exit 99")
add_test(another "/bin/sh" "-c" "exit 100")
add_test(wide "/bin/true")
add_test(gpu "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
add_test(giant "/bin/true")
set_tests_properties(wide PROPERTIES PROCESSORS 3)
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
set_tests_properties(giant PROPERTIES PROCESSORS 7)
END
text=$(by_pilots --simulate -j5)
check "--simulate knows what pilots would have" "$(is "$? $(lines "$text" 'Too large')" "0 0" || echo "$text")"
check "... and asks for none" "$(list_jobs)"
text=$(by_pilots -j5 -V)
check "tests run on pilots" "$(is "$? $(lines "$text" ' Passed ') $(lines "$text" '\*\*\*Failed ')" "8 2 2" || echo "$text")"
check "a test that never fits fails alone" "$(is "$(lines "$text" 'giant .*Not Run (node lost)')" 1)"
check "... with the reason" "$(is "$(lines "$text" \
	'^Warning: node pilot[0-9]*: its agent did not start: .*qsub: Job [0-9]* cannot run in PE "make" because it only offers 6 slots')" 1)"
check "GPUs are asked for" "$(is "$(lines "$text" '^4: gpus id:0,slots:1$')" 1)"
check "no job is left" "$(jobs_left)"

declare_tests <<'END'
add_test(here "/bin/true")
add_test(gpu "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
END
text=$(cctr --engine=local,gridengine -j 1 -V --partition 'near::-R here --engine=local' --partition 'far::--engine=gridengine')
check "partitions of this machine and of pilots" "$(is "$? $(lines "$text" "^1: Node: $(hostname)\( \|\$\)") $(lines "$text" \
	'^2: gpus id:0,slots:1$') $(lines "$text" '^Partition \(near\|far\): 1 test, ')" "0 1 1 2" || echo "$text")"
check "... whose jobs are given back" "$(jobs_left)$(files_left)"

# Both jobs are of the same host, which counts its GPUs and does not name them.
rm -rf "$work/here"
mkdir "$work/here"
cat >"$work/gpu.sh" <<END
echo "gpus \$CTEST_RESOURCE_GROUP_0_GPUS"
: >"$work/here/\$1"
for _ in \$(seq 1200); do
	[ "\$(ls "$work/here" | wc -l)" = 2 ] && exit 0
	sleep 0.05
done
exit 3
END
declare_tests <<END
add_test(g1 "/bin/sh" "$work/gpu.sh" 1)
add_test(g2 "/bin/sh" "$work/gpu.sh" 2)
set_tests_properties(g1 g2 PROPERTIES RESOURCE_GROUPS "gpus:1")
END
text=$(by_pilots -j2 -V)
check "pilots of one host have different GPUs" "$(is "$? $(echo "$text" | sed -n 's/^[12]: gpus //p' | sort)" "0 id:0,slots:1
id:1,slots:1" || echo "$text")"

# ---- what is asked for ---------------------------------------------------------------

cat >"$tree/cctr.yaml" <<'END'
{"backends": {"gridengine": {"mem_resource": "megs", "tmp_resource": "scratch", "default_prio": -7, "parallel_environment": "smp"}}}
END
declare_tests <<'END'
add_test(memory "/bin/sh" "-c" "echo $CTEST_RESOURCE_GROUP_0_MEM $CTEST_RESOURCE_GROUP_0_TMP; qstat -r; qstat -j '*' | grep ^priority:")
set_tests_properties(memory PROPERTIES RESOURCE_GROUPS "mem:300,tmp:200")
END
await jobs_are_gone
text=$(by_pilots --backend-opt='-pe make 1 -p -9' -V)
check "so are memory and temporary space, by the names in cctr.yaml" "$(is $? 0
	is "$(echo "$text" | grep -c '^1: id:0,slots:300 id:0,slots:200$')" 1
	is "$(echo "$text" | grep -c "^1: .*megs=300M")" 1
	is "$(echo "$text" | grep -c "^1: .*scratch=200M")" 1 || echo "$text")"
check "options win over cctr.yaml" "$(is "$(echo "$text" | grep -c '^1: .*Requested PE: *make')" 1)"
check "so is the priority" "$(is "$(echo "$text" | sed -n 's/^1: priority: *//p')" -9
	await jobs_are_gone
	is "$(by_pilots --backend-opt='-pe make 1' -V | sed -n 's/^1: priority: *//p')" -7)"
echo '{"backends": {"gridengine": {"bin": "/nonexistent", "root": "/nonexistent"}}}' >"$tree/cctr.yaml"
text=$(by_pilots)
check "a Grid Engine that is not there is a warning" "$(is "$? $(echo "$text" | grep -c \
	'^Warning: --engine=gridengine: qconf: .*; this machine runs the tests')" "0 1")"
rm "$tree/cctr.yaml"

# ---- late and given back -------------------------------------------------------------

declare_tests <<END
add_test(a "/bin/sh" "-c" "echo a >>'$work/begun'; read line <'$work/go'")
add_test(b "/bin/sh" "-c" "echo b >>'$work/begun'; echo >'$work/go'")
END
await jobs_are_gone
mkfifo "$work/go"
fill 5
begin -j2
await grep -q '[ab]' "$work/begun"
await waits
check "tests start on the first pilot" "$(has_jobs 1 qw || list_jobs)"
qdel fills >"$work/qdel"
wait $program
check "a pilot that comes late takes part" "$(is $? 0 || cat "$work/output"; is "$(sort "$work/begun")" "a
b")"
check "no job is left" "$(jobs_left)$(files_left)"

echo '{"backends": {"gridengine": {"n_max_queued_jobs": 1, "idle_limit": 1}}}' >"$tree/cctr.yaml"
declare_tests <<END
add_test(long "/bin/sh" "-c" "echo >'$work/begun'; read line <'$work/go'")
add_test(b "/bin/true")
add_test(c "/bin/true")
END
: >"$work/begun"
begin -j3
await test -s "$work/begun"
await said 'c \.\.* *Passed'
check "pilots that no test needs are given back" "$(await has_jobs 1 r || list_jobs; await has_jobs 0 qw || list_jobs)"
timeout 60 sh -c "echo >'$work/go'"
wait $program
check "... and the last test goes on" "$(is $? 0 || cat "$work/output")"
rm "$tree/cctr.yaml"

# ---- whole nodes ---------------------------------------------------------------------

declare_tests <<'END'
add_test(one "/bin/true")
add_test(two "/bin/true")
set_tests_properties(two PROPERTIES CCTR_NODES 2)
END
text=$(by_pilots -V)
check "with CCTR_NODES there is one job" "$(is "$? $(lines "$text" '^Engine: gridengine, 1 node, 2 slots$') $(lines "$text" ' Passed ')" "8 1 1" ||
	echo "$text")"
check "no job is left" "$(jobs_left)$(files_left)"

# ---- spill-over ----------------------------------------------------------------------

declare_tests <<'END'
add_test(here "/bin/true")
add_test(gpu "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS; cat /proc/$PPID/environ | tr '\\0' '\\n' | grep ^JOB_NAME=")
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
END
text=$(cctr --engine=local,gridengine -V)
check "what does not fit on this machine runs on a pilot" "$(is "$? $(lines "$text" '^2: JOB_NAME=petask')" "0 1" || echo "$text")"
check "no job is left" "$(jobs_left)$(files_left)"
finish
