#!/bin/sh
# --ui=live in a terminal, which tmux is: what the display shows while tests wait, and that it leaves
# nothing. A test waits for a file, so that nothing depends on how long things take.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
needs tmux
needs setsid

own_folder
number=0
trap 'in_tmux kill-server; rm -rf "$work"' EXIT
in_tmux() { # command...
	tmux -S "$work/socket$number" "$@" 2>/dev/null
}
unset CI CCTR_UI NO_COLOR CLICOLOR CLICOLOR_FORCE TMUX
export LC_ALL=C.UTF-8
tree="$work/tree"
mkdir "$tree"

# A terminal that runs a shell script and then stays. The next one has another server: this one needs
# time to end.
terminal() { # columns, script
	rm -rf "$work/status" "$work/go" "$tree/Testing"
	in_tmux kill-server
	number=$((number + 1))
	printf '%s\necho $? >"%s/ended"; mv "%s/ended" "%s/status"; exec sleep 600\n' \
		"$2" "$work" "$work" "$work" >"$work/script"
	in_tmux -f /dev/null -u new-session -d -x "$1" -y 24 "sh $work/script"
}
# The screen with what has left it at the top; lines that the terminal broke are whole.
screen() {
	in_tmux capture-pane -p -J -S - "$@" | sed 's/ *$//'
}
shows() { # extended regular expression
	screen | grep -qE "$1"
}
ended() {
	[ -e "$work/status" ]
}
# What a plain run prints on both streams, in the same directory.
plain() { # options...
	touch "$work/go"
	rm -rf "$tree/Testing"
	"$CCTR" --test-dir "$tree" --ui=plain "$@" 2>&1 </dev/null | tidy
}
tidy() {
	expand | without_times | sed -E '/^$/d'
}
live="$CCTR --test-dir $tree"

waiting='until test -e '"$work"'/go; do sleep 0.01; done'
declare_tests <<END
add_test(waits "/bin/sh" "-c" "$waiting")
add_test("日本語 é and a name that is longer than the terminal is wide 日本語 日本語 日本語" "/bin/sh" "-c"
	"until grep ' waits$' '$tree/Testing/Temporary/CTestCheckpoint.txt'; do sleep 0.01; done")
add_test(quick "/bin/true")
add_test(fails "/bin/sh" "-c" "echo said; exit 1")
add_test(last "/bin/true")
set_tests_properties(waits "日本語 é and a name that is longer than the terminal is wide 日本語 日本語 日本語"
	PROPERTIES DEPENDS quick)
set_tests_properties(last PROPERTIES DEPENDS "fails;waits;日本語 é and a name that is longer than the terminal is wide 日本語 日本語 日本語")
END
expected=$(plain -j4 -E fails)

terminal 80 "$live -j4 -E fails"
await shows '1/4 tests: 1 passed, 0 failed, 2 running \| [0-9]+:[0-9]+ \| slots 2/4'
check "the display says what runs" "$(
	shows '^ +[0-9]+:[0-9]+  #1: waits$' || screen
	shows '^ +[0-9]+:[0-9]+  #2: 日本語 .*\.\.\.$' || screen)"
equal "below the text" "Test project $tree" "$(screen | sed -n 2p)"
equal "no line is broken" 3 "$(in_tmux capture-pane -p | grep -cE '^ +[0-9]+:[0-9]+  #|tests: ')"
in_tmux resize-window -x 40 -y 20
await shows '^1/4 tests: 1 passed, 0 failed, 2 run\.\.\.$'
equal "another width: it is drawn anew, once" "1 2" \
	"$(screen | grep -c 'tests: ') $(screen | grep -cE '^ +[0-9]+:[0-9]+  #')"
in_tmux resize-window -x 100 -y 6
await shows '^1/4 tests: 1 passed, 0 failed, 2 running \| [0-9]+:[0-9]+ \| slots 2/4'
equal "a low terminal has no more rows than it has" yes \
	"$([ "$(in_tmux capture-pane -p | grep -cE 'tests: |^ +[0-9]+:[0-9]+  #')" -le 5 ] && echo yes)"
touch "$work/go"
await ended
equal "in the end there is what a plain run prints" "$expected" "$(screen | tidy)"
equal "and the exit code" 0 "$(cat "$work/status")"

