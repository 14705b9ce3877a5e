#!/bin/sh
# --private-tmp with real processes.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh

work=$(mktemp -d) || exit 1
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
mkdir "$work/tmp" "$work/outside" "$work/tree"
touch "$work/outside/kept"
export CCTR_COMPAT_VERSION=3.25 TMPDIR="$work/tmp"
export OUTSIDE="$work/outside" SAID="$work/said"

# $1: the test file; then cctr's arguments. What tests write to $SAID is what it prints.
run() {
	rm -rf "$work/tree"
	mkdir "$work/tree"
	echo "$1" >"$work/tree/CTestTestfile.cmake"
	shift
	: >"$SAID"
	timeout 250 "$CCTR" --test-dir "$work/tree" --timeout 200 "$@" >"$work/output" 2>&1
	echo "exit $?" >>"$SAID"
	cat "$SAID"
}
left() {
	ls -A "$work/tmp"
	[ -f "$work/outside/kept" ] || echo "something outside is gone"
}

said=$(run 'add_test(a "/bin/sh" "-c" "echo $TMPDIR $(ls -A $TMPDIR | wc -l) $(stat -c %a $TMPDIR) >>$SAID")' \
	--private-tmp)
check "a fresh folder below the usual one" "$(is "$(echo "$said" |
	sed "s|^$work/tmp/cctr-...... |made |")" "made 0 700
exit 0")"
check "and it is removed" "$(left)"

run 'add_test(a "/bin/sh" "-c" "cd $TMPDIR && mkdir -p a/b ro && touch a/b/c ro/x && ln -s $OUTSIDE a/link && ln $OUTSIDE/kept a/hard && chmod 555 ro && chmod 0 a/b && seq 3000 | (cd a && xargs touch)")
add_test(b "/bin/sh" "-c" "rmdir $TMPDIR && ln -s $OUTSIDE $TMPDIR")' --private-tmp -j2 >/dev/null
check "with all that is in it" "$(left)"

said=$(run 'add_test(a "/bin/sh" "-c" "echo $TMPDIR >>$SAID")
set_tests_properties(a PROPERTIES ENVIRONMENT "TMPDIR=/tmp/mine")' --private-tmp)
check "a TMPDIR of the test's own stays" "$(is "$said" "/tmp/mine
exit 0")"

said=$(run 'add_test(a "/bin/sh" "-c" "echo $TMPDIR >>$SAID")')
check "without the option it is the usual one" "$(is "$said" "$work/tmp
exit 0")"

said=$(run 'add_test(a "/bin/sh" "-c" "echo $TMPDIR >>$SAID; ls -A $TMPDIR >>$SAID; touch $TMPDIR/x; exit 1")' \
	--private-tmp --repeat until-pass:3 | grep -v ^exit)
check "each attempt has its own" \
	"$(is "$(echo "$said" | sort -u | wc -l) $(echo "$said" | grep -cx x)" "3 0")"
check "failed ones are removed too" "$(left)"

run 'add_test(slow "/bin/sh" "-c" "touch $TMPDIR/x; sleep 600")
set_tests_properties(slow PROPERTIES TIMEOUT 0.2)
add_test(gone "/nonexistent/program")' --private-tmp >/dev/null
check "and those of tests that are killed or not started" "$(left)"

run 'add_test(good "/bin/sh" "-c" "touch $TMPDIR/good")
add_test(bad "/bin/sh" "-c" "touch $TMPDIR/bad; exit 1")' --private-tmp=keep-failed >/dev/null
kept=$(left)
check "keep-failed keeps those of failed tests" \
	"$(is "$(ls "$work/tmp/$kept")" bad)"
check "and says where" "$(grep -qx "cctr: kept the temporary directory of bad: $work/tmp/$kept" \
	"$work/output" || cat "$work/output")"
rm -rf "${work:?}/tmp/$kept"

run 'add_test(good "/bin/sh" "-c" "touch $TMPDIR/good; exit 1")
set_tests_properties(good PROPERTIES WILL_FAIL TRUE)
add_test(bad "/bin/sh" "-c" "touch $TMPDIR/bad; exit 1")' --private-tmp=keep-failed --launcher '{agent}' --nodes n1 >/dev/null
kept=$(left)
check "agents keep those of failed tests, too" "$(is "$(ls "$work/tmp/$kept")" bad)"
check "and say where" "$(grep -qx "Warning: node n1: kept the temporary directory of bad: $work/tmp/$kept" \
	"$work/output" || cat "$work/output")"
rm -rf "${work:?}/tmp/$kept"

check "another value is an error" "$(is "$(run '' --private-tmp=keep)" "exit 1")"

# Interrupted while a test runs.
mkfifo "$work/ready"
echo "add_test(a \"/bin/sh\" \"-c\" \"touch \$TMPDIR/x; echo >$work/ready; sleep 600\")" \
	>"$work/tree/CTestTestfile.cmake"
"$CCTR" --test-dir "$work/tree" --private-tmp >/dev/null 2>&1 &
read -r _ <"$work/ready"
kill -TERM $!
wait $! 2>/dev/null
check "an interrupted run leaves none" "$(left)"

mkdir "$work/empty" && chmod 555 "$work/empty"
said=$(TMPDIR=$work/nowhere run 'add_test(a "/bin/true")' --private-tmp)
check "without a place for it the test is not run" "$(is "$said" "exit 8"
	grep -q 'Failed to make a temporary directory: No such file' "$work/output" ||
		cat "$work/output")"

finish
