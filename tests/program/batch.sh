#!/bin/sh
# --batch: verdicts, outputs and order as without it, in fewer processes. Two scripts behave as programs
# of GoogleTest and Catch2; where there is a GoogleTest, it is asked, too.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
tree="$work/tree"
log="$work/log"
mkdir -p "$tree/sub" "$work/records"
export LOG="$log"
cat >"$work/google" <<'END'
#!/bin/sh
# One line of $LOG for each process: the cases. A case runs once, however often it is named.
report=/dev/null
for word; do
	case $word in
	--gtest_filter=*) names=${word#*=} ;;
	--gtest_output=json:*) report=${word#*:} ;;
	esac
done
names=$(echo "$names" | tr : '\n' | awk '!seen[$0]++' | paste -sd :)
echo "$names" >>"$LOG"
code=0
suites=
echo 'Running main()'
IFS=:
for name in $names; do
	echo "[ RUN      ] $name"
	result=COMPLETED
	mark='[       OK ]'
	more=
	case $name in
	*.prints*) printf 'text of %s\nand more' "$name" ;;
	*.fails*)
		mark='[  FAILED  ]'
		more=', "failures": [{}]'
		code=1
		;;
	*.much*) yes | head -c 4000000 ;;
	*.skips*)
		mark='[  SKIPPED ]'
		result=SKIPPED
		;;
	*.leaks*) code=23 ;;
	*.crashes*) kill -ABRT $$ ;;
	*.hangs*) exec sleep 600 ;;
	*.exits*)
		echo "[       OK ] $name (0 ms)"
		exit 0
		;;
	*.omits*) continue ;;
	*.waits*) until test -e "$LOG.go"; do sleep 0.01; done ;;
	esac
	echo "$mark $name (250 ms)"
	suites="$suites${suites:+,}{\"name\":\"${name%%.*}\",\"testsuite\":[{\"name\":\"${name#*.}\",
		\"status\":\"RUN\",\"result\":\"$result\",\"time\":\"0.25s\"$more}]}"
done
echo "{\"testsuites\":[$suites]}" >"$report"
exit $code
END
cat >"$work/catch" <<'END'
#!/bin/sh
# The namespace 5Catch.
report=/dev/null
choice=$1
while [ $# -gt 0 ]; do
	[ "$1" = --out ] && report=$2
	shift
done
echo "$choice" >>"$LOG"
code=0
{
	echo '<?xml version="1.0"?><Catch name="c"><Group name="c">'
	IFS=,
	for name in $choice; do
		echo "<TestCase name=\"$name\">"
		success=true
		case $name in
		fails*) success=false code=1 ;;
		raw*) echo raw >&2 ;;
		esac
		echo "<OverallResult success=\"$success\" durationInSeconds=\"0.25\"><StdOut>"
		echo "text of $name"
		echo "</StdOut></OverallResult></TestCase>"
	done
	echo '</Group></Catch>'
} >"$report"
[ "$report" != /dev/null ] || echo "text of $choice"
exit $code
END
chmod +x "$work/google" "$work/catch"
google() { # names...
	for name; do
		printf 'add_test(%s "%s" "--gtest_filter=%s" "--gtest_also_run_disabled_tests")\n' \
			"$name" "$work/google" "$name"
	done
}
processes() {
	wc -l <"$log" | tr -d ' '
}
run() { # options...
	: >"$log"
	cctr --control=off --batch "$@" >"$work/output"
}
verdicts() { # options... -> the lines of results, without times
	cctr --control=off "$@" | grep -E '^ *[0-9]+/[0-9]+ ' | sed -E 's/^ *[0-9]+\/[0-9]+ //' | without_times | sort
}
# Every test, alone and together.
compare() { # title
	equal "$1: verdicts as without --batch" "$(verdicts)" "$(: >"$log"; verdicts --batch)"
}

