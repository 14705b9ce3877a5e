#!/bin/sh
# cctr as a client of make's job server, under a real make.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh

needs make
own_folder
mkdir "$work/tree" "$work/now"
unset MAKEFLAGS MAKELEVEL MFLAGS
export NOW="$work/now" CCTR_COMPAT_VERSION=4.4

# Each test writes down how many run when it starts. It goes on when as many as $1 run, or
# after a while: $3 looks, few where so many never run; for the first $4 tests, or all.
tests() {
	rm -rf "$work"/most "$work"/now/* "$work/tree/Testing"
	cat >"$work/body" <<-'END'
		touch $NOW/$$
		i=0
		while [ $(ls $NOW | wc -l) -lt $1 ] && [ ! -f $NOW/../met ] && [ $i -lt $2 ]; do
			sleep 0.02
			i=$((i + 1))
		done
		n=$(ls $NOW | wc -l)
		[ $n -ge $1 ] && touch $NOW/../met
		echo $n >>$NOW/../most
		sleep 0.05
		rm $NOW/$$
	END
	rm -f "$work/met"
	i=0
	while [ $i -lt "${2:-8}" ]; do
		looks=${3:-6000}
		[ $i -lt "${4:-1000}" ] || looks=6000
		echo "add_test(t$i \"/bin/sh\" \"$work/body\" \"$1\" \"$looks\")"
		i=$((i + 1))
	done >"$work/tree/CTestTestfile.cmake"
}
# $1: of make; $2: of cctr; $3: what the recipe does after it
under_make() {
	printf 'all:\n\t+@cd "%s" && "%s" %s >"%s" 2>&1; echo "exit $$?" >>"%s"\n' \
		"$work/tree" "${CCTR:?}" "$2" "$work/output" "$work/output" >"$work/Makefile"
	# shellcheck disable=SC2086
	timeout 250 make -f "$work/Makefile" $1 >"$work/make" 2>&1
	sort -n "$work/most" | tail -n 1
}
tail_of() {
	sed -n '/tests passed/p;/^exit/p' "$work/output"
}

tests 3
most=$(under_make -j3 -j)
check "-j under make -j3: three at a time" "$(is "$most" 3)"
check "it says so" "$(is "$(sed -n 2p "$work/output")" "Connected to MAKE jobserver")"
check "all pass" "$(is "$(tail_of)" "100% tests passed out of 8
exit 0")"
check "make has all its tokens back" "$(is "$(grep -i token "$work/make")" "")"

tests 2
most=$(under_make -j3 -j2)
check "-j2 under make -j3: two" "$(is "$most" 2)"

tests 2
most=$(under_make -j2 -j8)
check "-j8 under make -j2: two" "$(is "$most" 2)"

tests 2 4 15
most=$(under_make -j3 "")
check "without -j one at a time" "$(is "$most" 1)"

tests 2 4
most=$(CTEST_PARALLEL_LEVEL='' under_make -j2 "")
check "CTEST_PARALLEL_LEVEL without a number is -j" "$(is "$most" 2)"

tests 2 4
most=$(under_make -j1 -j2)
check "make without -j has no job server" "$(is "$(grep -c Connected "$work/output")$most" 02)"

tests 3 6
most=$(CCTR_COMPAT_VERSION=3.25 under_make -j2 -j3)
check "ctest 3.25 knows no job server" \
	"$(is "$(grep -c Connected "$work/output")$most" 03)"

# A FIFO of our own, as newer releases of make have it: what is in it is seen afterwards.
mkfifo "$work/fifo"
exec 9<>"$work/fifo"
printf 'xy' >&9
MAKEFLAGS=" -j3 --jobserver-auth=fifo:$work/fifo"
export MAKEFLAGS
tokens() {
	dd bs=1 count=100 iflag=nonblock <"$work/fifo" 2>/dev/null | tee "$work/had" |
		od -An -c | tr -d ' \n'
	cat "$work/had" >&9
}
run() {
	timeout 250 "$CCTR" --test-dir "$work/tree" "$@" >"$work/output" 2>&1
	echo "exit $?" >>"$work/output"
	sort -n "$work/most" | tail -n 1
}
: >"$work/make"

tests 3
check "a FIFO: two tokens, three tests" "$(is "$(run -j)" 3)"
check "both come back" "$(is "$(tokens | fold -w1 | sort | tr -d '\n')" xy)"

echo 'add_test(fails "/bin/sh" "-c" "exit 1")
add_test(missing "/no/such")
add_test(slow "/bin/sleep" "60")
add_test(slow2 "/bin/sleep" "60")
set_tests_properties(slow slow2 PROPERTIES TIMEOUT 0.2)
add_test(crash "/bin/sh" "-c" "kill -SEGV $$")
add_test(again "/bin/sh" "-c" "exit 1")' >"$work/tree/CTestTestfile.cmake"
run -j --repeat until-pass:2 >/dev/null
check "so they do after failures, timeouts and crashes" \
	"$(is "$(tokens | fold -w1 | sort | tr -d '\n') $(tail_of)" "xy 0% tests passed, 6 tests failed out of 6
exit 8")"
run -j --stop-on-failure >/dev/null
check "and after a stop" "$(is "$(tokens | fold -w1 | sort | tr -d '\n')" xy)"

for signal in INT TERM HUP; do
	cat >"$work/tree/CTestTestfile.cmake" <<-END
		foreach(i RANGE 5)
		  add_test(t\${i} "/bin/sh" "-c" "touch $work/now/x\$\$; exec sleep 60")
		endforeach()
	END
	rm -f "$work"/now/*
	env --default-signal=$signal "$CCTR" --test-dir "$work/tree" -j \
		>"$work/output" 2>&1 &
	cctr=$!
	for _ in $(seq 6000); do
		[ "$(find "$work/now" -type f | wc -l)" -lt 3 ] || break
		sleep 0.02
	done
	kill -$signal $cctr
	wait $cctr 2>/dev/null
	check "and after SIG$signal" \
		"$(is "$(tokens | fold -w1 | sort | tr -d '\n')" xy)"
done

# Somebody else has all tokens for a while: one test at a time, more when they come back,
# for which all tests wait but the first two.
tokens >/dev/null
dd bs=1 count=2 iflag=nonblock <"$work/fifo" >"$work/taken" 2>/dev/null
tests 3 8 15 2
(
	for _ in $(seq 6000); do
		[ -f "$work/most" ] && [ "$(wc -l <"$work/most")" -ge 2 ] && break
		sleep 0.02
	done
	cat "$work/taken" >&9
) &
run -j >/dev/null
wait $!
check "tokens that come late are used" \
	"$(is "$(sed -n 1,2p "$work/most" | tr '\n' ' ')$(sort -n "$work/most" | tail -n 1)" "1 1 3")"
finish
