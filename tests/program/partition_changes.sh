#!/bin/sh
# cctr ctl reconfig: partitions that are stopped and started while tests run.
# shellcheck disable=SC2016,SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree "a tree"
unset CCTR_CONFIG XDG_CONFIG_HOME
ctl() {
	timeout 120 "$CCTR" ctl --test-dir "$tree" "$@" 2>&1 </dev/null
}
# Tests that say how often they have begun and in which partition, and run until their file is
# there. With two GPUs each.
declare_waiting() { # names...
	for name in "$@"; do
		cat <<END
add_test($name "/bin/sh" "-c" "echo x >>'$work/$name.begun'; echo $name in \$CCTR_PARTITION; until [ -e '$work/$name.go' ]; do sleep 0.01; done")
set_tests_properties($name PROPERTIES RESOURCE_GROUPS "gpus:1,gpus:1" TIMEOUT 1000)
END
	done | declare_tests
}
begin() { # options
	rm -rf "$work"/*.go "$work"/*.begun "$tree/Testing"
	"$CCTR" --test-dir "$tree" -j8 --resource gpus=4 --resource cpus=8 -V "$@" \
		>"$work/output" 2>&1 </dev/null &
	program=$!
}
go() { # names...
	for name in "$@"; do
		: >"$work/$name.go"
	done
}
# The run's exit code, and its output where that is not 0.
end() {
	wait $program
	status=$?
	[ "$status" -eq 0 ] || cat "$work/output"
}
has_begun() { # name times
	[ "$(wc -l <"$work/$1.begun" 2>/dev/null || echo 0)" -eq "$2" ]
}
states() {
	ctl partitions | sed 's/,.*//'
}
# "name in partition" of each attempt, sorted
places() {
	sed -n 's/^[0-9]*: \([a-z0-9]* in [a-z0-9]*\)$/\1/p' "$work/output" | sort | tr '\n' ','
}
a='a:gpus=2,cpus=4:-R ^a'

# ---- drained -------------------------------------------------------------------------

declare_waiting a1 a2 b1
begin --partition "$a" --partition 'b:fill'
await has_begun a1 1
check "a partition that runs something is drained" "$(is "$(ctl reconfig --stop a --start 'c:gpus=2,cpus=4:-R ^a' |
	sed 's/,.*//')" "p1 a ACTIVE (stopping)
p2 b ACTIVE
p3 c PENDING")"
check "its tests wait for it" "$(is "$(ctl why a2)" "2 a2 waits for partition a")"
check "one change at a time" "$(is "$(ctl reconfig --stop b; echo $?)" \
	"cctr: ctl: partitions are being stopped for another change: wait for it, or see --now and --cancel
1")"
check "PENDING has been reached" "$(is "$(ctl wait --partition c --state PENDING --json |
	grep -c '"partition":"c","state":"PENDING"')" 1)"
ctl wait --partition c >"$work/waited" &
waiting=$!
ctl wait --partition p1 --state CANCELED >"$work/canceled" &
canceled=$!
ctl wait --partition c --state DONE >"$work/done" &
all=$!
go a1
wait $waiting $canceled
check "... and then the next one begins" "$(is "$(sed 's/,.*//' "$work/waited" "$work/canceled")" "p3 c ACTIVE
p1 a CANCELED")"
await has_begun a2 1
check "what was stays listed" "$(is "$(ctl partitions | sed -E 's/[0-9]+ % busy/N % busy/; s/, mem .*//')" \
	"p1 a CANCELED, 1 of 1 tests have ended, 8 slots N % busy, cpus 0 of 4 held, gpus 0 of 2 held