modes() {
	in_tmux display -p \
		'#{cursor_flag} #{alternate_on} #{insert_flag} #{wrap_flag} #{origin_flag} #{scroll_region_upper} #{scroll_region_lower}'
}
terminal 80 "stty -g >$work/before; $live -j4 -R waits & echo \$! >$work/pid; wait \$!; stty -g >$work/after"
before=$(modes)
await shows '0/1 tests: 0 passed, 0 failed, 1 running'
kill -KILL "$(cat "$work/pid")"
await ended
equal "a killed run leaves the modes of the terminal as they were" \
	"$before $(cat "$work/before")" "$(modes) $(cat "$work/after")"

colours() { # title, how many coloured words there are, variables
	terminal 80 "export $3; $live -j4 -R waits"
	await shows '0/1 tests: 0 passed, 0 failed, 1 running'
	equal "$1" "$2" "$(screen -e | grep -cE "$(printf '\033')\\[33m1 running")"
	touch "$work/go"
	await ended
}
colours "words are coloured" 1 CLICOLOR=1
colours "not with NO_COLOR" 0 NO_COLOR=1
colours "not with CLICOLOR=0" 0 CLICOLOR=0
colours "CLICOLOR_FORCE wins over it" 1 "CLICOLOR=0 CLICOLOR_FORCE=1"

# Where there is no display, the terminal gets ctest's bytes. These runs last for longer than the first
# frame has to wait.
# By the clock of the system: three frames or more.
pass_time() {
	until=$(($(now_ms) + 400))
	while [ "$(now_ms)" -lt $until ]; do :; done
}
now_ms() {
	read -r up _ </proc/uptime
	echo "${up%.*}${up#*.}0"
}
bytes() { # title, script with $live
	terminal 80 "tmux pipe-pane 'cat >$work/bytes; touch $work/closed'; touch $work/piped; $2"
	await test -e "$work/piped"
	await shows 'Start 1: waits'
	pass_time
	touch "$work/go"
	await ended
	in_tmux pipe-pane
	await test -e "$work/closed"
	check "$1" "$(grep -q 'Test project' "$work/bytes" || echo "no text"
		grep "$(printf '\033')" "$work/bytes" | cat -v)"
	rm -f "$work/piped" "$work/closed" "$work/bytes"
}
ln -s "$(realpath "$CCTR")" "$work/ctest"
export CLICOLOR=0
bytes "no display with --ui=plain" "$live --ui=plain -R waits"
bytes "nor with --ui plain" "$live --ui plain -R waits"
bytes "nor with CCTR_UI=plain" "CCTR_UI=plain $live -R waits"
bytes "nor where CI is set" "CI=true $live -R waits"
bytes "nor on a dumb terminal" "TERM=dumb $live --ui=live -R waits"
bytes "nor under the name ctest" "$work/ctest --test-dir $tree -R waits"
unset CLICOLOR

terminal 80 "$work/ctest --test-dir $tree --ui=live -R waits"
await shows '0/1 tests: 0 passed, 0 failed, 1 running'
check "--ui=live shows it under that name" "$(shows '0/1 tests:' || screen)"
touch "$work/go"
await ended

# A terminal that is stopped delays no limit.
declare_tests <<END
add_test(waits "/bin/sh" "-c" "$waiting")
add_test(limited "/bin/sleep" "600")
add_test(last "/bin/true")
set_tests_properties(limited PROPERTIES TIMEOUT 1)
END
expected=$(plain)
terminal 80 "$live"
await shows '0/3 tests: 0 passed, 0 failed, 1 running'
in_tmux send-keys C-s
touch "$work/go"
await grep -q '^End testing:' "$tree/Testing/Temporary/LastTest.log"
equal "a stopped terminal delays no limit" yes "$(
	sed -n 's/^Test time = *\([0-9]*\)\..*/\1/p' "$tree/Testing/Temporary/LastTest.log" |
		sed -n 2p | grep -qE '^[1-4]$' && echo yes)"
in_tmux send-keys C-q
await ended
equal "and gets all text when it goes on" "$expected" "$(screen | sed '/^What failed/,/^  again/d' | tidy)"

