#!/bin/sh
# cctr advise: what it suggests of a history, that CMake and ctest take it, and what it refuses.
set -u
. tests/meta/tap.sh

"${CCTR:?}" --version=full | grep -q 'without SQLite' && skip_all "built without SQLite"
needs python3 cmake
own_folder
export CCTR_COMPAT_VERSION=3.25
base=Testing/cctr-history.sqlite
cd "$work" || exit 1
mkdir sub
echo 'TimeOut: 1500' >DartConfiguration.tcl
cat >CTestTestfile.cmake <<'END'
add_test(plain true)
add_test("two \"words\";\$" true)
add_test([[new
line]] true)
add_test(busy true)
add_test(idle true)
add_test(last true)
add_test(new true)
set_tests_properties(idle PROPERTIES PROCESSORS 4 TIMEOUT 9000)
subdirs(sub)
END
echo 'add_test(below true)' >sub/CTestTestfile.cmake

text=$("$CCTR" advise 2>&1)
check "without a history it says so" "$(is "$? $text" \
	"1 cctr: $PWD/$base: there is no history; runs with --history=on write one")"
"$CCTR" --history=on -j2 >output 2>&1
check "after one run nothing is said" "$(is "$("$CCTR" advise)" \
"# tests: 8, runs: 1; with less than 5 passed attempts, and no advice: 8
# nothing to change")"
python3 - "$base" <<'END'
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("DELETE FROM attempt")
times = {"busy": (2.0, 3.9), "last": (900.0, 1.0), "below": (30.0, 1.0)}
for name, test in base.execute("SELECT name, id FROM test").fetchall():
    seconds, used = times.get(name, (1.0, 0.5))
    for run in range(1 if name == "new" else 6):
        base.execute("INSERT INTO attempt(test, run, number, is_last, verdict, why, host, began_us, wall_us,"
                     " processor_us, peak_bytes, slots) VALUES(?, 1, ?, 1, 'passed', '', '', ?, ?, ?, 0, 1)",
                     (test, run + 1, run, int(seconds * 1e6), int(seconds * used * 1e6)))
base.commit()
END
"$CCTR" advise >advice.cmake
check "what it suggests" "$(is "$(sed "s|$PWD|TREE|" advice.cmake)" \
"# tests: 8, runs: 1; with less than 5 passed attempts, and no advice: 1

# no TIMEOUT, so that the limit is 1500 s, in TREE
set_tests_properties(
  plain # took up to 1 s in 6 attempts
  \"two \\\"words\\\";\\\$\" # took up to 1 s in 6 attempts
  \"new
line\" # took up to 1 s in 6 attempts
  busy # took up to 2 s in 6 attempts
  PROPERTIES TIMEOUT 10)

# no TIMEOUT, so that the limit is 1500 s, in TREE
set_tests_properties(
  last # took up to 900 s in 6 attempts
  PROPERTIES TIMEOUT 7200)

# idle: took up to 1 s in 6 attempts; TIMEOUT is 9000 s
set_tests_properties(idle PROPERTIES TIMEOUT 10)

# busy: uses 3.9 processors, and declares 1, in 6 attempts
set_tests_properties(busy PROPERTIES PROCESSORS 4)
# idle: uses 0.5 processors, and declares 4, in 6 attempts
set_tests_properties(idle PROPERTIES PROCESSORS 1)")"
check "... of the tests that are named" "$(is "$("$CCTR" advise busy plain | grep -c TIMEOUT\ 10)" 1)"
cp CTestTestfile.cmake before.cmake
cat advice.cmake >>CTestTestfile.cmake
check "CMake takes it" "$(cmake -P CTestTestfile.cmake 2>&1 | grep -v add_test | grep -iE 'parse error|syntax')"
check "cctr and ctest read the same" "$("$CCTR" --show-only=json-v1 >ours.json && python3 -c '
import json
tests = {t["name"]: {p["name"]: p["value"] for p in t["properties"]} for t in json.load(open("ours.json"))["tests"]}
assert tests["idle"].get("PROCESSORS", 1) == 1, tests["idle"]
assert tests["two \"words\";$"]["TIMEOUT"] == 10 and tests["new\nline"]["TIMEOUT"] == 10, tests
assert tests["busy"]["PROCESSORS"] == 4 and tests["last"]["TIMEOUT"] == 7200, tests
' 2>&1)"
check "then there is nothing left to suggest" "$("$CCTR" advise -R 'plain|busy|idle|last' | is "$(cat)" \
"# tests: 4, runs: 1; with less than 5 passed attempts, and no advice: 0
# nothing to change")"
cp before.cmake CTestTestfile.cmake
cp -r Testing before
check "it writes nothing" "$("$CCTR" advise >output; diff -r Testing before)"
"$CCTR" advise -j2 --json >advice.json
check "JSON" "$(python3 -c '
import json
all = json.load(open("advice.json"))
assert all["version"] == 1 and all["tests"] == 8 and all["unknown"] == 1 and all["slots"] == 2, all
idle = [a for a in all["advice"] if a["test"] == "idle"]
assert [(a["property"], a["value"], a["declared"]) for a in idle] == [
    ("TIMEOUT", "10", 9000), ("PROCESSORS", "1", 4)], idle
' 2>&1)"
text=$("$CCTR" advise plan 2>&1)
check "a name that no test has" "$(is "$? $(echo "$text" | head -n 1)" '1 advise: no test "plan"; did you mean "plain"?')"
ln -s "$CCTR" ctest
check "by the name ctest it is no command" "$(./ctest advise >output 2>&1; grep -c 'set_tests_properties' output | grep -vx 0)"
finish
