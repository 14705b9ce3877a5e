# shellcheck shell=sh disable=SC2034,SC2154
# A build tree for cctr, $tree. Sourced, after tests/meta/tap.sh.
export CCTR_COMPAT_VERSION=3.25

# In a folder of its own, of that name.
own_tree() { # name
	own_folder
	tree="$work/$1"
	mkdir "$tree"
}

# Its test file is the standard input.
declare_tests() {
	cat >"$tree/CTestTestfile.cmake"
}

cctr() {
	timeout 250 "$CCTR" --test-dir "$tree" "$@" 2>&1 </dev/null
}

# Times vary, and where tests ran is said with an engine only.
without_times() {
	sed -E 's/ *[0-9]+\.[0-9]+ sec$//; /^Engine: |^[0-9]+: Node: /d'
}

# Waits until the command succeeds, but not for ever. await_pause: between two attempts.
await() { # command...
	for _ in $(seq 6000); do
		"$@" >/dev/null 2>&1 && return
		sleep "${await_pause:-0.01}"
	done
	echo "not within a minute: $*" >&2
	return 1
}

# A zombie is gone for all purposes.
is_gone() { # process
	! kill -0 "$1" 2>/dev/null || grep -q 'State:.Z' "/proc/$1/status" 2>/dev/null
}

# Says which of the processes do not end.
left() { # process...
	for pid in "$@"; do
		await is_gone "$pid" || echo "process $pid is left"
	done
}
