#!/bin/sh
# CCTR_NODES: a test that has several nodes as a whole, by agents of a launcher and in jobs
# of a real Slurm.
# shellcheck disable=SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/slurm.sh
. tests/helpers/own_jobs.sh

own_tree "a tree"
unset SLURM_JOB_ID
by_agents() {
	cctr --launcher '{agent}' --nodes 'n[1-2]' "$@"
}

# ---- without nodes -------------------------------------------------------------------

declare_tests <<'END'
add_test(one "/bin/true")
add_test(two "/bin/true")
set_tests_properties(two PROPERTIES CCTR_NODES 2)
END
text=$(cctr -V)
check "one machine is not two nodes" "$(is "$? $(lines "$text" ' Passed ') $(lines "$text" 'two \.*\*\*\*Not Run')" "8 1 1" ||
	echo "$text")"
check "... with the reason" "$(is "$(lines "$text" \
	'  Test requested 2 whole nodes with room for it, but the run has 1 node$')" 1)"
check "a listing shows the property as ctest does" "$(is "$(CCTR_COMPAT_VERSION=4.4 cctr --show-only=json-v1 | tr -d ' \n' |
	grep -c '{"name":"CCTR_NODES","value":"2"}')" 1)"
declare_tests <<'END'
add_test(none "/bin/true")
add_test(odd "/bin/true")
set_tests_properties(none PROPERTIES CCTR_NODES 0)
set_tests_properties(odd PROPERTIES CCTR_NODES "2 or 3")
END
text=$(by_agents)
check "what is no number of nodes is an error" "$(is "$? $(lines "$text" ' is not a number of nodes\.')" "8 2" ||
	echo "$text")"

# Groups without a specification have no meaning, as in ctest.
declare_tests <<'END'
add_test(two "/bin/sh" "-c" "echo nodes $CTEST_RESOURCE_GROUP_0_NODES")
set_tests_properties(two PROPERTIES RESOURCE_GROUPS "nodes:2")
END
text=$(cctr -r cpus=4)
check "a pool without nodes has no room for nodes:2" "$(is "$? $(lines "$text" 'two \.*\*\*\*Not Run')" "8 1" || echo "$text")"
check "... with the reason" "$(is "$(cctr -r cpus=4 -V |
	grep -c "Test requested resources of type 'nodes' which does not exist; a run with --engine or --launcher has nodes$")" 1)"
text=$(by_agents -r nodes=1:2 -V)
check "a type of that name stays one" "$(is "$? $(lines "$text" '^1: nodes id:0,slots:2$')" "0 1" || echo "$text")"
check "a listing shows the groups as they are declared" "$(is "$(by_agents --show-only=json-v1 | grep -c '"\.type" : "nodes"')" 1)"

# ---- in partitions ------------------------------------------------------------------

# Nodes of which another partition has nothing.
declare_tests <<'END'
add_test(a1 "/bin/sh" "-c" "echo $CCTR_PARTITION has $CCTR_NODELIST")
add_test(b1 "/bin/sh" "-c" "echo $CCTR_PARTITION has $CCTR_NODELIST")
set_tests_properties(a1 b1 PROPERTIES CCTR_NODES 2)
END
text=$(cctr --launcher '{agent}' --nodes 'n[1-4]' -j8 -V --partition 'a:nodes=2:-R ^a' --partition 'b:nodes=fill')
check "partitions have nodes of their own" "$(is "$? $(echo "$text" | sed -n 's/^[12]: \([ab] has .*\)/\1/p' | sort | tr '\n' ' ')" \
	"0 a has n1,n2 b has n3,n4 " || echo "$text")"
text=$(cctr --launcher '{agent}' --nodes 'n[1-4]' -j8 --partition 'a:nodes=1:-R ^a' --partition 'b:nodes=fill')
check "... in which a test must have room" "$(is "$? $(lines "$text" \
	'test a1 does not fit in partition a: it asks for cpus:1, on 2 whole nodes')" "1 1" || echo "$text")"
