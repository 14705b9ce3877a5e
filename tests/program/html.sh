#!/bin/sh
# --html: the page of a run, as text and in a headless Chromium.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree "a tree"
needs python3
page="$work/page.html"

look() { # what...
	python3 tests/program/html_page.py "$page" "$@" 2>&1
}

# What a test prints that a page must not read as its own.
printf '</script><script>alert(1)</script><!--\000\001\377\303\n\033[31mred\033[0m & "quoted"\r\n' >"$tree/odd"
declare_tests <<'END'
add_test(good "/bin/sh" "-c" "echo never shown")
set_tests_properties(good PROPERTIES LABELS "a;b c")
add_test(bad "/bin/sh" "-c" "echo bad; exit 3")
add_test(skips "/bin/sh" "-c" "exit 9")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 9)
add_test(off "/bin/true")
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(lost "/nonexistent/program")
add_test(killed "/bin/sh" "-c" "kill -SEGV $$")
add_test(late "/bin/sleep" "1000")
set_tests_properties(late PROPERTIES TIMEOUT 0.2)
add_test(flaky "/bin/sh" "-c" "mkdir once 2>/dev/null || exit 0; echo first; exit 1")
add_test([=[</title><b>&amp;{{data}}]=] "/bin/sh" "-c" "cat odd; exit 1")
set_tests_properties([=[</title><b>&amp;{{data}}]=] PROPERTIES LABELS "</script>")
add_test(long "/bin/sh" "-c" "printf begin; head -c 1000000 /dev/zero | tr '\\0' x; printf 'é end'; exit 1")
add_test(text "/bin/echo" "ERROR here")
set_tests_properties(text PROPERTIES FAIL_REGULAR_EXPRESSION "ERR[A-Z]+")
END
plain=$(cctr --repeat until-pass:2 --no-label-summary | without_times)
rm -r "$tree/Testing" "$tree/once"
text=$(cctr --repeat until-pass:2 --no-label-summary --html "$page")
equal "the exit code is that of the tests" 8 $?
equal "the text is that of a run without it" "$plain" "$(echo "$text" | without_times)"
equal "nothing but the page is left" "page.html" "$(cd "$work" && find . -maxdepth 1 -name 'page*' -printf '%P\n')"

equal "each test is there once, with what became of it" 'good passed passed
bad failed failed failed
skips skipped skipped
off disabled disabled
lost failed not run
killed failed crashed crashed
late failed timeout timeout
flaky flaky failed passed
</title><b>&amp;{{data}} failed failed failed
long failed failed failed
text failed failed failed' "$(look tests)"
equal "labels" "good a|b c
</title><b>&amp;{{data}} </script>" "$(look labels)"
equal "failures have their output, and only they" "bad 'bad\\n'
killed ''
late ''
flaky 'first\\n'
</title><b>&amp;{{data}} '</script><script>alert(1)</script><!--\\n\\x01��\\n\\x1b[31mred\\x1b[0m & \"quoted\"\\n'
text 'ERROR here\\n'" "$(look outputs short)"
equal "a long output is cut, and it is said by how much" \
	"1000012 bytes: begin 8192, cut 967244, 24576 end 'é end\\n'
1000012 bytes: begin 8192, cut 967244, 24576 end 'é end\\n'" "$(look outputs long)"
equal "why and how" "bad 3
killed signal 11
lost Unable to find executable: /nonexistent/program
text The output has an expression that it must not have: ERR[A-Z]+" "$(look why | sort -u | grep -v '^\(long\|flaky\|off\|<\)')"
equal "the list without JavaScript names every test, failures first" "11 of 11, failed first" "$(look list)"
equal "the page says how it ended" "7 of 11 tests failed" "$(look title)"
equal "nothing of it comes from elsewhere" "" "$(look addresses)"
equal "script and style are those of the tree" "" "$(look parts)"

declare_tests <<'END'
add_test(c "/bin/sh" "-c" "exit 0")
set_tests_properties(c PROPERTIES DEPENDS b)
add_test(b "/bin/sh" "-c" "exit 0")
set_tests_properties(b PROPERTIES DEPENDS a RESOURCE_GROUPS "gpus:2")
add_test(a "/bin/sh" "-c" "exit 0")
END
cctr -j3 --resource gpus=1:4 --no-resource-spec unlimited "--html=$page" >"$work/output"
equal "the critical path, and --html= is the same" "a first
b dependency
c dependency" "$(look path)"
equal "slots and instances are tracks" "a slot 1
b gpus 0 2
b slot 1
c slot 1" "$(look tracks | grep -v cpus | sort)"
equal "all passed" "All 3 tests passed" "$(look title)"

