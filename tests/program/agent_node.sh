#!/bin/sh
# What a test gets of its node, not of the machine where cctr was started: temporary
# directories and processors. The nodes are this machine, with other environments.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
tree="$work/tree"
mkdir "$tree" "$work/node" "$work/here"
export TMPDIR="$work/here" SAID="$work/said"
run() { # what starts agents, options
	starts=$1
	shift
	: >"$SAID"
	timeout 250 "$CCTR" --test-dir "$tree" --launcher "$starts {agent}" --timeout 200 "$@" \
		>"$work/output" 2>&1 </dev/null
	status=$?
}
folders_left() {
	find "$work/node" "$work/here" -name 'cctr-*'
}

# ---- --private-tmp --------------------------------------------------------------------

declare_tests <<'END'
add_test(a "/bin/sh" "-c" "echo $TMPDIR $(ls -A $TMPDIR | wc -l) $(stat -c %a $TMPDIR) >>$SAID; mkdir $TMPDIR/x; echo >$TMPDIR/x/y")
add_test(own "/bin/sh" "-c" "echo $TMPDIR >>$SAID")
set_tests_properties(own PROPERTIES ENVIRONMENT "TMPDIR=/tmp/mine")
END
run "env TMPDIR=$work/node" --private-tmp
check "the directory is made on the node" "$(is "$status $(sed "s|^$work/node/cctr-...... |made |" "$SAID")" \
	"0 made 0 700
