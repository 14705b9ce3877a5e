#!/bin/sh
# cctr history: what it says of tests, for people and as JSON, and what it refuses.
set -u
. tests/meta/tap.sh

"${CCTR:?}" --version=full | grep -q 'without SQLite' && {
	own_folder
	cd "$work" || exit 1
	echo 'add_test(one true)' >CTestTestfile.cmake
	text=$("$CCTR" history 2>&1)
	check "without SQLite it says so" "$(is "$? $text" "1 cctr: $PWD/Testing/cctr-history.sqlite: the \
history cannot be read: this cctr was built without SQLite")"
	finish
	exit
}
needs python3
own_folder
export CCTR_COMPAT_VERSION=3.25
base=Testing/cctr-history.sqlite
cd "$work" || exit 1
ln -s "$CCTR" ctest
cat >CTestTestfile.cmake <<'END'
add_test(passes true)
add_test(fails sh -c "exit 3")
add_test(breaks sh -c "[ ! -e broken ]")
add_test(again sh -c "[ -e there ] || { touch there; exit 1; }")
add_test(missing /no/such/program)
add_test(disabled true)
set_tests_properties(disabled PROPERTIES DISABLED ON)
set_tests_properties(passes breaks PROPERTIES LABELS quick)
END
mkdir .git && echo 0123456789abcdef0123456789abcdef01234567 >.git/HEAD

# ---- before any run ----
text=$("$CCTR" history 2>&1)
check "without a history it says so" "$(is "$? $text" \
	"1 cctr: $PWD/$base: there is no history; runs with --history=on write one")"
check "... and writes nothing" "$(find . -name Testing)"