p2 b ACTIVE, 0 of 1 tests have ended, 8 slots N % busy, cpus 1 of 4 held, gpus 2 of 2 held
p3 c ACTIVE, 0 of 1 tests have ended, 8 slots N % busy, cpus 1 of 4 held, gpus 2 of 2 held")"
check "each state has its time" "$(is "$(ctl partitions --json | python3 -c '
import json, sys
for p in json.load(sys.stdin)["partitions"]:
    times = list(p["since"].values())
    print(p["uid"], *p["since"], times == sorted(times))')" "p1 NEW PENDING STARTING ACTIVE CANCELED True
p2 NEW PENDING STARTING ACTIVE True
p3 NEW PENDING STARTING ACTIVE True")"
check "a state that cannot come is refused" "$(is "$(ctl wait --partition a --state DONE; echo $?)" \
	"cctr: ctl: partition a is CANCELED
1")"
check "a stopped partition cannot be stopped" "$(is "$(ctl reconfig --stop p1; echo $?)" \
	"cctr: ctl: partition p1 is CANCELED
1")"
go a2 b1
end
wait $all
check "all tests have passed, each once" "$(is "$status $(places)" "0 a1 in a,a2 in c,b1 in b,")"
check "DONE comes with the end of the run" "$(is "$(sed 's/,.*//' "$work/done")" "p3 c DONE")"
check "the change is said" "$(is "$(grep '^Partitions' "$work/output")" "Partitions are now b, c" || cat "$work/output")"

# ---- now -----------------------------------------------------------------------------

declare_waiting a1 a2
begin --partition "$a" --partition 'b:cpus=fill' --output-junit "$work/junit.xml" --events "$work/events" --schedule=pressure
await has_begun a1 1
check "--now puts tests back" "$(is "$(ctl reconfig --stop a --start gpus=4,cpus=4 --now >"$work/said"; echo $?)" 0 ||
	cat "$work/said")"
await has_begun a1 2
await has_begun a2 1
check "... and two of them fit into the larger one" "$(is "$(states)" "p1 a CANCELED
p2 b ACTIVE
p3 p3 ACTIVE")"
go a1 a2
end
check "... which is no failure" "$(is "$status $(places)" "0 a1 in a,a1 in p3,a2 in p3,")"
check "... and is said" "$(is "$(grep -c 'Partitions stop now, and so these tests start again: a1$' "$work/output")" 1 ||
	cat "$work/output")"
check "... no list of failed tests has it" "$(grep -s a1 "$tree/Testing/Temporary/LastTestsFailed.log")"
check "... nor is it flaky" "$(is "$(grep -c -i flaky "$work/output")" 0)"
check "... and the files name the last partition" "$(is "$(grep -c '<property name="cctr_partition" value="p3"/>' \
	"$work/junit.xml") $(grep '"event":"finish"' "$work/events" | grep -c '"uid":"p3".*"since":{"NEW"')" "2 1" ||
	cat "$work/junit.xml" "$work/events")"
check "... and the events are as their schema says" "$(tests/helpers/event_schema.py "$work/events")"

# Both requests are read before the run goes on.
begin --partition "$a" --partition 'b:cpus=fill'
await has_begun a1 1
python3 - "$tree/Testing/Temporary/cctr.sock" <<'END' >"$work/said"
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"version":1,"verb":"retry","test":"a1"}\n'
          b'{"version":1,"verb":"reconfig","stop":["a"],"start":["gpus=4,cpus=4"],"now":true}\n')
answers = s.makefile("rb")
print(answers.readline(), answers.readline())
END
await has_begun a1 2
go a1 a2
end
check "a test that is tried again just then begins in the new partition" "$(is "$status $(places)" \
	"0 a1 in a,a1 in p3,a2 in p3," || cat "$work/said")"

declare_waiting a1 a2
begin --partition "$a" --partition 'b:cpus=fill'
await has_begun a1 1
ctl reconfig --stop a --start 'c:gpus=2,cpus=4' >/dev/null
ctl reconfig --now >/dev/null
await has_begun a1 2
check "--now alone ends the draining" "$(is "$(states)" "p1 a CANCELED
p2 b ACTIVE
p3 c ACTIVE")"
check "... of which nothing is left" "$(is "$(ctl reconfig --now; echo $?)" "cctr: ctl: no partition is being stopped
1")"
ctl reconfig --stop all --start all >/dev/null
check "--cancel takes a change back" "$(is "$(ctl reconfig --cancel | sed 's/,.*//')" "p1 a CANCELED
p2 b ACTIVE
p3 c ACTIVE
p4 p4 CANCELED")"
go a1 a2
end
check "... and the tests run where they were" "$(is "$status $(places)" "0 a1 in a,a1 in c,a2 in c,")"

# ---- what does not fit ---------------------------------------------------------------

declare_waiting a1 b1
begin --partition "$a" --partition 'b:gpus=2,cpus=4:-R ^b'
await has_begun a1 1
await has_begun b1 1
check "too much is refused with its sum" "$(is "$(ctl reconfig --stop a --start x:gpus=1,cpus=2 --start y:gpus=2; echo $?)" \
	"cctr: ctl: gpus: 2 (b) + 1 (x) + 2 (y) = 5, but the pool has 4
