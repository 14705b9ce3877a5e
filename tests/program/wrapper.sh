#!/bin/sh
# --wrapper and --debug-test: what comes before the words of a test.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
needs script
tree="$work/tree"
mkdir -p "$tree/sub" "$work/bin"
cat >"$work/bin/wrap" <<'END'
#!/bin/sh
printf 'wrapped:'
printf ' [%s]' "$@"
echo
until [ "$1" = run ]; do shift; done
shift
exec "$@"
END
printf 'echo "no first line: $*"; exit 5\n' >"$work/bin/plain"
chmod +x "$work/bin/wrap" "$work/bin/plain"
declare_tests <<END
add_test(words "/bin/echo" "two  blanks" "")
add_test(fails "/bin/sh" "-c" "exit 3")
add_test(missing "/nonexistent/program")
add_test(all "/bin/sh" "-c" "echo \$VALUE \$PWD; env | grep -c RESOURCE_GROUP_0_GPUS=id:0; test -t 1 && echo terminal; exit 7")
set_tests_properties(all PROPERTIES WORKING_DIRECTORY "$tree/sub" ENVIRONMENT "VALUE=of the test"
	RESOURCE_GROUPS "gpus:1" TIMEOUT 0.001)
add_test(signal "/bin/sh" "-c" "kill -TERM \$\$")
add_test(script "$work/bin/plain" "a")
END
PATH="$work/bin:$PATH"

text=$(cctr --control=off --wrapper 'wrap "a  b" run' -R 'words|fails|missing' -V)
equal "failures stay failures" 8 $?
equal "the words of the test come after those of the wrapper" 1 \
	"$(echo "$text" | grep -cF '1: wrapped: [a  b] [run] [/bin/echo] [two  blanks] []')"
equal "-V shows both" 1 "$(echo "$text" | grep -cF "1: Test command: $work/bin/wrap \"a  b\" \"run\" \"/bin/echo\"")"
equal "verdicts" "1 1 1" "$(for v in 'words .* Passed' 'fails .*\*Failed' 'missing .*Not Run .*sec'; do
	echo "$text" | grep -c "$v"; done | paste -sd ' ')"
text=$(cd "$work/bin" && cctr --wrapper './wrap run' -R words)
equal "a path is from the directory of the caller" 0 $?
text=$(cctr --wrapper 'no-such-program x')
equal "without its program nothing runs" "8 0 1" "$? $(echo "$text" | grep -c Start) $(echo "$text" |
	grep -c -- '--wrapper: there is no program "no-such-program" in PATH')"
text=$(cctr --wrapper "open ' quote")
equal "a quote that is not closed is refused" "1 1" "$? $(echo "$text" | grep -c "which is not a command")"
equal "--print-command prints them" "wrapped: [x] [run] [/bin/echo] [two  blanks] []" \
	"$(cctr --print-command words --wrapper 'wrap x run' | sh | head -n 1)"

rm -rf "$tree/Testing"
text=$(cctr -r gpus=1 --debug-test all)
equal "the exit code is that of the test" 7 $?
equal "which has its variables, directory and resources, and no limit" "of the test $tree/sub
1" "$text"
equal "nothing is written" "" "$(find "$tree" -name Testing)"
equal "it has the terminal" 1 \
	"$(script -qec "$CCTR --test-dir $tree --debug-test all" "$work/typescript" </dev/null | grep -c terminal)"
text=$(CCTR_COMPAT_VERSION=3.16 cctr --debug-test words -- wrap --help run)
equal "words after -- come before the test" "0 wrapped: [--help] [run] [/bin/echo] [two  blanks] []" \
	"$? $(echo "$text" | head -n 1)"
text=$(CCTR_COMPAT_VERSION=4.4 cctr --wrapper 'wrap w run' --debug-test words -- wrap d run)
equal "and before those of --wrapper" "wrapped: [d] [run] [$work/bin/wrap] [w] [run] [/bin/echo] [two  blanks] []" \
	"$(echo "$text" | head -n 1)"
"$CCTR" --test-dir "$tree" --debug-test signal
equal "a signal ends both" 143 $?
text=$(cctr --debug-test script)
equal "a script without a first line is run by sh" "5 no first line: a" "$? $text"
text=$(cctr --debug-test wrods)
equal "a name that no test has" "1 1" "$? $(echo "$text" | grep -c 'no test "wrods"; did you mean "words"')"
text=$(cctr --debug-test missing)
equal "a program that does not exist" "8 1" "$? $(echo "$text" | grep -c 'test "missing": Unable to find executable')"
text=$(cctr --debug-test words -- no-such-program)
equal "a debugger that does not exist" "8 1" "$? $(echo "$text" | grep -c 'no program "no-such-program" in PATH')"
finish
