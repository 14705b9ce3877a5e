#!/bin/sh
# cctr merge: the shards of a run give the files that one run gives, and what is not a whole run
# is refused with one line.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree

merge() { # words... -> the exit code and the text
	text=$("$CCTR" merge "$@" 2>&1 </dev/null)
	echo "$? $text"
}
refused() { # title, what the line ends with, words of cctr merge...
	title=$1 wanted=$2
	shift 2
	text=$(merge --output-junit "$work/none.xml" "$@" | sed "s|$work/||g")
	equal "$title" "1 cctr merge: $wanted" "$text"
	check "  and nothing is written" "$(find "$work" -name none.xml)"
}
# Times, machines and the order in which tests ended are not compared.
without_facts() { # file
	sed -E 's/[[:space:]](time|timestamp|hostname)="[^"]*"//g' "$1"
}
cat >"$work/prints" <<'TEXT'
#!/bin/sh
printf '<CTestMeasurement type="numeric/double" name="speed">1.5</CTestMeasurement>\n'
printf '<&> \377 \001 end\n'
exit 3
TEXT
chmod +x "$work/prints"
declare_tests <<TESTS
add_test(start "/bin/true")
add_test(stop "/bin/true")
add_test(uses_a "/bin/echo" "hello <&>")
add_test(uses_b "/bin/true")
add_test(long "/bin/true")
add_test(first "/bin/true")
add_test(second "/bin/echo" "nothing of that")
add_test(fails "$work/prints")
add_test(skipped "/bin/false")
add_test(off "/bin/false")
add_test(missing "/none/there")
set_tests_properties(start PROPERTIES FIXTURES_SETUP server)
set_tests_properties(stop PROPERTIES FIXTURES_CLEANUP server)
set_tests_properties(uses_a uses_b PROPERTIES FIXTURES_REQUIRED server LABELS "x;y")
set_tests_properties(second PROPERTIES DEPENDS first PASS_REGULAR_EXPRESSION "wanted;or this")
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 1)
set_tests_properties(off PROPERTIES DISABLED TRUE)
set_tests_properties(uses_b PROPERTIES MEASUREMENT "size=7" PROCESSORS 2)
TESTS
shards="$tree/Testing/cctr-shard"

# ---- the files are those of one run ----------------------------------------------------

cctr --output-junit "$work/one.xml" >/dev/null
rm -rf "$tree/Testing"
for i in 1 2 3; do
	cctr --shard $i/3 >/dev/null
done
text=$(merge --output-junit "$work/all.xml" "$tree")
equal "the exit code is that of the worst shard" 8 "${text%% *}"
check "the summary is of all tests" "$(echo "$text" | grep -qF '70% tests passed, 3 tests failed out of 10' ||
	echo "$text")"
check "and names what failed" "$(echo "$text" | grep -qE '8 - fails \(Failed\)' || echo "$text")"
without_facts "$work/one.xml" >"$work/one"
without_facts "$work/all.xml" >"$work/all"
check "JUnit's file is that of one run" "$(diff "$work/one" "$work/all")"

# In the order of the tests, each on its own line.
tests_of() { # folder
	python3 - "$1" <<'TEXT'
import glob, re, sys
text = open(glob.glob(sys.argv[1] + "/Testing/2*/Test.xml")[0]).read()
text = re.sub(r"<StartTestTime>[^<]*</StartTestTime>", "", text)
text = re.sub(r'(name="Execution Time">\s*<Value>)[^<]*', r"\1", text)
tests = re.findall(r"<Test Status.*?</Test>", text, re.S)
listed = re.findall(r"<Test>[^<]*</Test>", text)
print("\n".join(sorted(tests) + sorted(listed)))
TEXT
}
rm -rf "$tree/Testing"
cctr -T Test >/dev/null
tests_of "$tree" >"$work/one"
rm -rf "$tree/Testing"
for i in 1 2 3; do
	cctr --shard $i/3 >/dev/null
done
mkdir "$work/into"
text=$(merge --into="$work/into" "$shards-3-of-3" "$shards-1-of-3" "$shards-2-of-3")
equal "the files may come in any order" 8 "${text%% *}"
tests_of "$work/into" >"$work/all"
check "Test.xml has the tests of one run" "$(diff "$work/one" "$work/all")"
check "and all of them" "$(is "$(grep -c '<Test Status' "$work/all")" 11)"
if "$CCTR" --version=full 2>/dev/null | grep -qi sqlite && command -v sqlite3 >/dev/null; then
	equal "the history has each test that ran, in one run" "10 1" "$(sqlite3 -separator ' ' \
		"$work/into/Testing/cctr-history.sqlite" \
		"select count(distinct test), count(distinct run) from attempt" 2>&1)"
fi

# ---- what is no whole run ----------------------------------------------------------------

