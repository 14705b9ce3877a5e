#!/bin/sh
# --engine=slurm in an allocation of a real Slurm, whose nodes are all this machine.
set -u
. tests/meta/tap.sh
. tests/helpers/slurm.sh
. tests/helpers/pmix.sh
. tests/helpers/tree.sh

own_tree "a tree"

# ---- without Slurm -------------------------------------------------------------------

declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "echo one; echo two >&2")
END
unset SLURM_JOB_ID
mkdir "$work/empty"
text=$(PATH="$work/empty" "$CCTR" --test-dir "$tree" --engine=slurm 2>&1)
check "without Slurm's commands this machine runs the tests" "$(is $? 0)"
check "... after one warning" "$(is "$(echo "$text" | grep -i warning)" \
	"Warning: --engine=slurm: sinfo: no such file or directory; this machine runs the tests")"
text=$(PATH="$work/empty" SLURM_JOB_ID=7 "$CCTR" --test-dir "$tree" --engine=slurm 2>&1)
check "in a job, too" "$(is $? 0)"
check "... after one warning" "$(is "$(echo "$text" | grep -i warning)" \
	"Warning: --engine=slurm: scontrol: no such file or directory; this machine runs the tests")"
check "the variable says the same" "$(is "$(SLURM_CONF=$work/none CCTR_ENGINE=slurm cctr |
	grep -c '^Warning: --engine=slurm: ')" 1)"
mkdir "$work/mute"
printf '#!/bin/sh\nexec sleep 600\n' >"$work/mute/sinfo"
chmod +x "$work/mute/sinfo"
printf '{"backends": {"slurm": {"bin": "%s", "init_timeout": 1}}}\n' "$work/mute" >"$tree/cctr.yaml"
text=$(cctr --engine=slurm)
check "where Slurm does not answer in time, this machine runs the tests" "$(is "$? $(echo "$text" |
	grep -c '^Warning: --engine=slurm: sinfo: it does not answer in time; this machine runs the tests$')" "0 1" || echo "$text")"
rm "$tree/cctr.yaml"
check "an option goes before the variable" "$(is "$(CCTR_ENGINE=slurm cctr --engine=local | grep -ci warning)" 0)"
text=$(cctr --engine=local --backend-opt=--bogus)
check "its options are nothing to this machine" "$(is "$? $(echo "$text" | grep -ci warning)" "0 0")"
i=0
while [ $i -lt 20 ]; do
	echo "add_test(t$i \"/bin/sh\" \"-c\" \"/bin/mkdir here && /bin/rmdir here\")"
	echo "set_tests_properties(t$i PROPERTIES RESOURCE_GROUPS type_$((i % 3)):1)"
	i=$((i + 1))
done | declare_tests
text=$(PATH="$work/empty" "$CCTR" --test-dir "$tree" --engine=slurm -j8 2>&1)
check "tests with resources of Slurm run one after the other there" "$(is "$? $(echo "$text" | grep -c Passed)" "0 20" || echo "$text")"
declare_tests <<'END'
add_test(a "/bin/sh" "-c" "echo >a.runs; until [ -e b.runs ]; do :; done")
add_test(b "/bin/sh" "-c" "echo >b.runs; until [ -e a.runs ]; do :; done")
set_tests_properties(a b PROPERTIES RESOURCE_GROUPS gpus:1 TIMEOUT 100)
END
text=$(PATH="$work/empty" "$CCTR" --test-dir "$tree" --engine=slurm -j2 --no-resource-spec=unlimited 2>&1)
check "... if nothing else is said" "$(is "$? $(echo "$text" | grep -c Passed)" "0 2" || echo "$text")"
declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "echo one; echo two >&2")
END
check "no test starts in a listing" "$(is "$(cctr --engine=slurm -N | grep -ci warning)" 0)"

refused() { # title, text, words
	text=$(cctr "$3" ${4:+"$4"})
	check "$1" "$(is "$?" 1; is "$(echo "$text" | grep -c "$2")" 1)"
}
refused "an unknown engine" "given invalid value 'slurn': did you mean slurm?" --engine=slurn
refused "no engine at all" "given invalid value 'xyzzy': the engines are local, " --engine=xyzzy
refused "local with a launcher" "cannot be used with --launcher" --engine=local "--launcher={agent}"
refused "nodes that are not the engine's" "cannot be used with --nodes" --engine=slurm --nodes=n1
text=$(CCTR_ENGINE=slurn cctr)
check "an unknown engine in the variable" "$(is "$?" 1
	is "$(echo "$text" | grep -c "'CCTR_ENGINE' given invalid value 'slurn'")" 1)"