# ---- some runs ----
"$CCTR" --history=on --repeat until-pass:2 >output 2>&1
echo 1123456789abcdef0123456789abcdef01234567 >.git/HEAD
touch broken
"$CCTR" --history=on >output 2>&1
cp -r Testing before
masked() { "$CCTR" history "$@" 2>&1 | sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/DATE/g; s/[0-9]+\.[0-9]{3}/S/g'; }
masked >output
check "what is remarkable" "$(is "$(sed -n '1,/^Slowest/p' output)" "6 tests, 2 runs from DATE to DATE, expected S s one after the other

Newly failing: 1
  DATE  breaks: 1 run, exit code 1, commit 1123456789

Failing, never passed: 1
  DATE  fails: 2 runs, exit code 3, commit 0123456789

Flaky: 1
   50.0 %  again: failed and passed in 1 of 2 runs

Slowest: 4")"
check "... and what has never run" "$(is "$(sed -n '/^Never/,$p' output)" "Never run: 1
  missing")"
check "of the tests that are selected" "$(is "$(masked -L quick | grep -vE '^$|^ *S s')" \
"2 tests, 2 runs from DATE to DATE, expected S s one after the other
Newly failing: 1
  DATE  breaks: 1 run, exit code 1, commit 1123456789
Slowest: 2")"
check "all of one test" "$(is "$(masked again | tr -s ' ' | sed "s/$(uname -n)/HOST/; s/ S S [0-9.]* / S S MIB /")" \
"again: 2 runs, 2 passed, 0 failed, 0 skipped, expected S s
Flaky: 50.0 % again: failed and passed in 1 of 2 runs
 began no verdict seconds processor s MiB commit host, why
 DATE 1 passed S S MIB 1123456789 HOST
 DATE 2 passed S S MIB 0123456789 HOST
 DATE 1 failed S S MIB 0123456789 HOST exit code 1")"
check "of several tests, and of one that has never run" "$(is "$(masked missing passes | grep -E '^[a-z]')" \
"passes: 2 runs, 2 passed, 0 failed, 0 skipped, expected S s
missing: never run")"
check "of another configuration" "$(is "$("$CCTR" history -C Debug | sed -n '1,2p')" \
"6 tests of configuration Debug, 0 runs, expected 0.000 s one after the other
The history has configurations: (without -C)")"
check "in another folder" "$(cd / && "$CCTR" history --test-dir "$work" -R fails | grep -q 'fails: 2 runs' || echo no)"
"$CCTR" history --json >all.json
"$CCTR" history again --json >one.json
check "JSON" "$(python3 -c '
import json
all = json.load(open("all.json"))
tests = {test["name"]: test for test in all["tests"]}
assert all["version"] == 1 and all["runs"] == 2 and all["configurations"] == [""], all
assert all["first_us"] < all["last_us"] and "newly_slow" not in all, all
assert tests["breaks"]["newly_failing"]["runs"] == 1, tests["breaks"]
assert tests["breaks"]["newly_failing"]["commit"][0] == "1", tests["breaks"]
assert tests["fails"]["always_failing"]["why"] == "exit code 3", tests["fails"]
assert tests["again"]["flaky"] and tests["again"]["flaky_runs"] == 1, tests["again"]
assert tests["missing"]["runs"] == 0 and tests["disabled"]["disabled"], tests
assert tests["passes"]["expected_us"] > 0 and "history" not in tests["passes"], tests["passes"]
one = json.load(open("one.json"))["tests"]
assert len(one) == 1 and [a["verdict"] for a in one[0]["history"]] == ["passed", "passed", "failed"], one
assert one[0]["history"][2]["why"] == "exit code 1" and one[0]["history"][0]["run"] == 2, one
' 2>&1)"
check "it changes no file" "$(diff -r Testing before)"

# ---- times ----
python3 - "$base" <<'END'
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("DELETE FROM attempt")
test, = base.execute("SELECT id FROM test WHERE name='passes'").fetchone()
for run in range(1, 31):
    base.execute("INSERT OR REPLACE INTO run VALUES(?, ?, 'h', ?, 1)", (run, run * 10**12, f"{run:040}"))
    base.execute("INSERT INTO attempt(test, run, number, is_last, verdict, why, host, began_us, wall_us,"
                 " processor_us, peak_bytes, slots) VALUES(?, ?, 1, 1, 'passed', '', '', ?, ?, 0, 0, 1)",
                 (test, run, run * 10**12, (3000000 if run > 25 else 2000000) + run * 37 % 11 * 1000))
base.commit()
END
check "newly slow" "$(is "$(TZ=UTC "$CCTR" history -R passes | sed -n '/^Newly slow/,/^$/p')" "Newly slow: 1
  passes: 3.006 s, 2.005 s before, in the latest 5 runs, since 1970-10-28 22:13, commit 0000000000; by chance: 5.6e-05")"
"$CCTR" history --json -R passes >slow.json
check "... in JSON" "$(python3 -c '
import json
slow = json.load(open("slow.json"))["tests"][0]["newly_slow"]
assert slow["runs"] == 5 and slow["commit"].endswith("26") and slow["chance"] < 1e-4, slow
assert slow["now_us"] > 2.9e6 > 2.1e6 > slow["before_us"], slow
' 2>&1)"

# ---- mistakes ----
check "an output that is closed is an error" "$("$CCTR" history >&- 2>errors; is "$? $(cat errors)" \
	"1 cctr: cannot write standard output: Bad file descriptor")"
text=$("$CCTR" history agan 2>&1)
check "a misspelled test" "$(is "$? $text" '1 history: no test "agan"; did you mean "again"?')"
for words in "-S script" "-D Experimental" "-T Test" "--build-and-test . ."; do
	# shellcheck disable=SC2086
	text=$("$CCTR" history $words 2>&1)
	check "not with $words" "$(is "$? $text" "1 CMake Error: 'cctr history' runs nothing: no -S, -T, -M, -D \
or --build-and-test goes with it")"
done
check "by the name ctest it is no command" "$(./ctest history -R passes 2>&1 | grep -q '1/1 Test #1: passes' || echo no)"
cp $base whole
python3 -c '
import sys
with open(sys.argv[1], "r+b") as file:
    file.truncate(5000)' $base
text=$("$CCTR" history 2>&1)
check "a damaged file is named and stays" "$(is "$? $text" \
	"1 cctr: $PWD/$base: the history cannot be read: database disk image is malformed"
	is "$(wc -c <$base)" 5000)"
echo 'this is no database, but it has a line of text that is long enough to be one' >$base
text=$("$CCTR" history --json 2>&1)
check "so is one that is no database" "$(is "$? $text" \
	"1 cctr: $PWD/$base: the history cannot be read: file is not a database")"
python3 - whole <<'END'
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("PRAGMA user_version=3")
base.commit()
END
cp whole $base
text=$("$CCTR" history 2>&1)
check "so is one of a newer cctr" "$(is "$? $text" \
	"1 cctr: $PWD/$base: the history cannot be read: it is of a newer cctr")"
finish