text=$(cctr --launcher '{agent}' --nodes 'n[1-2]' -j8 --partition 'a:nodes=2,cpus=1:-R ^a' --partition 'b:fill')
check "... and shares no node with another partition" "$(is "$? $(lines "$text" \
	'test a1 (and 1 more) does not fit in partition a: ')" "1 1" || echo "$text")"
cat >"$work/reconfig.sh" <<END
'$(realpath "$CCTR")' ctl --test-dir '$tree' reconfig --stop b --start 'c:nodes=2' || exit 3
END
declare_tests <<END
add_test(asks "/bin/sh" "$work/reconfig.sh")
add_test(two "/bin/sh" "-c" "echo \$CCTR_PARTITION has \$CCTR_NODELIST")
set_tests_properties(two PROPERTIES CCTR_NODES 2 DEPENDS asks)
END
text=$(cctr --launcher '{agent}' --nodes 'n[1-3]' -j8 -V --partition 'a:nodes=1:-R asks' --partition b:nodes=2)
check "reconfig gives whole nodes" "$(is "$? $(lines "$text" '^2: c has n[1-3],n[1-3]$')" "0 1" || echo "$text")"
check "no file is left of that" "$(files_left)"

# ---- by agents -----------------------------------------------------------------------

# Each test writes two lines, one when it begins and one when it ends. The test with two
# nodes would see a test that runs beside it.
cat >"$work/two.sh" <<'END'
echo "list $CCTR_NODELIST"
sed 's/^/file /' "$CCTR_NODEFILE"
before=$(wc -l <"$1")
[ $((before % 2)) = 0 ] || exit 3
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.05
	[ "$(wc -l <"$1")" = "$before" ] || exit 4
done
END
declare_tests <<END
add_test(a "/bin/sh" "-c" "echo begin >>'$work/log'; echo end >>'$work/log'")
add_test(b "/bin/sh" "-c" "echo begin >>'$work/log'; echo end >>'$work/log'")
add_test(two "/bin/sh" "$work/two.sh" "$work/log")
set_tests_properties(two PROPERTIES CCTR_NODES 2 COST 9)
END
: >"$work/log"
text=$(by_agents -j4 -V)
check "a test has both nodes" "$(is "$? $(lines "$text" '^3: list n1,n2$') $(lines "$text" '^3: file n[12]$')" "0 1 2" ||
	echo "$text")"
check "... as a whole, while no other test runs" "$(is "$(lines "$text" 'two \.* *Passed')" 1)"
check "... and the others run, too" "$(is "$(lines "$text" '[ab] \.* *Passed')" 2)"
check "no file is left" "$(files_left)"
text=$(by_agents -j4 -R two --explain two)
check "--explain names both nodes" "$(is "$? $(lines "$text" '^Nodes         n1, n2$')" "0 1" || echo "$text")"
text=$(by_agents -j4 -N --explain two --explain a)
check "... also without a run" "$(is "$? $(lines "$text" '^Nodes         n1, n2$') $(lines "$text" '^Node          n[12]$')" "0 1 1" ||
	echo "$text")"
text=$(by_agents -j4 --simulate)
check "--simulate knows the nodes" "$(is "$? $(lines "$text" 'Too large')" "0 0" || echo "$text")"

declare_tests <<'END'
add_test(one "/bin/true")
add_test(three "/bin/true")
set_tests_properties(three PROPERTIES CCTR_NODES 3)
END
text=$(by_agents -V)
check "three nodes are more than two" "$(is "$? $(lines "$text" ' Passed ')" "8 1" || echo "$text")"
check "... with the reason" "$(is "$(lines "$text" \
	'  Test requested 3 whole nodes with room for it, but the run has 2 nodes$')" 1)"
text=$(by_agents --simulate)
check "--simulate says so" "$(is "$? $(lines "$text" 'Too large  *1 tests')" "0 1" || echo "$text")"
text=$(by_agents -N --explain three)
check "so does --explain" "$(is "$? $(lines "$text" 'Insufficient resources')" "0 1" || echo "$text")"

