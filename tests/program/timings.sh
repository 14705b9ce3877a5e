#!/bin/sh
# Expected times: what tests took in earlier runs, whatever their COST, after failures and serial
# runs, too.
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

check "the record" "$(sed 's/^[0-9]* \([0-9]\) /N \1 /' "$record" | sort | tr '\n' ' ' |
	grep -qx 'N 2 costly N 2 other cctr-timings 1 ' || cat "$record")"
echo 'cctr-timings 1
900000000 3 costly
900000000 3 other' >"$record"
check "expected times are those of the record" "$(is "$(makespan)" 1800)"
echo 'nonsense' >"$record"
"$CCTR" --simulate >output 2>errors
check "a damaged record is reported and ignored" "$(is "$? $(cat errors)" \
	"0 cctr: $PWD/$record:1: this is no record of times, and is ignored")"
"$CCTR" >output 2>errors
check "... and replaced by the next run" "$(is "$? $(grep -c 'no record of times' errors)$(
	sed -n '1p;$=' "$record" | tr '\n' ' ')" "0 1cctr-timings 1 3 ")"
rm "$record" && mkdir "$record"
"$CCTR" >output 2>errors
check "where it cannot be written, that is reported" \
	"$(is "$? $(grep -c 'record of times cannot be' errors)" "0 2")"
rmdir "$record"
"$CCTR" >output 2>&1 &
"$CCTR" >output.2 2>&1
wait
check "two runs leave a whole record" "$(
	grep -vxE 'cctr-timings 1|[0-9]+ [12] (costly|other)' "$record"; is "$(grep -c . "$record")" 3)"
finish
