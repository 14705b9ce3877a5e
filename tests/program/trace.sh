#!/bin/sh
# --trace: the timeline of a run, read by a reader of JSON.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree "a tree"
needs python3
trace="$work/trace.json"

# Checks the file, and prints what is asked for. Times are in nanoseconds, which JSON has as
# microseconds with three decimals.
cat >"$work/look.py" <<'END'
import collections, decimal, json, sys

def ns(number):
    return int(number * 1000)

def check_tracks():
    """Prints what is wrong with slices, tracks and arrows."""
    tracks = collections.defaultdict(list)
    begins = [ns(e["ts"]) for e in slices]
    if begins != sorted(begins):
        print("slices are not in the order of their begins")
    for e in slices:
        if ns(e["dur"]) < 0:
            print("negative duration", e)
        if (e["pid"], e["tid"]) not in tracks_named:
            print("track without a name", e)
        tracks[e["pid"], e["tid"]].append(e)
    for track, inside in tracks.items():
        for one, next_one in zip(inside, inside[1:]):
            if ns(one["ts"]) + ns(one["dur"]) > ns(next_one["ts"]):
                print("two at a time", one, next_one)
    for e in arrows:
        around = [s for s in tracks[e["pid"], e["tid"]] if s["cat"] == "test"
                  and ns(s["ts"]) <= ns(e["ts"]) < ns(s["ts"]) + ns(s["dur"])]
        if len(around) != 1:
            print("arrow that is in no slice", e)
        else:
            e["test"] = around[0]["name"]

with open(sys.argv[1], encoding="utf-8") as file:
    trace = json.load(file, parse_float=decimal.Decimal)
events = trace["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
arrows = [e for e in events if e["ph"] in "sf"]
names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
tracks_named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
                if e["name"] == "thread_name"}
if len(set(tracks_named.values())) != len(tracks_named) and len(names) == 1:
    print("tracks of one name", tracks_named)
check_tracks()
if sys.argv[2] == "tests":
    for e in slices:
        if e["cat"] == "test":
            print(e["name"], *(e["args"][key] for key in sys.argv[3:] if key in e["args"]))
elif sys.argv[2] == "tracks":
    for e in slices:
        print(e["name"], tracks_named[e["pid"], e["tid"]], e["args"]["slots"])
elif sys.argv[2] == "machines":
    for e in slices:
        if e["cat"] == "test":
            print(e["name"], names[e["pid"]] == e["args"].get("node", "this machine"))
elif sys.argv[2] == "path":
    for one, other in zip(arrows[::2], arrows[1::2]):
        if one["ph"] + other["ph"] != "sf" or one["id"] != other["id"]:
            print("an arrow has two ends")
        print(one["test"], other["test"], *other["args"].values())
elif sys.argv[2] == "interrupted":
    print(trace["otherData"]["interrupted"])
END
look() { # what...
	python3 "$work/look.py" "$trace" "$@" 2>&1
}