# ---- with Slurm ----------------------------------------------------------------------

start_slurm 2 4
inside() { # command...
	SLURM_JOB_ID=$job SLURM_JOB_NODELIST='n[1-2]' "$@"
}
allocate -N2 --ntasks-per-node=2 --gres=gpu:1
check "there is an allocation" "$([ -n "$job" ] || echo none)"

declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "echo one; echo two >&2")
add_test(fails "/bin/sh" "-c" "exit 3")
add_test(crashes "/bin/sh" "-c" "kill -SEGV $$")
add_test(bytes "/bin/sh" "-c" "head -c 300000 /dev/zero | tr '\\0' x; printf '\\r\\n\\377 no newline'")
add_test(late "/bin/sh" "-c" "echo begun; exec sleep 600")
set_tests_properties(late PROPERTIES TIMEOUT 1)
END
alone=$(cctr -V)
status=$?
agents=$(inside cctr --engine=slurm -j1 -V)
check "the same exit code" "$(is $? $status)"
check "the same text" "$(is "$(echo "$agents" | without_times)" "$(echo "$alone" | without_times)")"

declare_tests <<'END'
add_test(on1 "/bin/sh" "-c" "ps -o args= $PPID")
add_test(on2 "/bin/sh" "-c" "ps -o args= $PPID")
END
text=$(inside cctr --engine=slurm -V -j2)
check "agents run the tests" "$(is "$(echo "$text" | grep -c '^[12]: .*--agent$')" 2)"

# ---- the pool is what the job has ---------------------------------------------------

# Each test waits for the other three, which need all processors of both nodes.
declare_tests <<END
foreach(i 1 2 3 4)
  add_test(together\${i} "/bin/sh" "-c" "touch '$work/here'\${i}; until [ \$(ls '$work' | grep -c ^here) = 4 ]; do sleep 0.1; done")
  set_tests_properties(together\${i} PROPERTIES TIMEOUT 60)
endforeach()
END
text=$(inside cctr --engine=slurm)
check "the default of -j is all processors of the job" "$(is $? 0)"
text=$(inside cctr --engine=slurm --simulate --explain together4)
check "... for --simulate, too" "$(is "$(echo "$text" | grep '^Simulated')" "Simulated 4 tests with -j4, in ctest's order")"
check "... which knows the nodes of the job" "$(is "$(echo "$text" | grep -c '^Node          n[12]$')" 1 || echo "$text")"
check "... and with -j uses that" "$(is "$(inside cctr --engine=slurm -j3 --simulate | grep -c '^Simulated 4 tests with -j3,')" 1)"
check "... for --explain in a listing, too" "$(is "$(inside cctr --engine=slurm -N --explain together4 |
	grep -c '^Node          n[12]$\|^ .* -j5$')" 2)"

