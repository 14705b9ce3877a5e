#!/bin/sh
# --print-command: what it prints runs the test as cctr does, when a shell reads it.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
needs python3
needs env
tree="$work/a tree's \"build\""
program="$work/a=b/the program"
mkdir -p "$tree/sub \$dir" "$work/a=b"

# All that a program can know of its start. The shell counts itself in SHLVL, and changes "_".
cat >"$program" <<'END'
#!/usr/bin/env python3
import os, sys
known = {name: value for name, value in os.environb.items() if name not in (b"_", b"SHLVL")}
with open(os.path.join(os.path.dirname(sys.argv[0]), "started"), "w", encoding="utf-8") as file:
    print(ascii(sys.argv), os.getcwd(), *map(ascii, sorted(known.items())), sep="\n", file=file)
sys.exit(7)
END
chmod +x "$program"
name='it'"'"'s "a" $(touch x) `test` \ ; * é
of two lines '
cat >"$tree/CTestTestfile.cmake" <<END
set(ENV{OF_THE_FILE} "of the file's")
add_test([=[$name]=] [=[$program]=] "two  blanks" "" "it's" [=["\$HOME" \`id\` \$(id) \\]=] "*" "-n" "=" "a=b" "~" "#" "é" [=[
line
]=] "tab	")
set_tests_properties([=[$name]=] PROPERTIES WORKING_DIRECTORY [=[$tree/sub \$dir]=]
	ENVIRONMENT "BLANK=a  b;QUOTE=it's \"x\";EMPTY=;LINES=a
b
;-u=odd;REPLACED=new"
	ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:/new's place;GONE=unset:;KEPT=string_append: more")
add_test(plain "/bin/true" "some" "words")
add_test(missing "/nonexistent/program")
add_test(pool "/bin/true")
set_tests_properties(pool PROPERTIES RESOURCE_GROUPS "gpus:1")
END
export GONE='to be unset' KEPT="it's" REPLACED=old CTEST_RESOURCE_GROUP_COUNT=3
# zsh sets it where it is not.
export LOGNAME="${LOGNAME:-$(id -un)}"

cctr --control=off -R 'of two lines' >"$work/output"
equal "the test runs under cctr" 1 \
	"$(grep -c '^of two lines .*[*]Failed' "$work/output")"
mv "$work/a=b/started" "$work/by cctr"
rm -r "$tree/Testing"
cctr --print-command "$name" >"$work/command"
equal "the exit code is 0" 0 $?
equal "no file is written" "" "$(find "$tree" -name Testing)"
for shell in sh dash bash busybox zsh; do
	command -v "$shell" >/dev/null || continue
	words=$([ "$shell" = busybox ] && echo sh)
	# shellcheck disable=SC2086 # none or one
	(cd / && exec "$shell" $words) <"$work/command" >"$work/output" 2>&1
	equal "$shell: the exit code is that of the test" 7 $?
	equal "$shell: the same words, directory and environment" "" \
		"$(diff "$work/by cctr" "$work/a=b/started" 2>&1)"
	rm -f "$work/a=b/started"
done

equal "words that need no quotes have none, and --print-command= is the same" 1 \
	"$(cctr --print-command=plain | grep -c ' /bin/true some words)$')"
equal "several are printed in the order of the options" "/bin/true
the" "$(cctr --print-command plain --print-command "$name" | grep -o '/bin/true\|the program' | cut -d ' ' -f 1)"
equal "the words after -- are those of every test" 1 \
	"$(CCTR_COMPAT_VERSION=4.4 cctr --print-command plain -- 'more words' | grep -c " some words 'more words')$")"

"$CCTR" --test-dir "$tree" --resource gpus=1 --print-command pool >"$work/command" 2>"$work/said"
equal "variables of resources are left out, and that is said" "0 1" \
	"$(grep -c 'RESOURCE_GROUP_[A0-9]' "$work/command") $(grep -c '"pool".*left out' "$work/said")"
text=$(cctr --print-command plian --print-command plain)
equal "a name that no test has is an error" 1 $?
equal "and says what was meant" '--print-command: no test "plian"; did you mean "plain"?' "$text"
text=$(cctr --print-command missing)
equal "so is a test without an executable" 8 $?
equal "which is said" 1 "$(echo "$text" | grep -c '"missing": unable to find executable: /nonexistent/program')"
finish
