#!/bin/sh
# The history: what is written of a run, when it is not written, bounds, failures, kills, and what
# is expected from it.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh

"${CCTR:?}" --version=full | grep -q 'without SQLite' && skip_all "built without SQLite"
needs python3
own_folder
export CCTR_COMPAT_VERSION=3.25
base=Testing/cctr-history.sqlite
with() { "$CCTR" --history=on "$@"; }
sql() { # query -> rows, fields separated by |
	python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print("|".join(map(str, row)))' "$base" "$1"
}
makespan() { with "$@" --simulate 2>&1 | sed -n 's/^Makespan *\([0-9]*\)\..*/\1/p'; }
cd "$work" || exit 1
cat >CTestTestfile.cmake <<'END'
add_test(passes true)
add_test(fails sh -c "exit 3")
add_test(again sh -c "[ -e there ] || { touch there; exit 1; }")
add_test(signals sh -c "kill -9 $$")
add_test(missing /no/such/program)
add_test(disabled true)
set_tests_properties(disabled PROPERTIES DISABLED ON)
set_tests_properties(passes PROPERTIES PROCESSORS 2)
END
mkdir .git && echo 0123456789abcdef0123456789abcdef01234567 >.git/HEAD

# ---- what is written ----
with -C Debug -j2 --repeat until-pass:2 >output 2>errors
check "it is silent" "$(is "$? $(grep history output errors)" "8 ")"
check "every attempt, why it failed, and which was the last" "$(is "$(sql \
	"SELECT name, configuration, number, is_last, verdict, why, attempt.slots FROM attempt JOIN test
		ON test.id=test ORDER BY name, number")" \
"again|Debug|1|0|failed|exit code 1|1
again|Debug|2|1|passed||1
fails|Debug|1|0|failed|exit code 3|1
fails|Debug|2|1|failed|exit code 3|1
missing|Debug|1|1|not run|Unable to find executable: /no/such/program|1
passes|Debug|1|1|passed||2
signals|Debug|1|0|crashed|signal 9|1
signals|Debug|2|1|crashed|signal 9|1")"
check "its run, with the commit" "$(is "$(sql "SELECT id, host, revision, slots FROM run")" \
	"1|$(uname -n)|0123456789abcdef0123456789abcdef01234567|2")"
check "times and memory" "$(is "$(sql "SELECT count(*) FROM attempt WHERE wall_us>0 AND peak_bytes>0
	AND began_us>1600000000000000 AND verdict<>'not run'")" 7)"
check "no other file of cctr stays" "$(find Testing -name 'cctr*' ! -path "$base" ! -name cctr-timings.txt)"
with --history-keep 2 -R passes >output 2>&1
with --history-keep=2 -R passes >output 2>&1
with --history-keep 2 -R passes >output 2>&1
check "--history-keep" "$(is "$(sql "SELECT count(*), min(run) FROM attempt JOIN test ON test.id=test
	WHERE name='passes' AND configuration=''")" "2|3")"

# ---- an older one ----
# It is of the first version of the tables, which had no partitions.
cp -r "$OLDPWD/tests/fuzz/corpus/history/whole" older
mkdir -p old/Testing && cp older old/$base
echo 'add_test(one true)' >old/CTestTestfile.cmake
partitions_of_one() { # of its attempts, the latest first
	(cd old && "$CCTR" history one --json) | python3 -c 'import json, sys
print(*[a.get("partition", "none") for a in json.load(sys.stdin)["tests"][0]["history"]])' 2>&1
}
before=$(partitions_of_one)
check "an older history is read" "$(is "$before" "$(echo "$before" | sed 's/[a-z]*[^a-z ]*/none/g')"
	is "$(echo "$before" | grep -c none)" 1
	cmp older old/$base)"
(cd old && with --partition 'p::-R one') >output 2>&1
check "... and goes on, with the partition of a test" "$(is "$? $(partitions_of_one)" "0 p $before" || cat output)"
check "... in tables of the next version" "$(cd old && is "$(sql "PRAGMA user_version")" 2)"
rm -r old

# ---- when it is not written ----
rm -r Testing
ln -s "$CCTR" ctest
histories() { find . -name 'cctr-history*'; }
check "without --history there is none" "$("$CCTR" >output 2>errors; is "$?" 8; grep history errors; histories; [ -s Testing/Temporary/cctr-timings.txt ] || ls Testing/Temporary)"
check "... and SQLite is not loaded" "$(LD_DEBUG=files "$CCTR" --schedule=pressure 2>&1 | grep sqlite)"
check "... nor by the name ctest" "$(CCTR_HISTORY=on ./ctest >output 2>&1; histories)"
check "... nor with --history=off" "$("$CCTR" --history=off >output 2>&1; histories)"
check "... nor for a listing or a simulation" "$(with -N >output 2>&1; with --simulate >output 2>&1; histories)"
check "it can be set in the environment" "$(CCTR_HISTORY=on "$CCTR" >output 2>&1; [ -s $base ] || ls Testing)"
rm -r Testing
check "... and in cctr.yaml" "$(echo '{"history": "on"}' >cctr.json; "$CCTR" >output 2>&1; [ -s $base ] || ls Testing)"
rm -r Testing
check "... but not for the name ctest" "$(./ctest >output 2>&1; histories)"
check "... and off in the call is off" "$("$CCTR" --history=off >output 2>&1; histories)"
rm cctr.json
check "by the name ctest it can be asked for" "$(./ctest --history=on >output 2>&1; [ -s $base ] || ls Testing)"
for word in --history=maybe --history-keep=0 --history-keep=many; do
	check "$word is an error" "$("$CCTR" $word >output 2>&1; is "$?" 1
		grep -q -- "'${word%%=*}' given" output || cat output)"