many=$(seq -f 'Many.case%g' 40)
# shellcheck disable=SC2086
{
	google $many A.prints1 A.prints2
	echo 'set_tests_properties(A.prints1 PROPERTIES DEPENDS Many.case7)'
} | declare_tests
run
equal "all pass" 0 $?
equal "in few processes, and what depends on a case apart" "2 1" "$(processes) $(grep -c '^A.prints1$' "$log")"
equal "times are those of the cases" 40 "$(grep -cE 'case[0-9]+ .* Passed +0\.(2[5-9]|[3-9])' "$work/output")"
run --test A.prints2 --test Many.case1 --test Many.case2 -V
equal "the output of a test is that of its case" "[ RUN      ] A.prints2
text of A.prints2
and more[       OK ] A.prints2 (250 ms)" "$(sed -n 's/^42: \(\[\|text\|and\)/\1/p' "$work/output")"
equal "they were one process" 1 "$(processes)"
run -j4
equal "every slot gets some" "0 yes" "$? $([ "$(processes)" -gt 8 ] && [ "$(processes)" -lt 30 ] && echo yes)"
run --wrapper 'env WRAPPED=1' -R 'case1'
equal "a wrapper runs the process" "0 yes" "$? $([ "$(processes)" -lt 10 ] && echo yes)"
GTEST_SHUFFLE=1 run -R case1
equal "a variable of the framework keeps tests alone" "0 11" "$? $(processes)"
run -R case1 --private-tmp
equal "so does what each test gets for itself" "0 11" "$? $(processes)"
run -R 'case[12]$' --repeat until-fail:3
equal "further attempts run alone" "0 5" "$? $(processes)"

google Many.one Many.two | declare_tests
printf 'add_test(same "%s" --gtest_filter=Many.one --gtest_also_run_disabled_tests)\n' "$work/google" \
	>>"$tree/CTestTestfile.cmake"
run
equal "two tests with the same case are two runs of it" "0 2" "$? $(grep -o 'Many.one' "$log" | wc -l)"

# shellcheck disable=SC2086
{
	google $many B.fails B.skips B.crashes B.leaks B.exits B.omits
	for name in $many B.fails B.skips B.crashes B.leaks B.exits B.omits; do
		echo "set_tests_properties($name PROPERTIES SKIP_REGULAR_EXPRESSION [==[\\[  SKIPPED \\]]==])"
	done
} | declare_tests
compare "failing cases, a crash, a bad end, no report"
equal "in fewer processes" yes "$([ "$(processes)" -lt 30 ] && echo yes)"
run -j3
equal "several at a time, too" "8 1 1 1" "$? $(grep -c 'crashes .*[*]Exception' "$work/output") \
$(grep -c 'leaks .*[*]Failed' "$work/output") $(grep -c 'fails .*[*]Failed' "$work/output")"
equal "what failed ran alone" "1 1 1 1" "$(for name in fails crashes leaks exits; do
	grep -c "^B.$name\$" "$log"; done | paste -sd ' ')"

{
	google C.a C.hangs C.b C.will C.text C.lock1 C.lock2 C.set C.needs1 C.needs2
	cat <<'END'
set_tests_properties(C.a C.hangs C.b PROPERTIES TIMEOUT 5)
set_tests_properties(C.will PROPERTIES WILL_FAIL ON)
set_tests_properties(C.text PROPERTIES FAIL_REGULAR_EXPRESSION "Running main")
set_tests_properties(C.lock1 C.lock2 PROPERTIES RESOURCE_LOCK file)
set_tests_properties(C.set PROPERTIES FIXTURES_SETUP f)
set_tests_properties(C.needs1 C.needs2 PROPERTIES FIXTURES_REQUIRED f)
END
} | declare_tests
run -j8
equal "a case that does not end fails at its limit, the others pass" "8 1 2" "$? \
$(grep -c 'C.hangs .*[*]Timeout' "$work/output") $(grep -c 'C.[ab] .*Passed' "$work/output")"
equal "tests whose verdict needs more run alone" "2 2" \
	"$(grep -cE 'C.(will|text) .*[*]Failed' "$work/output") $(grep -cE '^C.(will|text)$' "$log")"
equal "those with the same lock or fixture run together" "C.lock1:C.lock2
C.needs1:C.needs2" "$(grep -E 'lock|needs' "$log" | sort)"
equal "after the setup" yes "$([ "$(grep -n C.set "$log" | cut -d : -f 1)" -lt \
	"$(grep -n C.needs "$log" | cut -d : -f 1)" ] && echo yes)"

