#!/bin/sh
# Expected times: what tests took in earlier runs, whatever their COST, after failures and serial
# runs, too; and files of them for other machines.
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25
cd "$work" || exit 1
cat >CTestTestfile.cmake <<'END'
add_test(costly sh -c "[ ! -e broken ]")
set_tests_properties(costly PROPERTIES COST 5000)
add_test(other sh -c ":")
END
record=Testing/Temporary/cctr-timings.txt
makespan() { "$CCTR" "$@" --simulate 2>&1 | sed -n 's/^Makespan *\([0-9]*\)\..*/\1/p'; }
# The forecast is far from COST. A second of a slow machine is no fault.
is_short() { [ "${1:-9999}" -lt 600 ] || echo "$1"; }

check "before the first run COST counts" "$(is "$(makespan)" 10000)"
check "nothing is recorded by that" "$(ls "$record" 2>/dev/null)"
"$CCTR" >output 2>&1 || cat output
check "after a serial run its times count" "$(is_short "$(makespan)")"
"$CCTR" -j2 >output 2>&1 || cat output
check "... after a parallel one, too" "$(is_short "$(makespan -j2)")"
touch broken
"$CCTR" -j2 -R costly >output 2>&1
check "a failure changes nothing" "$(is "$?" 8)$(is_short "$(makespan)")"
check "... nor for --explain -N" "$(is_short "$("$CCTR" -N --explain costly 2>&1 |
	sed -n 's/^End *\([0-9]*\)\..*/\1/p')")"
rm broken

check "the record" "$(grep -vxE 'cctr-timings 1|[0-9.]+ [1-3] - (costly|other)' "$record"; is "$(grep -c . "$record")" 3)"
echo 'cctr-timings 1
900 3 - costly
900 3 - other' >"$record"
check "expected times are those of the record" "$(is "$(makespan)" 1800)"
echo 'nonsense' >"$record"
"$CCTR" --simulate >output 2>errors
check "a damaged record is reported and ignored" "$(is "$? $(cat errors)" \
	"0 cctr: $PWD/$record:1: this is no file of times, and is ignored: its first line is not \"cctr-timings 1\"")"
"$CCTR" >output 2>errors
check "... and replaced by the next run" "$(is "$? $(grep -c 'no file of times' errors)$(
	sed -n '1p;$=' "$record" | tr '\n' ' ')" "0 1cctr-timings 1 3 ")"
rm "$record" && mkdir "$record"
"$CCTR" >output 2>errors
check "where it cannot be read, that is reported, and the run fails" \
	"$(is "$? $(grep -c 'file of times cannot be read' errors)" "8 1")"
rmdir "$record"
"$CCTR" >output 2>&1 &
"$CCTR" >output.2 2>&1
wait
check "two runs leave a whole record" "$(
	grep -vxE 'cctr-timings 1|[0-9.]+ [12] - (costly|other)' "$record"; is "$(grep -c . "$record")" 3)"

# ---- a file that the user names ----
rm -r Testing
"$CCTR" -C Debug --timings times.txt >output 2>&1
check "--timings makes the file" "$(grep -vxE 'cctr-timings 1|[0-9.]+ 1 Debug (costly|other)' times.txt
	is "$(grep -c . times.txt)" 3; ls "$record" 2>/dev/null)"
printf 'cctr-timings 1\n700 8 - costly\n800 8 Release other\n900 8 - other\n' >times.txt
check "its times are expected" "$(is "$(makespan --timings times.txt)" 1600)"
check "... those of this configuration first" "$(is "$(makespan --timings=times.txt -C Release)" 1500)"
check "... also by --filter" "$(is "$("$CCTR" -N --timings times.txt -f 'time(> 750)' | grep -c 'Test *#')" 1)"
for word in one two; do "$CCTR" --timings $word >output 2>&1; done
cat one two >three
"$CCTR" --timings three -R costly >output 2>&1
check "versions can be joined by cat" "$(is "$(grep -cxE 'cctr-timings 1|[0-9.]+ [23] - (costly|other)' three) $(grep -c . three)" "3 3")"
printf 'cctr-timings 1\n1 1 - costly\n<<<<<<< HEAD\n' >times.txt
for words in "" --simulate "--shard 1/1" "--simulate=times.txt" "-f time(>1)"; do
	# shellcheck disable=SC2086
	"$CCTR" --timings times.txt $words >output 2>errors && echo "it passed" >>output
	check "garbage is an error${words:+ with $words}, and no test runs" "$(grep -i passed output
		is "$(head -n 1 errors)" "cctr: times.txt:3: this is no file of times: a line is not \"seconds runs configuration test\"")"
done
check "... and the file stays" "$(is "$(wc -l <times.txt)" 3)"
"$CCTR" --timings none/times.txt >output 2>errors
check "where it cannot be written, the run fails" "$(is "$? $(head -n 1 errors)" \
	"8 cctr: none/times.txt: the file of times cannot be written: No such file or directory")"
finish
