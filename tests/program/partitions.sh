#!/bin/sh
# --partition: parts of the pool for some tests, what they are told, and what is refused.
# shellcheck disable=SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_folder
tree="$work/a tree"
mkdir "$tree"
unset CCTR_CONFIG XDG_CONFIG_HOME
pool='--resource gpus=4 --resource cpus=8'

# What each test has, a line each.
declare_tests <<'END'
foreach(i RANGE 1 4)
add_test(g${i} "/bin/sh" "-c" "echo has $CCTR_PARTITION gpu $CCTR_GPUS_IDS cpu $CCTR_CPUS_IDS")
set_tests_properties(g${i} PROPERTIES LABELS "gpu" RESOURCE_GROUPS "gpus:1")
add_test(c${i} "/bin/sh" "-c" "echo has $CCTR_PARTITION gpu $CCTR_GPUS_IDS cpu $CCTR_CPUS_IDS")
endforeach()
END
# holdings OPTION...: the different lines of the tests, sorted
holdings() {
	# shellcheck disable=SC2086
	cctr -j8 -V $pool "$@" | sed -n 's/^[0-9]*: has //p' | sort -u
}
# only PARTITION KIND: the instances that tests of the partition had
only() {
	sed -n "s/^$1 .*$2 \([0-9]*\).*/\1/p" "$work/had" | sort -u | tr '\n' ' '
}

# ---- who gets what -------------------------------------------------------------------

holdings --partition 'gpu:gpus=3,cpus=2:-L gpu' --partition 'rest:cpus=fill' >"$work/had"
check "all tests know their partition" "$(is "$(sed 's/ .*//' "$work/had" | sort -u | tr '\n' ' ')" "gpu rest " ||
	cat "$work/had")"
check "GPUs are those of the partition" "$(is "$(only gpu gpu | tr -d '012 ')" "" || cat "$work/had")"
check "... and processors" "$(is "$(only gpu cpu | tr -d '01 ')$(only rest cpu | tr -d '234567 ')" "" ||
	cat "$work/had")"
holdings --partition 'gpu:gpus=3,cpus=2:-L gpu' >"$work/had"
check "other tests have what is left" "$(is "$(sed 's/ .*//' "$work/had" | sort -u | tr '\n' ' ')" "default gpu " ||
	cat "$work/had")"
holdings >"$work/had"
check "without the option no test has the variable" "$(is "$(grep -c '^gpu' "$work/had")" 8 ||
	cat "$work/had")"
CCTR_PARTITION=outer holdings >"$work/had"
check "... also within a test of another run" "$(is "$(grep -c outer "$work/had")" 0 || cat "$work/had")"

# Each test of io says that it has begun, and that it ends, in one file.
declare_tests <<END
foreach(i RANGE 1 6)
add_test(io\${i} "/bin/sh" "-c" "echo begin >>'$work/log'; echo end >>'$work/log'")
add_test(other\${i} "/bin/true")
endforeach()
END
cctr -j8 --partition 'io::-R io -j 1' >"$work/output"
check "-j of a partition" "$(is "$? $(uniq "$work/log" | grep -c .) $(uniq -d "$work/log" | grep -c .)" "0 12 0" ||
	cat "$work/output" "$work/log")"
check "a partition without a pool" "$(is "$(cctr -j8 -V --partition 'a::-f name(io1)' -R '^io1$' | grep -c ' Passed ')" 1)"