refused "a shard is missing" "shard 2 of 3 is missing" "$shards-1-of-3" "$shards-3-of-3"
refused "two are" "shards 1, 3 of 3 are missing" "$shards-2-of-3"
refused "one is given twice" "tree/Testing/cctr-shard-2-of-3: has shard 2 of 3, as tree/Testing/cctr-shard-2-of-3 has" \
	"$tree" "$shards-2-of-3"
refused "a file is not there" "none: cannot be read: No such file or directory" "$work/none"
mkdir "$work/empty"
refused "a folder has none" "empty: has no record of a shard" "$work/empty"

cp -r "$tree/Testing" "$work/kept"
kept="$work/kept/cctr-shard"
cctr --shard 1/2 >/dev/null
refused "a shard of another number" \
	"tree/Testing/cctr-shard-1-of-2: belongs to another run than kept/cctr-shard-1-of-3: it is one of 2 shards, not of 3" \
	"$kept-1-of-3" "$shards-1-of-2" "$kept-3-of-3"
cctr --shard 2/3 -E long >/dev/null
refused "one of another selection" \
	"tree/Testing/cctr-shard-2-of-3: belongs to another run than kept/cctr-shard-1-of-3: all its shards have 8 tests, not 9" \
	"$kept-1-of-3" "$shards-2-of-3" "$kept-3-of-3"
cat >"$work/times" <<'TIMES'
cctr-timings 1
50 1 - fails
1 1 - long
1 1 - first
1 1 - uses_a
2 1 - missing
TIMES
cctr --shard 2/3 --timings "$work/times" >/dev/null
text=$(merge "$kept-1-of-3" "$shards-2-of-3" "$kept-3-of-3")
check "one of other sums" "$(echo "$text" | grep -qE \
	'^1 cctr merge: .*cctr-shard-2-of-3: belongs to another run than .*: its key is [0-9a-f]{16}, not [0-9a-f]{16}$' ||
	echo "$text")"
cctr --shard 2/3 -C Other >/dev/null
refused "one of another configuration" \
	'tree/Testing/cctr-shard-2-of-3: belongs to another run than kept/cctr-shard-1-of-3: its configuration is "Other", not ""' \
	"$kept-1-of-3" "$shards-2-of-3" "$kept-3-of-3"

# Every byte counts, and every length of the file.
bytes=$(wc -c <"$kept-2-of-3")
for at in 3 40 60 200 $((bytes / 2)) $((bytes - 50)) $((bytes - 37)) $((bytes - 1)); do
	cp "$kept-2-of-3" "$work/broken"
	old=$(od -An -tu1 -j"$at" -N1 "$kept-2-of-3")
	printf '%b' "\\0$(printf %o $(((old + 1) % 256)))" |
		dd of="$work/broken" bs=1 seek="$at" conv=notrunc 2>/dev/null
	text=$(merge "$kept-1-of-3" "$work/broken" "$kept-3-of-3")
	check "byte $at is another" "$(echo "$text" | grep -qE '^1 cctr merge: .*/broken: (is damaged|has no end)' ||
		echo "$text")"
	head -c "$at" "$kept-2-of-3" >"$work/broken"
	text=$(merge "$kept-1-of-3" "$work/broken" "$kept-3-of-3")
	check "the file ends at $at" "$(echo "$text" | grep -qE '^1 cctr merge: .*/broken: (is damaged|has no end)' ||
		echo "$text")"
done
{ cat "$kept-2-of-3"; echo; } >"$work/broken"
refused "something follows the end" "broken: is damaged: its end is not where it was written" \
	"$kept-1-of-3" "$work/broken" "$kept-3-of-3"
echo "no record" >"$work/broken"
refused "another file" "broken: is damaged: it is no record of a shard, or one of another version" \
	"$kept-1-of-3" "$work/broken" "$kept-3-of-3"

# ---- runs that did not end ---------------------------------------------------------------

declare_tests <<TESTS
add_test(quick "/bin/true")
add_test(waits "/bin/sh" "-c" "touch '$work/waits'; exec /bin/sleep 200")
TESTS
rm -f "$tree"/Testing/cctr-shard-*
cctr --shard 1/1 -R quick >/dev/null
equal "a run that passes" 0 "$(merge "$tree" | sed -n '1s/ .*//p')"
for signal in TERM KILL; do
	rm -f "$work/waits"
	"$CCTR" --test-dir "$tree" --shard 1/1 >/dev/null 2>&1 </dev/null &
	pid=$!
	await test -e "$work/waits"
	refused "the run goes on" "tree/Testing/cctr-shard-1-of-1: has no end: shard 1 of 1 was killed, or still runs" "$tree"
	kill -s $signal $pid
	wait $pid 2>/dev/null
	case $signal in
	TERM) refused "a signal ended it" \
		"tree/Testing/cctr-shard-1-of-1: shard 1 of 1 was interrupted by signal 15" "$tree" ;;
	KILL) refused "it was killed" \
		"tree/Testing/cctr-shard-1-of-1: has no end: shard 1 of 1 was killed, or still runs" "$tree" ;;
	esac