# What failed.
declare_tests <<END
add_test(says "/bin/sh" "-c" "seq -f '%g lines' 12; printf 'and \\\\033[31ma long one that is wider than the terminal and has no end'; exit 3")
add_test(passes "/bin/true")
add_test(forbidden "/bin/echo" "no FORBIDDEN text")
add_test(missing "/no/such")
add_test(unstable "/bin/sh" "-c" "echo x >>'$work/tries'; test \$(grep -c x '$work/tries') -ge 3")
add_test(a_name_that_is_longer_than_the_line "/bin/false")
add_test(skips "/bin/sh" "-c" "exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(forbidden PROPERTIES FAIL_REGULAR_EXPRESSION "FORB.*")
END
recap() { # options...
	terminal 50 "$live $* --ui=live"
	await ended
	screen | sed -E -n '/^What failed/,/^Errors/ { /^Errors/d; s/[0-9.]+ sec/N sec/; s/^  again: .* --test-dir/  again: --test-dir/; p }'
}
equal "what failed, with the last lines, why, and how to run it again" "What failed:
#1: says, failed, N sec, exit code 3
$(seq -f '  | %g lines' 4 12)
  | and ?[31ma long one that is wider than the...
  again: --test-dir $tree -C 'a b' -V --test says
#3: forbidden, failed, N sec, exit code 0
  The output has an expression that it must no...
  | no FORBIDDEN text
  again: --test-dir $tree -C 'a b' -V --test forbidden
#4: missing, not run
  Unable to find executable: /no/such
  again: --test-dir $tree -C 'a b' -V --test missing" "$(recap "-j1 --output-junit out.xml -C 'a b' -E 'unstable|longer'")"
equal "a long name is cut, and not the result" "#6: a_name_that..., failed, N sec, exit code 1" \
	"$(recap -R longer | grep '^#')"
equal "without the output that is on the terminal already" 0 \
	"$(recap --output-on-failure -R says | grep -c '^  |')"
results() { # variable, options
	terminal 80 "export $1; $live ${2-} -R 'says|passes|missing|skips'"
	await ended
	escape=$(printf '\033')
	screen -e | sed -nE "/ Test +#/s/.*$escape\\[(3[0-9])m *(.*[a-z]) *$escape.*/\1 \2/p"
}
equal "words of results are coloured" "31 ***Failed
32 Passed
31 ***Not Run
33 ***Skipped" "$(results CLICOLOR=1)"
equal "not with NO_COLOR, either" "" "$(results NO_COLOR=1)"
equal "nor with -O, whose file has the same bytes" "" "$(results CLICOLOR=1 "-O '$work/said'")"
equal "nothing where nothing failed" "" "$(recap -R passes)"
sh -c "$(recap -R says | sed -n "s|^  again: |$CCTR |p") | grep -q '12 lines'"
equal "the command runs the test again" 0 $?

terminal 70 "$live -R unstable --repeat until-pass:3"
await ended
equal "what is flaky" "What is flaky:
#5: unstable, failed in 2 of 3 attempts" "$(screen | sed -n '/^What/,$p')"

# A result that is taken back counts no more.
declare_tests <<END
add_test(waits "/bin/sh" "-c" "$waiting")
add_test(unstable "/bin/sh" "-c" "echo x >>'$work/turns'; n=\$(grep -c x '$work/turns')
	[ \$n = 1 ] && exit 1; [ \$n = 2 ] && exit; $waiting")
END
terminal 80 "$live -j2 --repeat until-pass:2"
await shows '^1/2 tests: 1 passed, 1 flaky, 0 failed, 1 running '
"$CCTR" ctl --test-dir "$tree" retry unstable >"$work/output" 2>&1
await shows '^0/2 tests: 0 passed, 0 failed, 2 running '
check "a flaky test that is tried again is no longer among the flaky ones" "$(
	shows '^0/2 tests: 0 passed, 0 failed, 2 running ' || { screen && cat "$work/output"; })"
touch "$work/go"
await ended
equal "... until it has passed again" "#2: unstable, failed in 1 of 3 attempts" "$(screen | grep '^#2: unstable, failed')"

# A pipe gets the same as ever, whatever --ui says.
"$CCTR" --test-dir "$tree" --ui=live -R last >"$work/piped_text" 2>&1 </dev/null
equal "a pipe has no display" "$(plain -R last)" "$(tidy <"$work/piped_text")"
for value in "" fancy LIVE; do
	cctr --ui "$value" >"$work/output"
	equal "\"$value\" is refused" "1 1" \
		"$? $(grep -c "'--ui' given unknown value '$value', not auto, live or plain" "$work/output")"
done
CCTR_UI=fancy cctr >"$work/output"
equal "in CCTR_UI, too" "8 1" \
	"$? $(grep -c "cctr: CCTR_UI: '--ui' given unknown value 'fancy', not auto, live or plain" "$work/output")"
finish