# In ctest's order those with the highest COST start first, by pressure the longest ones.
declare_tests <<'END'
foreach(i RANGE 1 9)
add_test(a${i} "/bin/true")
set_tests_properties(a${i} PROPERTIES COST ${i} CCTR_EXPECTED_SECONDS "1${i}")
add_test(b${i} "/bin/true")
math(EXPR late "10 - ${i}")
set_tests_properties(b${i} PROPERTIES COST ${i} CCTR_EXPECTED_SECONDS "1${late}")
endforeach()
END
order_of() { # letter, options...
	letter=$1
	shift
	rm -rf "$tree/Testing"
	cctr -j2 "$@" | sed -n "s/^ *Start .*: $letter//p" | tr -d '\n'
}
for letter in a b; do
	check "ctest's order, $letter" "$(is "$(order_of $letter --partition 'b::-R ^b -j 1' --partition 'a::-j 1')" 987654321)"
	check "... beside a partition by pressure, $letter" "$(is "$(order_of $letter --partition 'b::-R ^b -j 1 --schedule=pressure' \
		--partition 'a::-j 1')" "$([ $letter = a ] && echo 987654321 || echo 123456789)")"
	check "... in a run by pressure, $letter" "$(is "$(order_of $letter --schedule=pressure --partition 'b::-R ^b -j 1 --schedule ctest' \
		--partition 'a::-j 1 --schedule=ctest')" 987654321)"
done
order_of b --schedule-random-seed 7 --partition 'b::-R ^b -j 1 --schedule-random' --partition 'a::-j 1' >"$work/order"
check "a partition in random order" "$(is "$(sed 's/987654321/not that/; s/./&\n/g' "$work/order" | grep . | sort | tr -d '\n')" 123456789 ||
	cat "$work/order")"

# ---- which tests ---------------------------------------------------------------------

declare_tests <<'END'
foreach(name a b c d)
add_test(${name} "/bin/sh" "-c" "echo in ${name} $CCTR_PARTITION")
endforeach()
set_tests_properties(a b PROPERTIES LABELS "x")
set_tests_properties(b PROPERTIES LABELS "x;y")
END
places() {
	cctr -V "$@" | sed -n 's/^[0-9]*: in //p' | sort | tr '\n' ','
}
check "-L, -R, -E, -LE" "$(is "$(places --partition 'p::-L x -LE y' --partition 'q::-R [bc] -E c')" \
	"a p,b q,c default,d default,")"
check "the first that accepts" "$(is "$(places --partition 'p::-L y' --partition 'q::-L x')" \
	"a q,b p,c default,d default,")"
check "an expression, in quotes" "$(is "$(places --partition "p::-f 'label(y) | name(d)'")" \
	"a default,b p,c default,d p,")"
check "those without options share the rest" "$(is "$(places --partition p --partition q:: --partition 'r::-R a' | tr -d 'bcd')" \
	"a r, p, q, p,")"
printf "partition: ['p::-L x', 'q']\n" >"$tree/cctr.yaml"
check "cctr.yaml" "$(is "$(places)" "a p,b p,c q,d q,")"
rm "$tree/cctr.yaml"

# ---- what is refused -----------------------------------------------------------------

declare_tests <<'END'
add_test(g1 "/bin/true")
add_test(g2 "/bin/true")
set_tests_properties(g1 g2 PROPERTIES RESOURCE_GROUPS "gpus:1,gpus:1,gpus:1")
add_test(huge "/bin/true")
set_tests_properties(huge PROPERTIES RESOURCE_GROUPS "gpus:9")
END
# refused TITLE EXPECTED OPTION...: nothing runs, and the message is as expected
refused() {
	title=$1 expected=$2
	shift 2
	# shellcheck disable=SC2086
	text=$(cctr $pool "$@")
	check "$title" "$(is "$? $(printf '%s\n' "$text" | sed -n 's/^cctr: --partition: //p' | grep -v '^no partition has') $(
		printf '%s\n' "$text" | grep -c 'Start ')" "1 $expected 0" || printf '%s\n' "$text")"
}
refused "more than there is" "gpus: 3 (a) + 2 (b) = 5, but the pool has 4" \
	--partition a:gpus=3 --partition b:gpus=2
refused "a test that does not fit in its partition" \
	"test g1 (and 1 more) does not fit in partition a: it asks for 3 x gpus:1, cpus:1; a has cpus 1 of 8, gpus 2 of 4" \
	--partition 'a:gpus=2,cpus=1:-R g[12]' --partition b:cpus=fill
refused "a test that fits in none" \
	"test g1 (and 1 more) does not fit in any partition: it asks for 3 x gpus:1, cpus:1; a has cpus 1 of 8, gpus 2 of 4; default has cpus 7 of 8, gpus 2 of 4" \
	--partition a:gpus=2,cpus=1
