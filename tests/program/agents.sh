#!/bin/sh
# Tests by agents that a launcher starts on this machine: the same as without them, and
# what is lost is run again, said, and never passed.
# shellcheck disable=SC2016,SC3045
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
tree="$work/a b'\"\$(touch injected)"
mkdir "$tree"
by_agents() {
	cctr --launcher '{agent}' --nodes 'n[1-3]' "$@"
}

declare_tests <<'END'
add_test("passes $(touch injected) ; 'x'" "/bin/sh" "-c" "echo one; echo two >&2")
add_test(fails "/bin/sh" "-c" "pwd; exit 3")
add_test(crashes "/bin/sh" "-c" "kill -SEGV $$")
add_test(late "/bin/sh" "-c" "echo begun; exec sleep 600")
add_test(finds "/bin/sh" "-c" "echo \"<$VALUE>\"")
add_test(missing "/nonexistent/program")
set_tests_properties(late PROPERTIES TIMEOUT 1)
set_tests_properties(finds PROPERTIES ENVIRONMENT "VALUE=a  b\"\$(c)" PASS_REGULAR_EXPRESSION "<a  b")
END
alone=$(cctr -V)
status=$?
agents=$(by_agents -V)
check "the same exit code" "$(is $? $status)"
check "the same text" "$(is "$(echo "$agents" | without_times)" "$(echo "$alone" | without_times)")"
check "the header names the engine" "$(is "$(echo "$agents" | grep '^Engine: ')" "Engine: launcher, 3 nodes, 1 slot")"
check "-V names the node of each test that ran" "$(is "$(echo "$agents" | grep -c '^[1-5]: Node: n[1-3] (.')" 5)"
check "no shell has read a name" "$(find "$work" -name injected)"
check "no file is left" "$(find "$tree/Testing/Temporary" -name 'cctr-run*')"

mkdir "$tree/below"
declare_tests <<'END'
add_test(where "/bin/pwd")
set_tests_properties(where PROPERTIES WORKING_DIRECTORY below)
END
check "a relative directory is one of cctr's, wherever the agent begins" "$(
	is "$(cctr -V --launcher 'env -C / {agent}' 2>&1 | grep -cxF "1: $tree/below")" 1)"

declare_tests <<'END'
add_test(reads "/bin/sh" "-c" "cat; echo end")
END
echo typed | "$CCTR" --test-dir "$tree" --launcher '{agent}' -V >"$work/output" 2>&1
check "the input of a test is empty" "$(grep -q '^1: end' "$work/output" && grep typed "$work/output")"

# The parent of a test is its agent.
declare_tests <<'END'
add_test(once "/bin/sh" "-c" "echo begun; mkdir once 2>/dev/null && kill -9 $PPID; exit 0")
add_test(other "/bin/true")
END
text=$(by_agents -V --events "$work/events")
check "a test of a lost agent runs again" "$(is "$?" 0; ls -d "$tree/once" >/dev/null)"
check "... which -V says" "$(is "$(echo "$text" | grep -c '^1: Test starts again: node n[1-3] was lost')" 1)"
check "... and a warning" "$(is "$(echo "$text" | grep -c '^Warning: node n[1-3]: lost')" 1)"
check "... and in events, as their schema says" "$(is "$(sed -n 's/.*"event":"\(again\|warning\)".*/\1/p' "$work/events" | sort |
	tr '\n' ' ')" "again warning "; tests/helpers/event_schema.py "$work/events")"
check "... once in the log" "$(is "$(grep -c '^begun' "$tree/Testing/Temporary/LastTest.log")" 1)"

declare_tests <<'END'
add_test(deadly "/bin/sh" "-c" "kill -9 $PPID; exit 0")
add_test(other "/bin/true")
END
text=$(by_agents --repeat until-pass:9)
check "a test whose node is lost twice has failed" "$(is $? 8)"
check "... it has not run" "$(is "$(echo "$text" | grep -c 'deadly .*\*\*\*Not Run (node lost)')" 1)"
check "... and says why" "$(is "$(echo "$text" | grep -c '^Test not run: node n[1-3] was lost')" 1)"
check "... the other one passes" "$(is "$(echo "$text" | grep -c 'other .*Passed')" 1)"