1")"
check "... and nothing else changes" "$(is "$(states)" "p1 a ACTIVE
p2 b ACTIVE
p3 x FAILED
p4 y FAILED")"
check "less is a warning" "$(is "$(ctl reconfig --stop a --start x:gpus=2,cpus=2 | sed -n 1p)" \
	"Warning: no partition has the rest: cpus 2 of 8")"
ctl reconfig --cancel >/dev/null
check "a test without a place is refused" "$(is "$(ctl reconfig --stop a --start x:gpus=1,cpus=2; echo $?)" \
	"cctr: ctl: test a1 does not fit in any partition: it asks for 2 x gpus:1, cpus:1; x has cpus 2 of 8, gpus 1 of 4
1")"
for row in "--start|x:gpus=1:-Q|-Q is none of -L" "--start|x:gpus=1:-R [|is no regular expression" \
	"--start|x:gpus=0:--schedule-random|only from the begin" \
	"--start|a:gpus=0|partition a is there twice" "--stop|q|the run has no partition q" \
	"--start|x:tpus=1|the pool has no type tpus" "--start|gpus=|a size is a number"; do
	rest=${row#*|}
	check "refused: ${rest%|*}" "$(is "$(ctl reconfig "${row%%|*}" "${rest%|*}" | grep -c -e "${rest##*|}")" 1)"
done
for words in "reconfig" "reconfig --stop" "reconfig --cancel --now" "reconfig a" "wait --state ACTIVE" \
	"wait a1 --partition a" "partitions --stop a"; do
	# shellcheck disable=SC2086
	check "not understood: $words" "$(is "$(ctl $words >/dev/null; echo $?)" 2)"
done
check "a state that is none" "$(is "$(ctl wait --partition a --state active; echo $?)" \
	"cctr: ctl: a partition has no such state
1")"
check "a partition that is none" "$(is "$(ctl wait --partition q; echo $?)" \
	"cctr: ctl: the run has no such partition
1")"
go a1 b1
end
check "the run goes on" "$(is "$status $(places)" "0 a1 in a,b1 in b,")"
for options in "" "--batch --partition a:all" "--explain=a1 --partition a:all"; do
	# shellcheck disable=SC2086
	begin -R a1 $options
	await has_begun a1 1
	check "refused: a run with '$options'" "$(is "$(ctl reconfig --start x:gpus=0 | grep -c \
		-e 'the run has no partitions: see --partition' -e 'cannot change: the run has --')" 1)"
	go a1
	end
done

# ---- leases --------------------------------------------------------------------------

cat >"$work/lease.sh" <<END
'$(realpath "$CCTR")' alloc new gpus:1 --cleanup F --now || exit 3
END
declare_waiting b1
cat >>"$tree/CTestTestfile.cmake" <<END
add_test(setup "/bin/sh" "$work/lease.sh")
add_test(cleanup "/bin/true")
set_tests_properties(setup PROPERTIES FIXTURES_SETUP F)
set_tests_properties(cleanup PROPERTIES FIXTURES_CLEANUP F)
set_tests_properties(b1 PROPERTIES FIXTURES_REQUIRED F)
END
begin --partition 'a:gpus=1,cpus=4:-R ^(setup|cleanup)' --partition 'b:fill'
await has_begun b1 1
check "a fixture's lease keeps its partition" "$(is "$(ctl reconfig --stop a --start c:gpus=1,cpus=4; echo $?)" \
	"cctr: ctl: partition a cannot stop: a lease of it is kept for F
1")"
go b1
end
check "... until it is cleaned up" "$(is "$status" 0)"

# ---- tests that are repeated, that wait for a token, and that are stopped --------------

declare_waiting a1
begin --partition "$a" --partition 'b:cpus=fill' --repeat until-pass:2
await has_begun a1 1
ctl reconfig --stop a --start gpus=2,cpus=2 --now >/dev/null
await has_begun a1 2
ctl cancel a1 >/dev/null
wait $program
check "what is canceled afterwards has failed" "$(is "$?" 8)"
begin --partition "$a" --partition 'b:cpus=fill'
await has_begun a1 1
ctl stop >/dev/null
check "a run that stops has the partitions that it has" "$(is "$(ctl reconfig --stop a --start gpus=2,cpus=2; echo $?)" \
	"cctr: ctl: no test starts any more
1")"
go a1
end
finish