done
check "--history-keep without a history is an error" "$(for words in "" --history=off; do
	text=$("$CCTR" --history-keep=7 $words 2>&1)
	is "$? $text" "1 CMake Error: '--history-keep' does nothing without '--history=on'"
done)"
check "... but not in a file or in the environment, for other calls" "$(echo 'history-keep: 7' >cctr.yaml
	"$CCTR" -N >output 2>&1 || cat output
	rm cctr.yaml
	CCTR_HISTORY_KEEP=7 "$CCTR" -N >output 2>&1 || cat output)"

# ---- failures ----
echo 'add_test(one true)' >CTestTestfile.cmake
rm -r Testing && mkdir -p $base
with >output 2>errors
check "where it cannot be written, the run fails" "$(is "$? $(grep 'cannot be written' errors)" \
	"8 cctr: $PWD/$base: the history cannot be written: it is no file")"
rmdir $base && echo 'this is no database, but has a line of text that is long enough to be one' >$base
cp $base text
with >output 2>errors
check "a damaged one gets another name" "$(is "$? $(cat errors)" "0 cctr: $PWD/$base: file is not a database; it \
is now cctr-history.sqlite.damaged, and a new one is begun")$(cmp text $base.damaged)"
check "... and a new one is begun" "$(is "$(sql "SELECT count(*) FROM attempt")" 1)"
sql "PRAGMA user_version=3" && cp $base newer
with >output 2>errors
check "one of a newer cctr stays as it is" "$(is "$? $(head -n 1 errors)" \
	"8 cctr: $PWD/$base: the history cannot be written: it is of a newer cctr")$(cmp newer $base)"
sql "PRAGMA user_version=2"
mkfifo hold locked
python3 -c 'import sqlite3, sys
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()' $base <hold >locked &
exec 3>hold
read -r _ <locked
with >output 2>errors 3>&-
check "one that another program holds for ever" "$(is "$? $(head -n 1 errors)" \
	"8 cctr: $PWD/$base: the history cannot be written: database is locked")"
exec 3>&-
wait
with >output 2>&1 &
with >output.2 2>&1
wait
check "two runs write" "$(is "$(sql "SELECT count(*) FROM run")" 3)$(grep history output output.2)"

# ---- kills ----
rm -r Testing
cat >CTestTestfile.cmake <<'END'
add_test(first true)
add_test(third sh -c "kill -9 $PPID; exec cat")
END
with >output 2>&1
check "what ended before a kill is there" "$(sql "SELECT name FROM test" | grep -qx first || sql "SELECT * FROM test")"
echo 'add_test(one true)' >CTestTestfile.cmake
with >output 2>errors
check "... and the next run goes on with it" "$(is "$? $(cat errors)$(sql "SELECT count(*) FROM run")" "0 2")"
printf '%s\n' 'add_test(first true)' 'add_test(second sh -c "kill $PPID; exec sleep 600")' >CTestTestfile.cmake
with >output 2>&1
check "what ended before an interruption is there" "$(is "$? $(sql "SELECT name, verdict FROM attempt JOIN test ON test.id=test
	WHERE run=(SELECT max(id) FROM run)")" "143 first|passed")"

# ---- expected times ----
rm -r Testing
cat >CTestTestfile.cmake <<'END'
add_test(costly sh -c "[ ! -e broken ]")
set_tests_properties(costly PROPERTIES COST 5000)
add_test(declared sh -c "[ ! -e broken ]")
set_tests_properties(declared PROPERTIES COST 7000 CCTR_EXPECTED_SECONDS 2000)
END
is_short() { [ "${1:-9999}" -lt 600 ] || echo "$1"; }
check "before the first run, what is declared" "$(is "$(makespan)" 7000)"
with >output 2>&1 || cat output
check "after a serial run, what was measured" "$(is_short "$(makespan)")"
touch broken
with -j2 >output 2>&1
check "a failure changes nothing" "$(is_short "$(makespan)")"
check "... nor for --explain -N" "$(is_short "$(with -N --explain costly 2>&1 |
	sed -n 's/^End *\([0-9]*\)\..*/\1/p')")"
check "without --history the file of times tells them" "$(is_short "$("$CCTR" --simulate 2>&1 |
	sed -n 's/^Makespan *\([0-9]*\)\..*/\1/p')")"
rm Testing/Temporary/cctr-timings.txt
check "another configuration has other times" "$(is "$(makespan -C Other)" 7000)"
python3 - "$base" <<'END'
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
base.execute("UPDATE attempt SET wall_us=900000000")
base.commit()
END
check "times are those of the history" "$(is "$(makespan)" 1800)"
echo 'nonsense that is no database' >$base
with --simulate >output 2>errors
check "a damaged one is reported and ignored" "$(is "$? $(cat errors)" \
	"0 cctr: $PWD/$base: the history cannot be read: file is not a database")"
for value in 0 -1 "3 s" many; do
	echo "add_test(one true)
set_tests_properties(one PROPERTIES CCTR_EXPECTED_SECONDS \"$value\")" >CTestTestfile.cmake
	check "CCTR_EXPECTED_SECONDS \"$value\" is an error of the test" "$("$CCTR" >output 2>&1
		is "$? $(grep -c 'CCTR_EXPECTED_SECONDS.*is not a number of seconds above 0' output)" "8 1")"
	check "... but not by the name ctest" "$(./ctest >output 2>&1 || cat output)"
done
finish