# What tests wrote waits in a file until they start.
# shellcheck disable=SC3045,SC2046 # a limit of memory, if the shell has it; they are words
limited() { (ulimit -d 30000 && exec "$CCTR" "$@"); }
google $(seq -f 'E.much%g' 16) | declare_tests
: >"$log"
if limited --version >/dev/null 2>&1; then
	limited --test-dir "$tree" --control=off --batch -j2 >"$work/output" 2>&1
	equal "64 MB of output in 30 MB of memory" "0 8 32000000" "$? $(processes) \
$(grep -c '^y$' "$tree/Testing/Temporary/LastTest.log")"
fi

# What a test that runs alone asks for and leaves, and a long line in which a text ends it.
{
	echo "add_test(asks \"$CCTR\" alloc new gpus:1)"
	echo 'add_test(leaves sh -c "exec 2>&- >&-; sleep 600 & exit 0")'
	echo 'add_test(long sh -c "yes | tr -d [:space:] | head -c 300000; echo MATCH; exec sleep 600")'
	echo 'set_tests_properties(long PROPERTIES TIMEOUT_AFTER_MATCH "0.1;MATCH")'
} | declare_tests
"$CCTR" --test-dir "$tree" --batch --resource gpus=1 --leak-report -j3 >"$work/output" 2>"$work/said"
equal "other tests do what they do without it" "8 1 1 1 1" "$? $(grep -c 'asks .*Passed' "$work/output") \
$(grep -c 'leaves .*Passed' "$work/output") $(grep -c 'long .*[*]Timeout' "$work/output") $(
	grep -c '^LEAK Test #2: leaves: process [0-9]* (sleep)$' "$work/said")"
kill "$(sed -n 's/^LEAK .* process \([0-9]*\) .*/\1/p' "$work/said")"

# Who steers a test that leads a process, or that waits for the one of another, steers that test alone.
{
	google W.waits1 W.waits2
	echo 'set_tests_properties(W.waits1 W.waits2 PROPERTIES TIMEOUT 600)'
} | declare_tests
ctl() { # verb and operands
	"$CCTR" ctl --test-dir "$tree" "$@" 2>&1
}
both_run() {
	[ "$(ctl ps | grep -c ' runs for ')" = 2 ]
}
under=
begin_steered() { # -> lead, other; $under: what runs cctr
	rm -f "$log.go"
	: >"$log"
	# shellcheck disable=SC2086
	$under "$CCTR" --test-dir "$tree" --batch -j2 >"$work/output" 2>&1 </dev/null &
	pid=$!
	await grep -q waits "$log"
	await both_run
	lead=$(sed 's/:.*//' "$log")
	other=$([ "$lead" = W.waits1 ] && echo W.waits2 || echo W.waits1)
}
# -> results: the exit code, and what became of the two.
end_steered() {
	: >"$log.go"
	wait "$pid"
	results="$? $(sed -nE 's/^ *[0-9]\/2 Test +#[0-9]: ([^ ]*) \.* *(.*[a-z]) +[0-9.]+ sec$/\1 \2/p' "$work/output" |
		sed "s/$lead/lead/; s/$other/other/; s/   */ /g" | sort | paste -sd ,)"
}
steered() { # title, the result of the test, exit code, verb, operand; $who: lead or other, $rest: the other one
	begin_steered
	ctl "$4" "$(eval "echo \$$who")" ${5+"$5"} >/dev/null
	await grep -q "${2##* }  " "$work/output"
	end_steered
	equal "$1: $who" "$3 $({ echo "$who ***$2" && echo "$rest Passed"
		[ "$4" = retry ] && echo "$who Passed"; } | sort | paste -sd ,)" "$results"
}
begin_steered
equal "what its process has written is the first one's" "Running main()
[ RUN      ] $lead" "$(ctl tail "$lead")"
equal "... and nothing is that of the other one, which runs" "0 " "$(text=$(ctl tail "$other"); echo "$? $text")"
end_steered
equal "both pass" "0 lead Passed,other Passed" "$results"
for who in lead other; do
	rest=$([ $who = lead ] && echo other || echo lead)
	steered "the test that is canceled fails" "Failed Canceled" 8 cancel
	steered "a limit that is earlier is that of one test" "Timeout" 8 limit -599s
	steered "a test that starts again counts once" "Failed Canceled" 0 retry
