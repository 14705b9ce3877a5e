#!/bin/sh
# --shard: parts of the tests that together are all of them.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree tree

listed() { # options... -> the names of the tests that are listed, on one line
	"$CCTR" --test-dir "$tree" -N "$@" 2>/dev/null | sed -n 's/^ *Test *#[0-9]*: //p' | paste -sd' '
}
said() { # options... -> what is on standard error
	{ "$CCTR" --test-dir "$tree" -N "$@" >/dev/null; } 2>&1
}
declare_tests <<'TESTS'
add_test(start "/bin/true")
add_test(stop "/bin/true")
add_test(uses_a "/bin/true")
add_test(uses_b "/bin/true")
add_test(long "/bin/true")
add_test(first "/bin/true")
add_test(second "/bin/true")
add_test(fails "/bin/false")
set_tests_properties(start PROPERTIES FIXTURES_SETUP server)
set_tests_properties(stop PROPERTIES FIXTURES_CLEANUP server)
set_tests_properties(uses_a uses_b PROPERTIES FIXTURES_REQUIRED server)
set_tests_properties(long PROPERTIES COST 3)
set_tests_properties(uses_a uses_b first second fails PROPERTIES COST 1)
set_tests_properties(second PROPERTIES DEPENDS first)
TESTS

equal "the longest first" "long" "$(listed --shard 1/3)"
equal "fixtures are added to the shard that needs them" "start stop uses_a uses_b fails" "$(listed --shard=2/3)"
equal "DEPENDS stays together" "first second" "$(listed --shard 3/3)"
equal "a line has the sums" "cctr: shard 2 of 3: 3 of 6 tests, expected 3.000 of 8.000 s; \
all shards: 1 + 3 + 2 tests, 3.000 + 3.000 + 2.000 s; 2 more for fixtures; key " \
	"$(said --shard 2/3 | sed 's/[0-9a-f]\{16\}$//')"
equal "the key is that of all shards" "1" \
	"$(for i in 1 2 3; do said --shard $i/3; done | sed 's/.* key//' | sort -u | wc -l)"
equal "standard output has nothing of it" 0 \
	"$("$CCTR" --test-dir "$tree" -N --shard 1/3 2>/dev/null | grep -c shard)"
equal "one shard is all" "$(listed)" "$(listed --shard 1/1)"
equal "other options select before" "first second" "$(listed -R 'first|second|long' --shard 2/2)"
equal "so does --filter" "fails" "$(listed -f 'name(fails) | name(first)' --shard 2/2)"
equal "more shards than tests" "" "$(listed --shard 9/9)"

printf 'cctr-timings 1\n90 1 - fails\n0.5 1 - long\n' >"$work/times"
cp "$work/times" "$work/times.before"
equal "--timings" "fails" "$(listed --shard 1/2 --timings "$work/times")"
text=$(cctr --shard 1/2 --timings "$work/none")
equal "which must be there" "8 1" "$? $(echo "$text" | grep -c 'none: the file of times cannot be read: No such file')"
equal "a run of a shard does not change it" "8 " "$(cctr --shard 1/2 --timings "$work/times" >"$work/output"; echo $?) $(
	cmp "$work/times" "$work/times.before" 2>&1)"
for i in 1 2; do cctr --shard $i/2 --timings "$work/times" >"$work/output"; done
"$CCTR" merge --timings "$work/times" "$tree/Testing/cctr-shard-1-of-2" "$tree/Testing/cctr-shard-2-of-2" >"$work/output" 2>&1
equal "cctr merge adds the times of all shards" "fails first long second start stop uses_a uses_b" \
	"$(sed -n 's/.* - //p' "$work/times" | paste -sd' ')"
: >"$work/empty"
equal "an empty file has no times" "long" "$(listed --shard 1/3 --timings "$work/empty")"
cctr --shard 2/3 >"$work/output"
equal "a failure fails its shard" 8 $?
cctr --shard 3/3 >"$work/output"
equal "and no other" 0 $?
equal "earlier runs change nothing" "long" "$(listed --shard 1/3)"
record=$tree/Testing/cctr-shard-2-of-3
cp "$record" "$work/record"
equal "-F, whose record would lack tests, is refused" "1 1 " "$(cctr --shard 2/3 -F >"$work/output"; echo $?) $(
	grep -c "'-F' does not go with '--shard'" "$work/output") $(cmp "$record" "$work/record" 2>&1)"
for wrong in 0/3 4/3 1/0 1/10001 1 1/ /3 1/3/3 a/b -1/3 1.5/3; do
	text=$(cctr -N "--shard=$wrong")
	equal "$wrong is refused" "1 1" "$? $(echo "$text" | grep -cF \
		"'--shard' given '$wrong', not i/n with i from 1 to n, and n up to 10000")"
done
finish