cctr -N --html "$work/listed" >"$work/output"
equal "a listing writes none" "" "$(find "$work/listed" 2>/dev/null)"
cctr -R a --html "$work/nowhere/page" >"$work/output"
code=$?
equal "a file that cannot be written fails the run, and is named" \
	"1 nowhere/page: cannot be written: No such file or directory" \
	"$([ "$code" -ne 0 ] && echo 1) $(grep -o 'nowhere/page: cannot be written.*' "$work/output")"

declare_tests <<END
add_test(first "/bin/true")
add_test(waits "/bin/sh" "-c" ": >'$work/begun'; exec sleep 1000")
add_test(never "/bin/true")
END
begin() {
	rm -f "$work/begun"
	"$CCTR" --test-dir "$tree" --html "$page" >"$work/output" 2>&1 </dev/null &
	program=$!
	await test -e "$work/begun"
}
cp "$page" "$work/before"
begin
kill -KILL "$program"
wait "$program" 2>/dev/null
equal "a killed run leaves the file of the run before it" "" "$(cmp "$page" "$work/before" 2>&1)"
begin
kill -TERM "$program"
wait "$program"
equal "a run that was ended writes what there is" "Interrupted: 2 of 3 tests did not finish
first passed passed
waits unfinished interrupted
never unfinished" "$(look title; look tests)"

# ---- earlier runs -----------------------------------------------------------------------

"$CCTR" --version=full | grep -q 'without SQLite' || {
	declare_tests <<'END'
add_test(old "/bin/true")
add_test(bad "/bin/false")
END
	rm -rf "$tree/Testing"
	earlier() {
		python3 - "$page" <<'END'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'id="data">\n(.*?)</script>', text, re.S).group(1))
for test, *rest in data.get("earlier", []):
    print(data["tests"][test]["name"], *(data["verdicts"][v] for v in rest[1::3]), all(ms > 0 for ms in rest[2::3]))
END
	}
	cctr --history=on --html "$page" >"$work/output"
	equal "the first run has no earlier ones" "" "$(earlier)"
	cctr --history=on --repeat until-pass:2 -R bad >"$work/output"
	echo 'add_test(new "/bin/true")' >>"$tree/CTestTestfile.cmake"
	cctr --history=on --html "$page" >"$work/output"
	equal "attempts of earlier runs, the earliest first" "old passed True
bad failed failed failed True" "$(earlier)"
	cctr --html "$page" >"$work/output"
	equal "without --history=on there are none" "" "$(earlier)"
}

seq 700 | sed 's|.*|add_test(fails_& "/bin/sh" "-c" "head -c 100000 /dev/zero; exit 1")|' | declare_tests
cctr -j4 --html "$page" >"$work/output"
equal "much output of many tests is bounded" "700 of 700 tests failed, bounded" "$(look title), $(
	# 16 MiB, of which each zero is six bytes as JSON.
	[ "$(stat -c %s "$page")" -lt 120000000 ] && echo bounded)"
rm "$page"

chromium=${CCTR_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
[ -n "$chromium" ] || skip_all "no chromium: the page is not looked at in a browser"
export CCTR_CHROMIUM="$chromium"
rm -rf "$tree/once"
{
	seq -f 'add_test(part_%05.0f "/bin/true")' 1 40
	cat <<'END'
add_test(alone_fails "/bin/sh" "-c" "cat odd; exit 1")
add_test(other_fails "/bin/sh" "-c" "seq 90000; exit 1")
add_test(flaky "/bin/sh" "-c" "mkdir once 2>/dev/null || exit 0; echo first; exit 1")
set_tests_properties(alone_fails part_00007 PROPERTIES LABELS "few" RESOURCE_GROUPS "gpus:1")
END
} | declare_tests
history=on
"$CCTR" --version=full | grep -q 'without SQLite' && history=off
for _ in 1 2; do
	cctr -C "one two" -j2 --history=$history -E flaky >"$work/output"
	rm -rf "$tree/Testing/Temporary"
done
cctr -C "one two" -j2 --repeat until-pass:2 --resource gpus=2 --no-resource-spec unlimited --history=$history --html "$page" >"$work/output"
python3 tests/program/html_browser.py "$page" >"$work/browser" 2>&1
code=$?
sed -n 's/^ok - //p; s/^not ok - .*/&/p' "$work/browser" >"$work/points"
while read -r point; do
	case $point in
	not\ ok*) check "in a browser: ${point#not ok - }" "$(grep -F -A 2 -x "$point" "$work/browser")" ;;
	*) check "in a browser: $point" "" ;;
	esac
done <"$work/points"
equal "the browser looked at all of it" "done" "$(tail -n 1 "$work/browser")"
[ "$code" -eq 0 ] || cat "$work/browser" >&2
finish
