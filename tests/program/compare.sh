#!/bin/sh
# cctr compare: what differs from a ctest, what does not count, and that Testing is as before,
# whatever ends the comparison.
set -u
. tests/meta/tap.sh

needs ctest
own_folder
cd "$work" || exit 1
unset CCTR_COMPAT_VERSION
cat >CTestTestfile.cmake <<'END'
add_test(passes echo hello)
add_test(fails sh -c "echo bad; exit 3")
add_test(own sh -c "cat /proc/sys/kernel/random/uuid; echo by \$\$ here")
END
# A ctest that is wrong in one word of its text and in its exit code, and one that always is
# in another.
for what in 's/0% tests/many tests/' "s/hello/\$\$/"; do
	name=wrong
	[ -e wrong ] && name=moody
	cat >"$name" <<END
#!/bin/sh
[ "\$*" = --version ] && exec ctest --version
ctest "\$@" >"$work/text"
code=\$?
sed -e "$what" "$work/text"
rm "$work/text"
[ $name = moody ] && exit \$code
exit 0
END
	chmod +x "$name"
done
differs() { # words... -> the exit code and the text
	text=$("$CCTR" compare "$@" 2>messages)
	echo "$? $text"
}
state() {
	find . ! -name before ! -name messages -type f -exec cksum {} + | sort
}
mkdir -p Testing/Temporary
echo "of the user" >Testing/mine
echo old >junit.xml
state >before

text=$(differs --output-junit junit.xml)
check "nothing differs" "$(is "$(echo "$text" | sed '/sec$/d')" "0 Equal:
  exit code
  Testing/Temporary/CTestCostData.txt
  Testing/Temporary/LastTestsFailed.log
  Testing/mine
  standard error
  standard output
Differs from run to run, with ctest alone too:
  Testing/Temporary/LastTest.log
  junit.xml
Of cctr alone:
  Testing/Temporary/cctr-timings.txt
Nothing differs.")"
check "... and all is as before" "$(state | diff - before)"
text=$(differs -j3)
check "order in parallel runs does not count" "$(echo "$text" | grep -q '^0 Equal' || echo "$text")"
text=$(differs --with ./wrong -R passes)
check "a word and the exit code differ" "$(is "$(echo "$text" | sed '/^Equal/,$d; s/^ $//')" "1 --- ctest: standard output
+++ cctr: standard output
@@ -2,6 +2,6 @@
     Start 1: passes
 1/1 Test #1: passes ...........................   PassedTTTTTTTT sec

-10many tests passed, 0 tests failed out of 1
+100% tests passed, 0 tests failed out of 1

 Total Test time (real) =TTTTTTT sec")"
check "... and nothing else" "$(is "$(echo "$text" | sed -n '/^Different/,$p' | sed '/sec$/d')" "Different:
  standard output")"
text=$(differs --with ./wrong -R fails)
check "another exit code" "$(echo "$text" | grep -qxF -e '-0' || echo "$text")"
text=$(differs --with ./moody -V -R passes)
check "what is another word in each run does not count" "$(is \
	"$(echo "$text" | sed '/sec$/d' | sed -n '/^Differs/,$p')" \
	"Differs from run to run, with ctest alone too:
  standard output
Of cctr alone:
  Testing/Temporary/cctr-timings.txt
Nothing differs.")"
check "all is as before" "$(state | diff - before)"

refused() { # title, message, words...
	title=$1 wanted=$2
	shift 2
	text=$(differs "$@")
	check "$title" "$(is "${text%% *} $(sed 's/^cctr compare: //' messages)" "2 $wanted")"
}
refused "no ctest" '/bin/true: is no ctest: it does not answer --version with "ctest version ..."' --with /bin/true
refused "no program" 'none: there is no such program in PATH; name one by --with' --with none
cat >fleeting <<'END'
#!/bin/sh
[ "$1" = --version ] && echo "ctest version 3.25.1" && exit
[ "$1" != --help ] || chmod -x "$0"
END
chmod +x fleeting
refused "why ctest does not start" "runs ./fleeting
./fleeting: cannot be started: Permission denied" --with ./fleeting
rm fleeting
ln -s "$CCTR" ctest
refused "cctr itself" './ctest: is cctr itself: name CMake'"'"'s ctest by --with' --with ./ctest
rm ctest
refused "no value" '--with lacks its value' --with
refused "a script" 'only tests are compared: of dashboards the steps Start, Test, Coverage and MemCheck, no scripts, no --build-and-test' -S x
refused "an option of cctr's" "--schedule is cctr's own, which ctest does not know: set it in cctr.yaml or by its variable" --schedule=ctest
mv Testing there
ln -s there Testing
refused "a link" "$work/Testing: is a link: what it leads to cannot be set aside"
rm Testing
mv there Testing
check "nothing is changed by that" "$(state | diff - before)"