declare_tests <<'END'
add_test([=[good "é\]=] "/bin/true")
add_test(bad "/bin/sh" "-c" "exit 3")
add_test(skips "/bin/sh" "-c" "exit 9")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 9)
add_test(off "/bin/true")
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(lost "/nonexistent/program")
add_test(killed "/bin/sh" "-c" "kill -SEGV $$")
add_test(late "/bin/sleep" "1000")
set_tests_properties(late PROPERTIES TIMEOUT 0.2)
END
plain=$(cctr | without_times)
rm -r "$tree/Testing"
text=$(cctr --trace "$trace")
equal "the exit code is that of the tests" 8 $?
equal "the text is that of a run without it" "$plain" "$(echo "$text" | without_times)"
equal "each test is there once, with its result" 'bad 2 1 failed 3
good "é\ 1 1 passed 0
killed 6 1 crashed 11
late 7 1 timeout
lost 5 1 not run
off 4 1 disabled
skips 3 1 skipped 9' "$(look tests number attempt result exit signal | sort)"

rm "$trace"
cctr -R bad --repeat until-pass:2 "--trace=$trace" >"$work/output"
equal "so is each attempt, and --trace= is the same" "bad 1 False
bad 2 True" "$(look tests attempt last)"

# Each of the two ends only when the other has begun.
declare_tests <<'END'
add_test(one "/bin/sh" "-c" ": >one; while ! test -e two; do sleep 0.01; done")
add_test(two "/bin/sh" "-c" ": >two; while ! test -e one; do sleep 0.01; done")
add_test(wide "/bin/true")
set_tests_properties(one two PROPERTIES RESOURCE_GROUPS "gpus:2" TIMEOUT 200)
set_tests_properties(wide PROPERTIES DEPENDS "one;two" PROCESSORS 2 RESOURCE_GROUPS "2,gpus:1")
END
cctr -j2 --resource gpus=1:4 --no-resource-spec unlimited --trace "$trace" >"$work/output"
equal "two tests at a time have a track each, and slots and instances are tracks" "one gpus 0 2
one slot 1 1
two gpus 0 (2) 2
two slot 2 1
wide gpus 0 2
wide slot 1 2
wide slot 2 2" "$(look tracks | grep -v cpus | sort)"

declare_tests <<'END'
add_test(c "/bin/sh" "-c" "exit 0")
set_tests_properties(c PROPERTIES DEPENDS b)
add_test(b "/bin/sh" "-c" "exit 0")
set_tests_properties(b PROPERTIES DEPENDS a)
add_test(a "/bin/sh" "-c" "exit 0")
END
cctr -j3 --trace "$trace" >"$work/output"
equal "the critical path is arrows from slice to slice" "a b dependency
b c dependency" "$(look path)"
declare_tests <<'END'
add_test(holds "/bin/sh" "-c" "exit 0")
add_test(wants "/bin/sh" "-c" "exit 0")
set_tests_properties(holds wants PROPERTIES RESOURCE_LOCK "a lock")
END
cctr -j2 --trace "$trace" >"$work/output"
equal "a lock is said" "holds wants lock a lock" "$(look path)"

declare_tests <<'END'
add_test(a "/bin/true")
add_test(b "/bin/true")
add_test(c "/bin/true")
add_test(d "/bin/true")
END
cctr -j2 --launcher '{agent}' --nodes 'n[1-2]' --trace "$trace" >"$work/output"
equal "each node is a process" "a True
b True
c True
d True" "$(look machines | sort)"
# The agent of the test is its parent.
declare_tests <<'END'
add_test(once "/bin/sh" "-c" "mkdir once 2>/dev/null && kill -9 $PPID; exit 0")
END
cctr --launcher '{agent}' --nodes 'n[1-2]' --trace "$trace" >"$work/output"
equal "what a lost node ran is there" "once node lost False
once passed True" "$(look tests result last)"

seq 300 | sed 's|.*|add_test(test_& "/bin/true")|' | declare_tests
cctr -j4 --trace "$trace" >"$work/output"
equal "many tests are all there, on no more tracks than slots" "300, few" \
	"$(look tests | sort -u | wc -l), $(
		[ "$(look tracks | grep -o 'slot [0-9]*' | sort -u | wc -l)" -le 4 ] && echo few)"
cctr -N --trace "$work/listed" >"$work/output"
equal "a listing writes none" "" "$(find "$work/listed" 2>/dev/null)"
cctr -R test_1$ --trace "$work/nowhere/trace" >"$work/output"
code=$?
equal "a file that cannot be written fails the run, and is named" \
	"1 nowhere/trace: cannot be written: No such file or directory" \
	"$([ "$code" -ne 0 ] && echo 1) $(grep -o 'nowhere/trace: cannot be written.*' "$work/output")"

declare_tests <<END
add_test(first "/bin/true")
add_test(waits "/bin/sh" "-c" ": >'$work/begun'; exec sleep 1000")
END
begin() {
	rm -f "$work/begun"
	"$CCTR" --test-dir "$tree" --trace "$trace" >"$work/output" 2>&1 </dev/null &
	program=$!
	await test -e "$work/begun"
}
cp "$trace" "$work/before"
begin
kill -KILL "$program"
wait "$program" 2>/dev/null
equal "a killed run leaves the file of the run before it" "" "$(cmp "$trace" "$work/before" 2>&1)"
equal "and no other" "$trace" "$(find "$work" -name 'trace*')"
begin
kill -TERM "$program"
wait "$program"
equal "a run that was ended writes what there is" "first passed
waits interrupted
True" "$(look tests result; look interrupted)"
finish
