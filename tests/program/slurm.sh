#!/bin/sh
# --engine=slurm in an allocation of a real Slurm, whose nodes are all this machine.
set -u
. tests/meta/tap.sh
. tests/helpers/slurm.sh

own_folder
export CCTR_COMPAT_VERSION=3.25
tree="$work/a tree"
mkdir "$tree"
cctr() {
	timeout 250 "$CCTR" --test-dir "$tree" "$@" 2>&1 </dev/null
}
declare_tests() {
	cat >"$tree/CTestTestfile.cmake"
}
without_times() {
	sed -E 's/ *[0-9]+\.[0-9]+ sec$//; /^Engine: |^[0-9]+: Node: /d'
}

# ---- without Slurm -------------------------------------------------------------------

declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "echo one; echo two >&2")
END
unset SLURM_JOB_ID
text=$(cctr --engine=slurm)
check "outside of a job this machine runs the tests" "$(is $? 0)"
check "... after one warning" "$(is "$(echo "$text" | grep -i warning)" \
	"Warning: --engine=slurm: cctr does not run in a job of Slurm; this machine runs the tests")"
mkdir "$work/empty"
text=$(PATH="$work/empty" SLURM_JOB_ID=7 "$CCTR" --test-dir "$tree" --engine=slurm 2>&1)
check "without Slurm's commands, too" "$(is $? 0)"
check "... after one warning" "$(is "$(echo "$text" | grep -i warning)" \
	"Warning: --engine=slurm: scontrol: no such file or directory; this machine runs the tests")"
check "the variable says the same" "$(is "$(CCTR_ENGINE=slurm cctr | grep -c '^Warning: --engine=slurm: ')" 1)"
check "an option goes before the variable" "$(is "$(CCTR_ENGINE=slurm cctr --engine=local | grep -ci warning)" 0)"
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
agents=$(inside cctr --engine=slurm -V)
check "the same exit code" "$(is $? $status)"
check "the same text" "$(is "$(echo "$agents" | without_times)" "$(echo "$alone" | without_times)")"

declare_tests <<'END'
add_test(on1 "/bin/sh" "-c" "ps -o args= $PPID")
add_test(on2 "/bin/sh" "-c" "ps -o args= $PPID")
END
text=$(inside cctr --engine=slurm -V -j2)
check "agents run the tests" "$(is "$(echo "$text" | grep -c '^[12]: .*--agent$')" 2)"

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