done
# How many processes cctr starts, with its own.
if command -v strace >/dev/null; then
	# LeakSanitizer does not work under strace.
	under="env ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -qq -e trace=clone,clone3,fork,vfork -e signal=none -o $work/starts"
	begin_steered
	end_steered
	starts=$(wc -l <"$work/starts")
	begin_steered
	ctl cancel "$other" >/dev/null
	await grep -q Canceled "$work/output"
	end_steered
	under=
	equal "a test that waits is canceled without a start" "$starts 8 lead Passed,other ***Failed Canceled" \
		"$(wc -l <"$work/starts") $results"
else
	check "a test that waits is canceled without a start # SKIP no strace" ""
fi
begin_steered
ctl limit "$other" +60s >/dev/null
await grep -q "^$other\$" "$log"
end_steered
equal "a test with another limit has a process of its own, and passes" "0 lead Passed,other Passed" "$results"
rm "$log.go"

# An interruption ends the process, and the tests that wait for it.
google D.waits1 D.b D.c D.d | declare_tests
: >"$log"
"$CCTR" --test-dir "$tree" --batch -j4 >"$work/output" 2>&1 </dev/null &
pid=$!
await grep waits "$log"
kill "$pid"
wait "$pid"
equal "an interruption ends it" 143 $?
mkdir "$work/tmp"
: >"$log"
TMPDIR="$work/tmp" "$CCTR" --test-dir "$tree" --batch -j4 >"$work/output" 2>&1 </dev/null &
pid=$!
await grep waits "$log"
kill -KILL "$pid"
wait "$pid"
old=$(ls "$work/tmp")
: >"$log.go"
TMPDIR="$work/tmp" cctr --control=off --batch >"$work/output"
equal "what a killed run has left for reports goes with the next one" "1 0" "$(echo "$old" | grep -c scratch) $(
	find "$work/tmp" -mindepth 1 | grep -c .)"

{
	for name in a b c 'x y' fails raw1; do
		printf 'add_test("pre.%s" "%s" "%s")\n' "$name" "$work/catch" "$name"
	done
	printf 'add_test("other.%s" "/bin/echo" "%s")\n' 1 1 2 2
} | declare_tests
run -V
equal "cases of Catch2" "8 1" "$? $(grep -c 'fails .*[*]Failed' "$work/output")"
equal "what fails or writes otherwise runs alone" "1 1" "$(for name in fails raw1; do
	grep -c "^$name\$" "$log"; done | paste -sd ' ')"
equal "the others together" 1 "$(grep -cE '^(a|b|c|x y)(,(a|b|c|x y))+$' "$log")"
equal "each has its output" 5 "$(grep -cE '^[0-9]+: text of (a|b|c|x y|fails)$' "$work/output")"
equal "other programs are not asked for cases" 2 "$(grep -cE '^[0-9]+: [12]$' "$work/output")"
run -R 'pre.[ab]' --launcher '{agent}' --nodes n1
equal "on nodes they run one by one, which is said" "0 2 1" \
	"$? $(processes) $(grep -c 'tests on nodes run one by one' "$work/output")"

printf '#include <gtest/gtest.h>\nTEST(R, a) { puts("of a"); }\nTEST(R, b) { EXPECT_TRUE(false); }\nTEST(R, c) { GTEST_SKIP(); }
TEST(R, d) { printf("no newline"); }\nint main(int n, char **v) { FILE *f = fopen(getenv("LOG"), "a"); fputs("x\\n", f); fclose(f);
	testing::InitGoogleTest(&n, v); return RUN_ALL_TESTS(); }\n' >"$work/real.cpp"
c++ -O0 -o "$work/real" "$work/real.cpp" -lgtest -pthread 2>"$work/lacks" || skip_all "no GoogleTest"
for name in R.a R.b R.c R.d; do
	printf 'add_test(%s "%s/real" "--gtest_filter=%s")\n' "$name" "$work" "$name"
	printf 'set_tests_properties(%s PROPERTIES SKIP_REGULAR_EXPRESSION [==[\\[  SKIPPED \\]]==])\n' "$name"
done | declare_tests
compare "GoogleTest itself"
run -E R.b -V
equal "one process of GoogleTest" "0 1 1" "$? $(processes) $(grep -c '^1: of a$' "$work/output")"
finish