done
cctr --shard 1/1 -R quick >/dev/null
cctr --shard 1/1 --timings "$work/none" >/dev/null
refused "a run that could not begin leaves no record" "tree: has no record of a shard" "$tree"

# ---- other ends --------------------------------------------------------------------------

declare_tests <<TESTS
add_test(a "/bin/false")
add_test(b "/bin/true")
TESTS
cctr --shard 1/1 --stop-on-failure >/dev/null
text=$(merge --output-junit "$work/stopped.xml" "$tree")
equal "a run that stopped is merged, and fails" 8 "${text%% *}"
check "with a warning" "$(echo "$text" | grep -qF \
	'cctr-shard-1-of-1: shard 1 of 1 has results of only 1 of its 2 tests' || echo "$text")"
rm -f "$tree"/Testing/cctr-shard-*
for i in 1 2 3 4; do
	cctr --shard $i/4 -E a >/dev/null
done
equal "shards may be empty" 0 "$(merge "$tree" | sed -n '1s/ .*//p')"
cctr -N --shard 1/4 >/dev/null
equal "a listing leaves the records" 0 "$(merge "$tree" | sed -n '1s/ .*//p')"
rm -f "$tree"/Testing/cctr-shard-*
for i in 1 2; do
	cctr --shard $i/2 --repeat until-pass:2 --flaky=pass -R . >/dev/null
done
text=$(merge --output-junit "$work/repeated.xml" "$tree")
check "attempts are told" "$(grep -q rerunFailure "$work/repeated.xml" || cat "$work/repeated.xml")"
text=$(merge --output-junit "$work/none/there/junit.xml" --into "$work/prints" "$tree")
equal "files that cannot be written fail" "8 1" "${text%% *} $(echo "$text" | grep -c 'prints/Testing.*cannot be made')"
rm -f "$tree"/Testing/cctr-shard-*
cctr --shard 1/1 -E a >/dev/null
text=$(merge --output-junit /proc/none.xml "$tree")
equal "also where all tests passed" 1 "${text%% *}"
mkdir "$tree/Testing/cctr-shard-1-of-1.d"
rm -f "$tree"/Testing/cctr-shard-1-of-1
mkdir "$tree/Testing/cctr-shard-1-of-1"
text=$(cctr --shard 1/1 -E a)
equal "a record that cannot be made fails the run" "8 1" \
	"$? $(echo "$text" | grep -c 'cctr-shard-1-of-1: cannot be removed')"
rm -rf "$tree"/Testing/cctr-shard-1-of-1*

# ---- attached files ----------------------------------------------------------------------

declare_tests <<TESTS
add_test(attaches "/bin/true")
set_tests_properties(attaches PROPERTIES ATTACHED_FILES "$work/attached")
TESTS
echo something >"$work/attached"
cctr --shard 1/1 >/dev/null
mkdir "$work/with" "$work/without"
text=$(merge --into "$work/with" "$tree")
attached() { # folder -> what is in the file that its Test.xml has
	python3 - "$1" <<'TEXT'
import base64, glob, io, re, sys, tarfile
text = open(glob.glob(sys.argv[1] + "/Testing/2*/Test.xml")[0]).read()
found = re.search(r'"tar/gzip" filename="attached".*?<Value>([^<]*)', text, re.S)
files = tarfile.open(fileobj=io.BytesIO(base64.b64decode(found.group(1))))
print(files.getnames(), files.extractfile("attached").read().decode().strip())
TEXT
}
equal "a file of a test is attached" "['attached'] something" "$(attached "$work/with")"
rm "$work/attached"
rm -rf "$work/with"
text=$(merge --into "$work/with" "$tree")
equal "it is in the record" "['attached'] something" "$(attached "$work/with")"
cctr --shard 1/1 >/dev/null
text=$(merge --into "$work/without" "$tree")
check "one that is not is said" "$(echo "$text" | grep -qF "Error creating tar while encoding file: $work/attached" ||
	echo "$text")"

# ---- words -------------------------------------------------------------------------------

for words in "" "--into" "--into=" "--unknown x" "--output-junit= x"; do
	# shellcheck disable=SC2086
	text=$(merge $words)
	equal "cctr merge $words" "2 1" "${text%% *} $(echo "$text" | grep -c 'see cctr merge --help')"
done
check "cctr merge --help" "$(merge --help | grep -q '^0 Usage: cctr merge' || merge --help)"
finish