/tmp/mine")"
check "... and removed" "$(folders_left)"
run "env TMPDIR=$work/node"
check "without the option it is cctr's own" "$(is "$(head -n 1 "$SAID" | cut -d' ' -f1)" "$work/here")"
rm -rf "$work/here"/*

declare_tests <<'END'
add_test(killed "/bin/sh" "-c" "touch $TMPDIR/x; exec sleep 600")
set_tests_properties(killed PROPERTIES TIMEOUT 0.2)
add_test(missing "/nonexistent/program")
add_test(lost "/bin/sh" "-c" "mkdir once || exit 0; touch $TMPDIR/x; kill -TERM $PPID; while :; do sleep 1; done")
END
run "env TMPDIR=$work/node" --private-tmp
check "... also of tests that are killed or do not start" "$(folders_left)"
check "... and of an agent that is told to end" "$(grep 'lost \.*   Passed' "$work/output" >/dev/null ||
	cat "$work/output")"

run "env TMPDIR=$work/none" --private-tmp -R killed
check "where there is no room the test does not run" "$(is $status 8; grep -q 'killed .*Not Run' "$work/output" ||
	cat "$work/output")"
check "... and the node says why" "$(is "$(grep -c "^Warning: node localhost: cannot make a temporary directory \
in $work/none: no such file or directory" "$work/output")" 1)"

# A disk of the node that is full.
mkdir "$work/full"
echo "mount -t tmpfs -o size=64k,nr_inodes=2 none '$work/full' && : >'$work/full/file' && exec \"\$@\"" >"$work/fill"
if unshare -Urm sh "$work/fill" true 2>/dev/null; then
	run "unshare -Urm sh $work/fill env TMPDIR=$work/full" --private-tmp -R 'killed|missing' -j2
	check "on a full disk the test does not run, and the node says why" "$(is $status 8
		is "$(grep -c "^Warning: .* temporary directory in $work/full: no space left on device" \
			"$work/output")" 1)"
	# n2 comes when n1 has failed.
	cat >"$work/by_node" <<-'END'
		node=$1 fill=$2 full=$3 room=$4 output=$5
		shift 5
		[ "$node" = n1 ] && exec unshare -Urm sh "$fill" env TMPDIR="$full" "$@"
		until grep -q 'node n1: it gets no more' "$output"; do sleep 0.01; done
		exec env TMPDIR="$room" "$@"
	END
	declare_tests <<-'END'
		add_test(one "/bin/true")
		add_test(two "/bin/true")
		add_test(three "/bin/true")
		add_test(four "/bin/true")
	END
	run "sh $work/by_node {node} $work/fill $work/full $work/node $work/output" --nodes 'n[1-2]' --private-tmp -V -j4
	check "tests of a node with a full disk run on another one" "$(is \
		"$status $(grep -c '^[1-4]: Node: n2' "$work/output")" "0 4" || cat "$work/output")"
	check "... which gets no more tests" "$(is "$(grep -c \
		"^Warning: node n1: it gets no more tests: no space left on device" "$work/output")" 1)"
	declare_tests <<-'END'
		add_test(writes "/bin/sh" "-c" "head -c 3000000 /dev/zero | tr '\\0' x")
	END
	run "unshare -Urm sh $work/fill env TMPDIR=$work/full" -V
	check "without the option no test needs the disk of its node" "$(is "$status" 0)"
else
	echo "# no full disk can be made here"
fi

# ---- processors ------------------------------------------------------------------------

numbers() { # "0-2,5" as lines
	tr ',' '\n' | sed 's/-/ /' | while read -r first last; do
		seq "$first" "${last:-$first}"
	done
}
allowed() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | numbers
}
low=$(allowed | sed -n 1p)
high=$(allowed | sed -n 2p)
if ! command -v taskset >/dev/null || [ -z "$high" ]; then
	echo "# no two processors"
	finish
	exit
fi

# Both are there before one of them ends.
mkfifo "$tree/one" "$tree/other"
echo 'sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status >>"$SAID"
[ "$1" = a ] && { echo >one; read -r _ <other; } || { read -r _ <one; echo >other; }' >"$work/meet"
for rule in PROCESSOR_AFFINITY --affinity; do
	{
		echo "add_test(a /bin/sh $work/meet a)"
		echo "add_test(b /bin/sh $work/meet b)"
		[ $rule = --affinity ] || echo "set_tests_properties(a b PROPERTIES PROCESSOR_AFFINITY ON)"
	} | declare_tests
	option=
	[ $rule = PROCESSOR_AFFINITY ] || option=$rule
	# cctr may use one processor, the node has two.
	: >"$SAID"
	taskset -c "$low" timeout 250 "$CCTR" --test-dir "$tree" --launcher "taskset -c $low,$high {agent}" \
		--timeout 200 -j2 $option >"$work/output" 2>&1 </dev/null
	check "$rule: each test has a processor of the node to itself" "$(is "$(sort "$SAID")" "$(printf '%s\n' \
		"$low" "$high" | sort)")"
done

# Two tests on each of two nodes, all at a time: that both are one machine is seen by its name.
mkdir "$work/there"
cat >"$work/meet" <<END
sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status >>"$SAID"
: >"$work/there/\$1"
for _ in \$(seq 1200); do
	[ "\$(ls "$work/there" | wc -l)" = 4 ] && exit 0
	sleep 0.05
done
exit 3
END
for name in a b c d; do
	echo "add_test($name /bin/sh $work/meet $name)"
done | declare_tests
run "taskset -c $low,$high" --nodes 'n[1-2]' --affinity -j4 -V
check "nodes of one machine share its processors" "$(is "$status $(grep -c 'Node: n1' "$work/output")" "0 2" ||
	cat "$work/output"
	is "$(numbers <"$SAID" | sort | uniq -c | sed 's/^ *//')" "$(printf '%s\n' "3 $low" "3 $high" | sort)")"

echo 'add_test(wide /bin/sh -c "sed -n \"s/^Cpus_allowed_list:[[:space:]]*//p\" /proc/self/status >>$SAID")
set_tests_properties(wide PROPERTIES PROCESSORS 64)' | declare_tests
run "taskset -c $high" --affinity -j64
check "a test that wants more than its node has gets what there is" "$(is "$(cat "$SAID")" "$high")"
finish