text=$(cctr -R other --launcher '/nonexistent/x {agent}' --nodes 'n1,n2')
check "without agents this machine runs all" "$(is "$(echo "$text" | grep '^Warning: ')" \
	"Warning: no node has an agent, so this machine runs all tests: n1: /nonexistent/x: no such file or directory (and 1 more)"
	is "$(echo "$text" | grep -c 'other .*Passed')" 1)"

# Where tests ran is said with an engine only.
declare_tests <<'END'
add_test(passes "/bin/true")
add_test(fails "/bin/false")
END
: >"$tree/DartConfiguration.tcl"
for engine in "--launcher={agent} --nodes=one" ""; do
	rm -rf "$tree/Testing"
	# shellcheck disable=SC2086
	cctr $engine -T Test --output-junit "$work/junit.xml" >/dev/null 2>&1
	said="$(grep -c '^Node: one$' "$tree"/Testing/Temporary/LastTest_*.log) \
$(grep -c '<property name="cctr_node" value="one"/>' "$work/junit.xml") \
$(grep -A1 '<NamedMeasurement type="text/string" name="Node">' "$tree"/Testing/*/Test.xml | grep -c '<Value>one</Value>')"
	expected=0
	[ -z "$engine" ] || expected=2
	check "files name nodes, with '$engine'" "$(is "$said" "$expected $expected $expected")"
done

# An agent needs two descriptors of cctr; its tests keep the limit.
declare_tests <<'END'
add_test(asks "/bin/sh" "-c" "ulimit -n")
END
text=$(ulimit -Sn 64 && by_agents --nodes 'n[1-40]' -V 2>&1)
check "the limit of open files is raised for many agents, not for tests" \
	"$(is "$? $(echo "$text" | grep -c '^Warning')" "0 0"; is "$(echo "$text" | grep '^1: [0-9]')" "1: 64")"
text=$(ulimit -n 64 && by_agents --nodes 'n[1-40]' 2>&1)
check "where it cannot be raised, one line says so" "$(is $? 8
	is "$(echo "$text" | grep -c '40 nodes need [0-9]* open files, but the limit is 64 (ulimit -Hn)')" 1)"
declare_tests <<'END'
add_test(passes "/bin/true")
END

check "--explain names the node of a test" "$(is "$(cctr --launcher '{agent}' --nodes one --explain passes \
	2>/dev/null | grep '^Node ')" "Node          one")"

for words in "--launcher=x" "--launcher='{agent}" "--nodes=a,a" "--nodes=a;b" "--nodes=n[2-1]" \
	"--node-timeout=0" "--node-timeout=1h"; do
	check "$words is refused" "$(cctr "$words" >"$work/output" 2>&1
		is "$? $(grep -c "given invalid value.*: " "$work/output")" "1 1")"
done

# ---- a launcher that fails once ------------------------------------------------------

cat >"$work/once.sh" <<'END'
mkdir "$0.begun" 2>/dev/null && exit 1
exec "$@"
END
declare_tests <<'END'
add_test(passes "/bin/true")
END
text=$(cctr --launcher "sh $work/once.sh {agent}" --nodes n1 -V)
check "a launcher that ends before its agent answers is started again" "$(is "$? $(echo "$text" | grep -c '^1: Node: n1 ')" "0 1" ||
	echo "$text")"
check "... without a word" "$(echo "$text" | grep Warning)"

# ---- what ends cctr -----------------------------------------------------------------

declare_tests <<END
add_test(deaf "/bin/sh" "-c" "trap '' INT TERM; echo \$\$ >'$work/pid'; while :; do sleep 1; done")
END
begin_deaf() {
	rm -f "$work/pid"
	env --default-signal=INT,TERM "$CCTR" --test-dir "$tree" --launcher '{agent}' --nodes 'n[1-3]' \
		>"$work/output" 2>&1 </dev/null &
	program=$!
	await test -s "$work/pid"
}
if env --default-signal=INT true 2>/dev/null; then
	for signal in INT TERM KILL; do
		begin_deaf
		agents=$(ps -o pid= --ppid $program)
		kill -$signal $program
		wait $program 2>/dev/null
		status=$?
		check "SIG$signal leaves no test" "$(left "$(cat "$work/pid")")"
		# shellcheck disable=SC2086
		check "SIG$signal leaves no agent" "$(left $agents)"
		check "SIG$signal ends cctr" "$([ $status -gt 128 ] || echo $status)"
	done
fi
finish