# What canary calls nodes, with what each of them must have.
declare_tests <<END
add_test(a "/bin/sh" "-c" "echo begin >>'$work/log'; echo end >>'$work/log'")
add_test(two "/bin/sh" "$work/two.sh" "$work/log")
add_test(odd "/bin/true")
set_tests_properties(two PROPERTIES RESOURCE_GROUPS "nodes:2,cpus:1,cpus:1")
set_tests_properties(odd PROPERTIES RESOURCE_GROUPS "nodes:2" CCTR_NODES 3)
END
: >"$work/log"
text=$(by_agents -j4 -V)
check "nodes:2 is two whole nodes" "$(is "$? $(lines "$text" '^2: list n1,n2$') $(lines "$text" '^2: file n[12]$') $(lines "$text" ' Passed ')" \
	"8 1 2 2" || echo "$text")"
check "... that agree with CCTR_NODES" "$(is "$(lines "$text" '^RESOURCE_GROUPS requests 2 nodes, but CCTR_NODES is 3\.$')" 1 || echo "$text")"

# ---- nodes that are lost ---------------------------------------------------------------

# The agent of each node writes its process, and each attempt a line.
cat >"$work/start" <<END
#!/bin/sh
echo \$\$ >"$work/agent-\$1"
shift
exec "\$@"
END
chmod +x "$work/start"
begin_two() { # options
	: >"$work/begun"
	: >"$work/output"
	mkfifo "$work/go"
	env "$CCTR" --test-dir "$tree" --launcher "'$work/start' {node} {agent}" --nodes 'n[1-2]' -V "$@" \
		>"$work/output" 2>&1 </dev/null &
	program=$!
	await test -s "$work/begun"
}
end_two() {
	timeout 60 sh -c "echo >'$work/go'"
	wait $program
	status=$?
	rm "$work/go"
}
other_agent() { # signal
	other=$(sed -n 's/^1: list n[12],//p' "$work/output")
	kill "-$1" "$(cat "$work/agent-$other")"
}
declare_tests <<END
add_test(two "/bin/sh" "-c" "echo list \$CCTR_NODELIST; echo x >>'$work/begun'; read line <'$work/go'")
set_tests_properties(two PROPERTIES CCTR_NODES 2)
END
begin_two
await said '^1: list '
other_agent KILL
await said '^1: Test starts again: '
end_two
check "a test that loses another node than its first runs again" "$(is "$status $(wc -l <"$work/begun")" "0 2" || cat "$work/output")"
check "... which -V says" "$(said "^1: Test starts again: node $other was lost: " || cat "$work/output")"

# It has passed, by its first node, when nothing is known of the other one.
begin_two --node-timeout=15
await said '^1: list '
other_agent STOP
timeout 60 sh -c "echo >'$work/go'"
await said "^Warning: node $other: lost: it is silent"
check "a test does not pass while another node is silent" "$(said ' Passed ' && cat "$work/output")"
other_agent KILL
end_two
check "... it runs again" "$(is "$status $(wc -l <"$work/begun")" "0 2" || cat "$work/output")"

# The directory of the first attempt goes, that of the second one, which fails, is kept. Both have
# the same number for the agent.
declare_tests <<END
add_test(two "/bin/sh" "-c" "echo list \$CCTR_NODELIST; echo \$TMPDIR >>'$work/begun'; read line <'$work/go'; exit 1")
set_tests_properties(two PROPERTIES CCTR_NODES 2)
END
begin_two --private-tmp=keep-failed
await said '^1: list '
other_agent KILL
await said '^1: Test starts again: '
end_two
kept=$(sed -n 2p "$work/begun")
check "keep-failed keeps the directory of the attempt that failed" "$(is "$status $(lines "$(cat "$work/output")" \
	": kept the temporary directory of two: $kept\$")" "8 1" || cat "$work/output")"