refused "a type that the pool lacks" "partition a: the pool has no type tpus" --partition a:tpus=1
refused "a name twice" "partition a is there twice" --partition a:gpus=1 --partition a:gpus=1
# shellcheck disable=SC2046
refused "257 partitions" "a run has at most 256 partitions" $(seq -f '--partition p%.0f:cpus=1' 257)
refused "an expression that is none" "partition a: [ is no regular expression" --partition 'a:gpus=1:-R ['
text=$(cctr --partition a:gpus=1)
check "sizes without a pool" "$(is "$? $(printf '%s\n' "$text" | grep -c 'the run has no resources that it could have')" "1 1" ||
	echo "$text")"
# shellcheck disable=SC2086
text=$(cctr $pool --partition 'a:gpus=all,cpus=all')
check "a test that never fits is refused as ever" "$(is "$? $(printf '%s\n' "$text" | grep -c 'huge.*\*\*\*Not Run')" "8 1" ||
	echo "$text")"
# shellcheck disable=SC2086
text=$(cctr $pool --partition 'a::--engine=local' -R 'g[12]')
check "the engine of the run has all" "$(is "$? $(printf '%s\n' "$text" | grep -c ' Passed ')" "0 2" || echo "$text")"
text=$(cctr --launcher '{agent}' --partition 'a::--engine=local')
check "agents are of no engine" "$(is "$? $(printf '%s\n' "$text" | grep -c 'no node of the engine local; it has those of --launcher$')" "1 1" ||
	echo "$text")"
# shellcheck disable=SC2086
text=$(cctr $pool --partition 'a:gpus=3,cpus=2' -R g1)
check "what no partition has is a warning" "$(is "$? $(printf '%s\n' "$text" |
	grep -c 'no partition has the rest: cpus 6 of 8, gpus 1 of 4')" "0 1" || echo "$text")"
for row in ':|is no name of a partition' 'a:4|a number is of a type' 'a::-Q|is none of -L' \
	"a::-R 'x|a quote is not closed" 'a::-R|-R lacks its value' 'a::-j 0|is no number of tests' \
	'all:|is no name of a partition' 'a::-f label(|column' 'a::--schedule|lacks its value' \
	'a::--schedule=fast|is neither ctest nor pressure' 'a::--schedule-random=1|has no value' \
	'a::--engine=slurn|did you mean slurm' 'a::--engine=slurm|has no node of the engine slurm; it has local$' 'a::--parallel=x|is no number of tests'; do
	text=$(cctr --partition "${row%|*}")
	check "refused: ${row%|*}" "$(is "$? $(printf '%s\n' "$text" | grep -c -e "${row#*|}")" "1 1" || echo "$text")"
done

# ---- reports -------------------------------------------------------------------------

declare_tests <<'END'
add_test(one "/bin/false")
END
cctr --partition 'p::-R one' --tap "$work/tap" >"$work/output"
check "TAP, of a test that has failed" "$(is "$(grep -c '^  partition: "p"$' "$work/tap")" 1 || cat "$work/tap")"
declare_tests <<'END'
add_test(one "/bin/true")
END
cat >"$tree/DartConfiguration.tcl" <<END
SourceDirectory: $tree
BuildDirectory: $tree
END
cctr --partition 'p::-R one' --output-junit "$work/junit.xml" --events "$work/events" --trace "$work/trace" >"$work/output"
check "the JUnit file" "$(is "$(grep -c '<property name="cctr_partition" value="p"/>' "$work/junit.xml")" 1)"
check "the events" "$(is "$(grep -c '"attempt":1,"partition":"p"' "$work/events")" 2 || cat "$work/events")"
check "the trace" "$(is "$(grep -c '"partition":"p"' "$work/trace") $(grep -c \
	'"otherData":.*"partitions":\[{"uid":"p1",.*"utilisation":' "$work/trace")" "2 1" || cat "$work/trace")"
check "the end of the run" "$(is "$(tail -n 1 "$work/output" | sed 's/[0-9]* %/N %/')" "Partition p: 1 test, 1 slot N % busy" ||
	cat "$work/output")"