# What ends it while a test runs.
mkfifo started go
cat >CTestTestfile.cmake <<'END'
add_test(waits sh -c "echo >started; cat go")
END
state >before
run() { # signal -> the exit code
	"$CCTR" compare >text 2>messages &
	read -r _ <started
	kill "-$1" $!
	wait $! 2>/dev/null
	echo $?
	rm text
}
check "SIGTERM ends it by SIGTERM" "$(is "$(run TERM)" 143)"
check "... and all is as before" "$(state | diff - before)"
check "SIGKILL" "$(is "$(run KILL)" 137)"
check "... leaves the original aside" "$(grep -v '^of the user$' cctr-compare/original/0/mine 2>&1)"
echo 'add_test(passes true)' >CTestTestfile.cmake
text=$(differs)
check "... until the next comparison" "$(is "${text%% *} $(sed -n 1,2p messages)" \
	"0 cctr compare: what was in its place is now $work/Testing.cctr-compare
cctr compare: what an interrupted comparison had moved away is back in its place")"
check "... and keeps what was in its place" "$(find . -path './Testing.cctr-compare' | grep -c . | grep -v 1)"
rm -r Testing.cctr-compare CTestTestfile.cmake
sed -i '/CTestTestfile/d' before
check "... and all is as before" "$(state | diff - before)"

# A folder that cannot be removed in the end has nothing of the user any more.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	traced -qq -o /dev/null -e trace=rmdir,unlinkat -e inject=rmdir,unlinkat:error=EBUSY \
		"$CCTR" compare --output-junit later.xml >text 2>messages
	check "a folder that stays is said" "$(is "$? $(grep -c 'cctr-compare: cannot be removed' messages)" "2 1")"
	echo "of the user" >later.xml
	"$CCTR" compare --output-junit later.xml >text 2>messages
	check "... and later results are the user's" "$(is "$? $(cat later.xml later.xml.* 2>&1)" \
		"0 of the user
cat: 'later.xml.*': No such file or directory")"
	rm -f later.xml*
	ln -s mine Testing/link
	rm -f text
	state >before
	traced -qq -o /dev/null -e trace=/symlink -e inject=/symlink:signal=TERM "$CCTR" compare >text 2>messages
	code=$?
	rm text
	check "a signal while files are copied" "$(is "$code $(state | diff - before)" "143 ")"
	(trap '' HUP && traced -qq -o /dev/null -e trace=/^rename -e inject=/^rename:signal=HUP "$CCTR" compare -N >text 2>messages)
	check "... that is ignored does nothing" "$(is "$? $(grep -cxF 'Nothing differs.' text)" "0 1")"
	rm Testing/link
	traced -qq -o /dev/null -e trace=pipe2 -e inject=pipe2:error=EMFILE "$CCTR" compare >text 2>messages
	check "why ctest cannot be asked" "$(is "$? $(cat messages)" \
		"2 cctr compare: $(command -v ctest): cannot be asked for its version: Too many open files")"
fi

# Two at a time.
cat >CTestTestfile.cmake <<'END'
add_test(waits sh -c "echo >started; cat go")
END
"$CCTR" compare >text 2>one &
read -r _ <started
refused "one at a time" "$work/cctr-compare: another comparison runs in this build tree"
kill $!
wait $! 2>/dev/null
check "cctr compare --help" "$("$CCTR" compare --help | grep -q '^Usage: cctr compare' || echo none)"
finish