# Where the test runs, and what it was given there.
cat >"$work/told" <<'END'
tr '\0' '\n' </proc/$PPID/environ | grep SLURMD_NODENAME
echo "gpus $CTEST_RESOURCE_GROUP_0_GPUS"
[ $# = 0 ] || touch "$1"
[ $# != 2 ] || until [ -e "$2" ]; do sleep 0.1; done
END
declare_tests <<END
add_test(one "/bin/sh" "$work/told" "$work/one" "$work/two")
add_test(two "/bin/sh" "$work/told" "$work/two" "$work/one")
add_test(three "/bin/true")
set_tests_properties(one two PROPERTIES RESOURCE_GROUPS "gpus:1" TIMEOUT 60)
set_tests_properties(three PROPERTIES RESOURCE_GROUPS "gpus:2")
END
text=$(inside cctr --engine=slurm -V)
check "a test needs more GPUs than any node has" "$(is $? 8)"
check "... and did not run" "$(is "$(echo "$text" | grep -c 'three .*\*\*\*Not Run')" 1)"
check "two tests have the GPUs of two nodes" "$(is \
	"$(echo "$text" | grep -o 'SLURMD_NODENAME=.*' | sort)" "SLURMD_NODENAME=n1
SLURMD_NODENAME=n2")"
check "... by the numbers of Slurm" "$(is "$(echo "$text" | grep -c '^[12]: gpus id:0,slots:1')" 2)"

cat >"$work/spec.json" <<'END'
{"version": {"major": 1, "minor": 0}, "local": [{"gpus": [{"id": "0"}, {"id": "1"}], "licences": [{"id": "a"}]}]}
END
declare_tests <<'END'
add_test(gpu "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
add_test(licence "/bin/sh" "-c" "echo licence $CTEST_RESOURCE_GROUP_0_LICENCES")
add_test(two "/bin/true")
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
set_tests_properties(licence PROPERTIES RESOURCE_GROUPS "licences:1")
set_tests_properties(two PROPERTIES RESOURCE_GROUPS "2,gpus:1")
END
text=$(inside cctr --engine=slurm -V --resource-spec-file "$work/spec.json")
check "a specification cannot add GPUs to a job" "$(is "$(echo "$text" | grep -c 'two .*\*\*\*Not Run')" 1)"
check "... which a warning says of each node" "$(is \
	"$(echo "$text" | grep -c "spec.json: node n[12] has 1 of 2 instances of 'gpus' in this job")" 2)"
check "... but other types" "$(is "$(echo "$text" | grep -c '^2: licence id:a,slots:1')" 1)"
text=$(inside cctr --engine=slurm -V -R licence --resource licences=1)
check "--resource adds them, too" "$(is "$(echo "$text" | grep -c '^2: licence id:0,slots:1')" 1)"
text=$(inside cctr --engine=slurm --show-resources)
check "... and on which nodes they are" "$(is "$(echo "$text" | grep -c '^  [01]: .*, node n[12]$')" 8 || echo "$text")"
check "--show-resources shows the job's" "$(is "$(echo "$text" | grep '^[a-z]\|^  n')" "cpus: 4
gpus: 2
mem: 2
nodes: 2, those of job $job of Slurm
  n1: cpus 2, gpus 1 (0), mem 200
  n2: cpus 2, gpus 1 (0), mem 200")"

# ---- ... as far as it is there -------------------------------------------------------

declare_tests <<'END'
add_test(gpu "/bin/sh" "-c" "echo gpus $CTEST_RESOURCE_GROUP_0_GPUS")
add_test(gpus "/bin/true")
add_test(cpus "/bin/true")
add_test(memory "/bin/true")
set_tests_properties(gpu PROPERTIES RESOURCE_GROUPS "gpus:1")
set_tests_properties(gpus PROPERTIES RESOURCE_GROUPS "2,gpus:1")
set_tests_properties(cpus PROPERTIES RESOURCE_GROUPS "2,cpus:1")
set_tests_properties(memory PROPERTIES RESOURCE_GROUPS "mem:150")
END
scancel "$job"
allocate -w n1 -N1 -n2 --gres=gpu:2
on_a_node_with() { # title, what is missing, tests that do not run, words that start an agent
	text=$(inside cctr --engine=slurm -V --launcher "$4 {agent}")
	check "$1: a warning" "$(is "$(echo "$text" | grep '^Warning: ')" \
		"${2:+Warning: node n1: its agent finds $2; no more are used}")"
	check "... and no test gets what is missing" "$(is "$(echo "$text" |
		sed -n 's/.*Test *#[0-9]*: \([a-z]*\) .*Not Run.*/\1/p' | xargs)" "$3" || echo "$text")"
	check "... but what is there" "$(is "$(echo "$text" | grep -c '^1: gpus id:0,slots:1')" 1)"
}
topologies="$PWD/tests/cases/topology"
on_a_node_with "nothing is missing" "" "" ""
on_a_node_with "a GPU is missing" "1 of 2 slots of 'gpus'" gpus "env -u HWLOC_COMPONENTS HWLOC_XMLFILE=$topologies/amd.xml"
on_a_node_with "no GPU is missing" "" "" "env -u HWLOC_COMPONENTS HWLOC_XMLFILE=$topologies/nvidia.xml"
on_a_node_with "where no GPU is known, all are used" "" "" "env -u HWLOC_COMPONENTS HWLOC_XMLFILE=$topologies/opencl.xml"
low=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\)[-,].*/\1/p' /proc/self/status)
if command -v taskset >/dev/null && [ -n "$low" ]; then
	on_a_node_with "an agent is confined" "1 of 2 slots of 'cpus'" cpus "taskset -c $low"
else
	skip "an agent is confined" "no two processors"
fi
echo "MemTotal: 102400 kB" >"$work/meminfo"
cat >"$work/less" <<'END'
mount --bind "$1" /proc/meminfo && shift && exec "$@"
END
if unshare -Urm sh "$work/less" "$work/meminfo" true 2>/dev/null; then
	on_a_node_with "memory is missing" "100 of 200 slots of 'mem'" memory \
		"unshare -Urm sh $work/less $work/meminfo"
else
	skip "memory is missing" "no mount can be made"
fi
scancel "$job"
allocate -N2 --ntasks-per-node=2 --gres=gpu:1

# Each on a node of its own, whose processors it needs.
cat >"$work/leases" <<'END'
eval "$("$CCTR" alloc new gpus:1 --id x --eval)"
echo "$CCTR_LEASE_STATUS $CTEST_RESOURCE_GROUP_0_GPUS"
touch "$1"
until [ -e "$2" ]; do sleep 0.1; done
"$CCTR" alloc new gpus:1 2>&1
"$CCTR" alloc release --id x
END
declare_tests <<END
add_test(one "/bin/sh" "$work/leases" "$work/one.has" "$work/two.has")
add_test(two "/bin/sh" "$work/leases" "$work/two.has" "$work/one.has")
set_tests_properties(one two PROPERTIES PROCESSORS 2 TIMEOUT 60)
END
text=$(inside cctr --engine=slurm -V)
check "tests lease the GPUs of their nodes" "$(is "$(echo "$text" | sed -nE 's/^[12]: (.*(granted|alloc:).*)/\1/p' | sort)" \
	"$(for _ in 1 2; do echo "granted id:0,slots:1
cctr: alloc: the test itself holds what is missing
x granted, ended"; done | sort)" || echo "$text")"

# The same by PMIx, in a job whose own PMIx is none of cctr's.
if cctr_has_pmix && has_pmix_headers; then
	build_pmix_client "$work/client"
	printf '%s\n' 'NEW reqid=x gpus=1' 'NEW reqid=y gpus=1' 'RELEASE reqid=x' >"$work/steps"
	declare_tests <<-END
		add_test(one "/bin/sh" "-c" "exec '$work/client' <'$work/steps'")
		add_test(two "/bin/sh" "-c" "exec '$work/client' <'$work/steps'")
		set_tests_properties(one two PROPERTIES PROCESSORS 2 TIMEOUT 60 CCTR_PMIX 1)
	END
	text=$(inside cctr --engine=slurm -V)
	check "tests lease the GPUs of their nodes by PMIx" "$(
		is "$(echo "$text" | sed -nE 's/^[12]: (SUCCESS|OUT)/\1/p' | sort)" \
			"$(for _ in 1 2; do
				echo "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1
OUT-OF-RESOURCE
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted"
			done | sort)" || echo "$text")"
fi

# An agent is killed: the test runs again, on the other node, with what it was given there.
declare_tests <<END
add_test(once "/bin/sh" "-c" "sh '$work/told'; mkdir '$work/once' 2>/dev/null && kill -9 \$PPID; exit 0")
add_test(other "/bin/true")
set_tests_properties(once PROPERTIES RESOURCE_GROUPS "gpus:1")
END
text=$(inside cctr --engine=slurm -V --repeat until-pass:1)
check "a test of a lost node passes elsewhere" "$(is $? 0)"
check "... after one that -V names" "$(is "$(echo "$text" | grep -c '^1: Test starts again: node n[12] was lost')" 1)"
check "... where it has resources" "$(is "$(grep -c '^gpus id:0,slots:1' "$tree/Testing/Temporary/LastTest.log")" 1)"
check "... and starts once in the text" "$(is "$(echo "$text" | grep -c 'Start 1: once')" 1)"
declare_tests <<'END'
add_test(deadly "/bin/sh" "-c" "kill -9 $PPID; exit 0")
add_test(other "/bin/true")
END
text=$(inside cctr --engine=slurm -j1 --repeat until-pass:9)
check "a test whose node is lost twice has failed" "$(is $? 8)"
check "... it has not run" "$(is "$(echo "$text" | grep -c 'deadly .*\*\*\*Not Run (node lost)')" 1)"
check "... the other one passes" "$(is "$(echo "$text" | grep -c 'other .*Passed')" 1)"

# The allocation ends while a test runs: it has no result.
declare_tests <<END
add_test(runs "/bin/sh" "-c" "scancel $job; while :; do sleep 1; done")
END
text=$(inside cctr --engine=slurm)
check "a test whose allocation is cancelled has failed" "$(is $? 8)"
text=$(inside cctr --engine=slurm -R none)
check "a job that has ended has no nodes" "$(is "$(echo "$text" | grep -c "the job is C[AO]")" 1)"

# The nodes become down while a test runs: srun ends with 0 for some of that.
allocate -N2
declare_tests <<'END'
add_test(runs "/bin/sh" "-c" "scontrol update node=n1,n2 state=down reason=test; while :; do sleep 1; done")
END
text=$(inside cctr --engine=slurm)
check "a test whose nodes are down has failed" "$(is $? 8)"
check "... it has not run, either" "$(is "$(echo "$text" | grep -c 'runs .*\*\*\*Not Run (node lost)')" 1)"
finish