check "... and no other one" "$(is "$(while read -r folder; do [ -d "$folder" ] && echo "$folder"; done <"$work/begun")" \
	"$kept")"
rm -rf "$kept"

# ---- in jobs of Slurm ----------------------------------------------------------------

start_slurm 3 2
declare_tests <<'END'
add_test(one "/bin/true")
add_test(two "/bin/sh" "-c" "echo list $CCTR_NODELIST; srun sh -c 'echo runs on $SLURMD_NODENAME'")
set_tests_properties(two PROPERTIES CCTR_NODES 2)
END
allocate -N3 -n3 --exclusive
text=$(SLURM_JOB_ID=$job cctr --engine=slurm -V)
check "a test has nodes of the job that cctr runs in" "$(is "$? $(lines "$text" '^2: list n[123],n[123]$')" "0 1" || echo "$text")"
check "... where its srun starts a process each" "$(is "$(echo "$text" | sed -n 's/^2: runs on //p' | sort)" \
	"$(echo "$text" | sed -n 's/^2: list //p' | tr , '\n' | sort)")"
scancel "$job"
check "the job is gone" "$(jobs_left)"
text=$(cctr --engine=slurm -V)
check "cctr asks for one job with as many nodes" "$(is "$? $(lines "$text" '^Engine: slurm, 2 nodes, 4 slots$')" "0 1" ||
	echo "$text")"
check "... where srun starts a process each" "$(is "$(lines "$text" '^2: runs on n[123]$')" 2)"
check "... and gives it back" "$(jobs_left)$(files_left)"
declare_tests <<'END'
add_test(two "/bin/sh" "-c" "echo list $CCTR_NODELIST")
set_tests_properties(two PROPERTIES RESOURCE_GROUPS "nodes:2,cpus:1,cpus:1,gpus:1")
END
text=$(cctr --engine=slurm -V)
check "... also for nodes:2, with what each node must have" "$(is "$? $(lines "$text" '^Engine: slurm, 2 nodes, 4 slots$') $(lines "$text" '^1: list n[123],n[123]$')" \
	"0 1 1" || echo "$text")"
check "... and gives it back, too" "$(jobs_left)$(files_left)"
declare_tests <<'END'
add_test(one "/bin/true")
add_test(two "/bin/sh" "-c" "echo list $CCTR_NODELIST; srun sh -c 'echo runs on $SLURMD_NODENAME'")
set_tests_properties(two PROPERTIES CCTR_NODES 2)
END
check "--simulate asks for none" "$(is "$(lines "$(cctr --engine=slurm --simulate)" 'Too large')" 0; list_jobs)"

declare_tests <<END
add_test(two "/bin/sh" "-c" "echo x >>'$work/job'; while :; do sleep 1; done")
set_tests_properties(two PROPERTIES CCTR_NODES 2)
END
begin
await test -s "$work/job"
scancel "$(list_jobs running)"
wait $program
check "where the job is cancelled, its test has not run" "$(is "$? $(grep -c 'two .*Not Run (node lost)' "$work/output")" "8 1" ||
	cat "$work/output")"
check "... and a warning has Slurm's reason" "$(said '^job [0-9]* has ended: CANCELLED' || cat "$work/output")"
check "no job is left" "$(jobs_left)$(files_left)"

declare_tests <<'END'
add_test(one "/bin/true")
add_test(four "/bin/true")
set_tests_properties(four PROPERTIES CCTR_NODES 4)
END
text=$(cctr --engine=slurm -V)
check "where there are not as many, the others run" "$(is "$? $(lines "$text" 'one \.* *Passed')" "8 1" || echo "$text")"
check "... after a warning" "$(is "$(lines "$text" '^Warning: no job with 4 whole nodes: .*; another one is asked for$')" 1)"
check "... and that test has not run, with the reason" "$(is "$(lines "$text" \
	'  Test requested 4 whole nodes with room for it, but the run has [12] nodes*$')" 1)"
check "no job is left" "$(jobs_left)$(files_left)"
finish
