#!/bin/sh
# Clang's coverage of tests that run at the same time. Who waits here, waits for a file that
# someone else writes, and gives up only where nobody does.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh

own_folder
cctr=$(realpath "${CCTR:?}")
seen=$work/seen tree=$work/tree
export CCTR_COMPAT_VERSION=4.4

# $1: a program of that name, with the rest of the arguments as its lines.
program() {
	file=$work/$1
	shift
	printf '%s\n' '#!/bin/sh' "seen=$seen" "$@" >"$file"
	chmod +x "$file"
}
program await 'for n in $(seq 6000); do' '[ ! -e "$seen/$1" ] || exit 0' 'sleep 0.01' 'done' \
	'exit 1'
program merge 'echo merged >>"$seen/${5##*/}"' \
	'xargs -d "\\n" cat <"${3#*=}" >"$5"'

# $1: the tool; $2: the test file.
prepare() {
	rm -rf "$tree" "$seen"
	mkdir "$tree" "$seen"
	echo "$2" >"$tree/CTestTestfile.cmake"
	printf '%s\n' 'CTestTestCoverageTool: LLVM-COV' \
		"CTestTestCoverageMergeExecutable: $work/$1" >"$tree/DartConfiguration.tcl"
}
run() { # options
	timeout 120 "$cctr" --test-dir "$tree" "$@" >"$work/output" 2>&1
	echo "exit $?"
}

# A program that cannot be started.
printf '#!/no/such/interpreter\n' >"$work/unstartable"
chmod +x "$work/unstartable"
prepare merge "add_test(lacks $work/unstartable)"
check "a test that does not start has none" "$(is "$(run -V) $(grep -A 1 'looking for .profraw' "$work/output")" \
	"exit 8    looking for .profraw files in: $tree/lacks_*.profraw
 Cannot find any profraw coverage files.")"

# While the tool merges what "a_b" wrote, "a" starts, which removes its old files, and
# ends, which takes its new ones; and the limit of "late" comes.
program slow 'case $5 in' '*/a_b.profdata)' 'touch "$seen/tool"' \
	"$work/await a" "$work/await late.profdata" ';;' 'esac' "exec $work/merge \"\$@\""
prepare slow "
add_test(a_b /bin/sh -c \"echo b >a_b_1.profraw\")
add_test(first $work/await tool)
add_test(a /bin/sh -c \"echo a >a_1.profraw; touch $seen/a\")
set_tests_properties(a PROPERTIES DEPENDS first)
add_test(late /bin/sh -c \"echo l >late_1.profraw; echo ready; exec sleep 300\")
set_tests_properties(late PROPERTIES DEPENDS a TIMEOUT_AFTER_MATCH \"0.01;ready\")"
check "others start and end while a tool runs" "$(is "$(run -j2)" "exit 8")"
check "each test has what it wrote" "$(is \
	"$(cat "$tree/a_b.profdata" "$tree/a.profdata" "$tree/late.profdata" | tr '\n' ' ')" \
	"b a l ")"
check "and nothing else is left" \
	"$(find "$tree" -name '*.profraw' -o -name '*.manifest')"

prepare merge "
add_test(one /bin/sh -c \"echo 1 >one_1.profraw\")
add_test(two /bin/sh -c \"ls $seen\")
set_tests_properties(two PROPERTIES DEPENDS one)"
check "who depends on a test finds what was merged" \
	"$(is "$(run -j2 -V) $(grep '^2: one' "$work/output")" "exit 0 2: one.profdata")"

program bad 'echo the tool'
prepare bad 'add_test(a /bin/sh -c "echo 1 >a_1.profraw; echo said")'
check "a tool that makes nothing fails no test" "$(is "$(run -V)" "exit 0")"
check "and is told between a test's output and its result" "$(is \
	"$(sed -n "/^1: said/,/Test/{s|$tree|TREE|;s/  *[0-9.]* sec//;p;}" "$work/output")" \
	"1: said
   looking for .profraw files in: TREE/a_*.profraw
the tool
Something went wrong while merging .profraw data.
1/1 Test #1: a ................................   Passed")"

prepare merge 'add_test([ab]* /bin/sh -c "echo 1 >[ab]*_1.profraw; echo 2 >a_1.profraw")'
check "a name is no pattern" "$(is \
	"$(run) $(cat "$tree/[ab]*.profdata") $(cd "$tree" && ls -- *.profraw)" \
	"exit 0 1 a_1.profraw")"

prepare merge 'add_test(a /bin/sh -c "echo $LLVM_PROFILE_FILE; echo 1 >a_1.profraw")'
said=$(CCTR_COMPAT_VERSION=4.3 LLVM_PROFILE_FILE=mine run -V)
check "older releases know nothing of it" \
	"$(is "$said $(grep -c '^1: mine' "$work/output") $(ls "$seen")" "exit 0 1 ")"

prepare merge 'add_test(a /bin/sh -c "echo 1 >a_1.profraw")'
mkdir "$tree/a.profdata"
check "a merged file that cannot be removed is said, and what was written stays" "$(is \
	"$(run) $(cat "$tree/a_1.profraw") $(grep -c "^cctr: cannot remove $tree/a.profdata: " "$work/output")" \
	"exit 0 1 1" || cat "$work/output")"

program deaf "trap '' TERM" 'echo $$ >"$seen/pid.new"' 'mv "$seen/pid.new" "$seen/pid"' \
	'exec sleep 300'
prepare deaf 'add_test(a /bin/sh -c "echo 1 >a_1.profraw")'
"$cctr" --test-dir "$tree" >"$work/output" 2>&1 &
running=$!
"$work/await" pid
tool=$(cat "$seen/pid")
kill -TERM "$running"
wait "$running" 2>/dev/null
check "an interruption ends the tool" "$(kill -0 "$tool" 2>/dev/null && echo "it runs")"
check "and what it was to merge stays" "$(is "$(cat "$tree/a_1.profraw")" "1")"

# The tool runs on the node of the test, whose directory waits for the verdict meanwhile.
prepare merge "
add_test(one /bin/sh -c \"echo 1 >one_1.profraw; exit 1\")"
mkdir "$work/tmp"
check "on nodes, too, with a directory of the test that is kept" "$(is \
	"$(TMPDIR=$work/tmp run --private-tmp=keep-failed --launcher '{agent}')" "exit 8")"
check "... and is the only one" "$(is "$(cat "$tree/one.profdata") $(find "$work/tmp" -mindepth 1 -maxdepth 1 | wc -l) $(grep -c \
	'kept the temporary directory of one: ' "$work/output")" "1 1 1" || cat "$work/output")"

# A folder of which only a part can be listed: files may be missing in what is merged.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	prepare merge 'add_test(a /bin/sh -c "echo 1 >a_1.profraw")'
	traced -qq -P "$tree" -o /dev/null -e trace=getdents64 -e inject=getdents64:error=EIO:when=4 \
		"$cctr" --test-dir "$tree" >"$work/output" 2>&1
	check "a folder that cannot be read to its end is said" "$(is \
		"$(cat "$tree/a.profdata") $(grep -c "^cctr: cannot read $tree: Input/output error" "$work/output")" \
		"1 1" || cat "$work/output")"
fi
finish