cctr --partition 'p::-R one' --html "$work/page" >"$work/output"
check "the page" "$(is "$(grep -c '"partition":"p"' "$work/page")" 1)"
check "LastTest.log" "$(is "$(grep -c '^Partition: p$' "$tree/Testing/Temporary/LastTest.log")" 1)"
for i in 1 2; do
	cctr --shard $i/2 --partition 'p::-R one' >"$work/output"
done
"$CCTR" merge --output-junit "$work/merged.xml" "$tree" >"$work/output" 2>&1
check "a merged run" "$(is "$(grep -c '<property name="cctr_partition" value="p"/>' "$work/merged.xml")" 1 ||
	cat "$work/output")"
rm -rf "$tree/Testing"
cctr -T Test --partition 'p::-R one' >"$work/output"
check "Test.xml" "$(is "$(cat "$tree"/Testing/2*/Test.xml | tr -d '\n\t' |
	grep -c 'name="Partition"><Value>p</Value>')" 1 || cat "$work/output")"
cctr -T Test --output-junit "$work/junit.xml" --events "$work/events" >"$work/output"
check "nothing of that without partitions" "$(is "$(cat "$tree"/Testing/2*/Test.xml "$work/junit.xml" "$work/events" |
	grep -ci partition)" 0)"

check "the last event has the utilisation of each" "$(is "$(cctr --partition 'p::-R one' --events "$work/events" >"$work/output"
	grep -c '"event":"finish".*"partitions":\[{"uid":"p1","partition":"p","state":"DONE","tests":1,"ended":1,.*"utilisation":' \
		"$work/events")" 1 || cat "$work/events")"
cat >"$work/ctl.sh" <<END
'$(realpath "$CCTR")' ctl partitions >'$work/text' || exit 3
'$(realpath "$CCTR")' ctl --json partitions >'$work/json' || exit 4
END
declare_tests <<END
add_test(one "/bin/sh" "$work/ctl.sh")
set_tests_properties(one PROPERTIES RESOURCE_GROUPS "gpus:1")
add_test(two "/bin/true")
END
cctr --resource gpus=2 --resource cpus=2 --partition 'a:gpus=all,cpus=1:-R one' >"$work/output"
check "ctl partitions" "$(is "$? $(grep -c '^p1 a ACTIVE, 0 of 1 tests have ended, .* busy, cpus 1 of 1 held, gpus 1 of 2 held$' \
	"$work/text") $(grep -c '^p2 default ACTIVE' "$work/text")" "0 1 1" || cat "$work/output" "$work/text")"
check "... as JSON" "$(is "$(grep -c '"uid":"p2","partition":"default","state":"ACTIVE"' "$work/json")" 1 || cat "$work/json")"
cctr -R one >"$work/output"
check "without partitions it is refused" "$(is "$?" 8)"

# ---- leases --------------------------------------------------------------------------

cctr_path=$(realpath "$CCTR")
cat >"$work/lease.sh" <<END
# One more GPU is in the partition, a second one is not.
'$cctr_path' alloc new gpus:1 --id second --now || exit 3
'$cctr_path' alloc query --id second --json >'$work/lease'
'$cctr_path' alloc new gpus:1 --id third --now && exit 4
'$cctr_path' alloc release --id second
END
declare_tests <<END
add_test(asks "/bin/sh" "$work/lease.sh")
set_tests_properties(asks PROPERTIES RESOURCE_GROUPS "gpus:1")
add_test(idle "/bin/true")
END
cctr --resource gpus=4 --resource cpus=4 --partition 'first:gpus=2,cpus=1:-R idle' \
	--partition 'second:gpus=2,cpus=1:-R asks' >"$work/output"
check "a lease stays inside its partition" "$(is "$? $(grep -o '"id":"[0-9]","slots":1' "$work/lease" | sort -u | tr '\n' ' ')" \
	'0 "id":"2","slots":1 "id":"3","slots":1 ' ||
	cat "$work/output" "$work/lease" "$tree/Testing/Temporary/LastTest.log")"
finish
