#!/bin/sh
# What becomes of tests, and of processes, when something around an agent breaks. Each
# fault happens while a test runs on the node n1; the test then runs on n2.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree

# Declares a test whose first attempt writes its number and that of its agent, and then
# does the words. Its second attempt passes.
breaks() { # words
	rm -rf "$tree/once" "$work/pids"
	declare_tests <<-END
		add_test(breaks "/bin/sh" "-c" "mkdir '$tree/once' || exit 0; echo \$\$ \$PPID >'$work/pids'; $1")
		add_test(other "/bin/true")
	END
}
stays='while :; do sleep 1; done'
run() { # options
	timeout 100 "$CCTR" --test-dir "$tree" "$@" -V >"$work/output" 2>&1 </dev/null
	status=$?
}
check_again() { # fault, why it is said to be lost
	check "$1: the test passes on another node" "$(is "$status $(grep '^1: Node' "$work/output")" \
		"0 1: Node: n2 ($(hostname))")"
	check "$1: cctr says why" "$(grep -q "^1: Test starts again: node n1 was lost: $2" "$work/output" ||
		cat "$work/output")"
	# shellcheck disable=SC2046
	check "$1: no process is left" "$(left $(cat "$work/pids"))"
}

# The agent of n2 waits until the test has begun on n1. "relay" passes on what cctr and the
# agent say, as ssh does; with "cut" the first output ends in the middle of a message.
cat >"$work/launch" <<'END'
how=$1 once=$2 node=$3
shift 3
if [ "$node" = n2 ]; then
	until [ -d "$once" ]; do sleep 0.01; done
	exec "$@"
fi
case $how in
plain) exec "$@" ;;
apart) exec setsid -w "$@" ;;
relay) cat | "$@" | cat ;;
cut) "$@" | dd bs=1 count=20000 status=none ;;
lossy) exec strace -qq -e signal=none -o /dev/null -e trace=sendto -e inject=sendto:error=ENOBUFS:when=2+ "$@" ;;
esac
END
by() { # how, further options
	how=$1
	shift
	run --launcher "sh $work/launch $how $tree/once {node} {agent}" --nodes n1,n2 "$@"
}

breaks 'relay=$(ps -o ppid= -p $PPID); kill -9 $relay $(ps -o pid= --ppid $relay | grep -vwF $PPID); '"$stays"
by relay
check_again "the launcher is killed" "the connection ended"

breaks 'kill -STOP $PPID; '"$stays"
by plain --node-timeout 1s
check_again "the agent is stopped" "it is silent"

# SIGTERM does not end what is stopped: the launcher, which is the agent itself.
breaks 'kill -STOP $PPID; '"$stays"
run --launcher '{agent}' --nodes n1 --node-timeout 1s
check "an agent is stopped where there is one node: the node gets another agent" \
	"$(is "$status $(grep -c '^1: Test starts again: node n1 was lost: it is silent' "$work/output")" "0 1" ||
		cat "$work/output")"

breaks 'kill -STOP $PPID; '"$stays"
by apart --node-timeout 1s
check_again "the agent is stopped, in a session of its own" "it is silent"

breaks "head -c 100000 /dev/zero | tr '\\\\0' x; $stays"
by cut
check_again "the connection ends within a message" "the connection ended"

breaks 'kill -9 $PPID; '"$stays"
by plain
check_again "the agent is killed" "the connection ended"

breaks 'kill -TERM $PPID; '"$stays"
by plain
check_again "the agent is told to end" "the agent got signal 15"

breaks '(kill -TERM $$; while kill -0 $$; do :; done; kill -TERM $PPID) >/dev/null 2>&1 & '"$stays"
by plain
check_again "the test is told to end, then its agent" "the agent got signal 15"

if strace -o /dev/null true 2>/dev/null; then
	search_no_leaks
	breaks 'exit 1'
	by lossy
	check_again "an outcome is lost" "the connection ended: cctr: cannot write standard output: No buffer space"
fi

# The file that shows the build tree comes late: when the agent waits for it.
cat >"$work/late" <<'END'
tree=$1
shift
witness=$(ls "$tree"/Testing/Temporary/cctr-run-*)
mv "$witness" "$tree/hidden"
(
	for _ in $(seq 400); do
		grep -q nanosleep "/proc/$$/wchan" && break
		sleep 0.01
	done
	mv "$tree/hidden" "$witness"
) 2>/dev/null >/dev/null </dev/null &
exec "$@"
END
echo 'add_test(passes /bin/true)' >"$tree/CTestTestfile.cmake"
run --launcher "sh $work/late $tree {agent}" --nodes n1
check "a build tree that is late is seen" "$(is "$status $(grep -c '^Warning\|^1: Node: n1 ' "$work/output")" "0 1")"

breaks 'kill -TERM $$'
by plain
check "a test that ends itself by SIGTERM has failed" "$(is $status 8)"
check "... and does not start again" "$(grep 'starts again' "$work/output")"
finish
