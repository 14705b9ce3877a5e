#!/bin/sh
# Text that cannot be written, and files beyond a limit of their size: an error that says so.
set -u
. tests/meta/tap.sh
[ -c /dev/full ] || skip_all "no /dev/full"
own_folder
cctr=$(realpath "${CCTR:?}")
export CCTR_COMPAT_VERSION=4.4
cd "$work" || exit 1
echo 'add_test(a "/bin/true")' >CTestTestfile.cmake
lost="cctr: cannot write standard output"

for words in -N --show-only=json-v1 --print-labels --help --version --version=full \
	--show-resources --simulate --completion=bash; do
	"$cctr" "$words" >/dev/full 2>err
	check "$words to a full device" "$(is "$? $(cat err)" "1 $lost: No space left on device")"
	"$cctr" "$words" 2>err >&-
	check "$words to nowhere" "$(is "$? $(cat err)" "1 $lost: Bad file descriptor")"
done

"$cctr" >/dev/full 2>err
check "a run that passes" "$(is "$? $(cat err)" "1 $lost: No space left on device")"
check "... has its log" "$(grep -q "Test Passed" Testing/Temporary/LastTest.log || echo none)"
"$cctr" -Q >/dev/full 2>err
check "... and with -Q nothing to lose" "$(is "$? $(cat err)" "0 ")"
"$cctr" >&- 2>err
check "a run without standard output passes" "$(is "$? $(cat err)" "0 ")"
"$cctr" >out 2>/dev/full
check "standard error that gets nothing is not missed" "$(is "$?" 0)"
"$cctr" >/dev/full 2>&1
check "both on a full device" "$(is "$?" 1)"
echo 'add_test(b "/bin/false")' >>CTestTestfile.cmake
"$cctr" >/dev/full 2>err
check "a run that fails keeps its exit code" "$(is "$? $(tail -n 1 err)" \
	"8 $lost: No space left on device")"
"$cctr" >out 2>/dev/full
check "standard error on a full device" "$(is "$?" 8)"

# Blocks of 512 bytes. What the test writes is not limited: it writes to a pipe.
cat >CTestTestfile.cmake <<'END'
add_test(much sh -c "seq 100000")
add_test(more "/bin/true")
END
(ulimit -f 16 && exec "$cctr" >/dev/null 2>err)
check "LastTest.log beyond a limit of its size" "$(is "$?" 8
	grep -q "LastTest.log.*: File too large" err || cat err)"
finish
