#!/bin/sh
# What a script's cmake says, and standard input, where a read of it fails.
set -u
. tests/meta/tap.sh
search_no_leaks
needs strace
own_folder
cctr=$(realpath "${CCTR:?}")
cd "$work" || exit 1
strace -o none true 2>/dev/null || skip_all "strace may not trace"
export CCTR_COMPAT_VERSION=3.25

# $1: the error; $2: what the first read looks like that is to fail; $3: and then; the command
# line. Other reads may come before it or not, as processes run: then it is tried again.
fail_read() {
	error=$1 text=$2 failed=$3
	shift 3
	for _ in $(seq 50); do
		strace -o reads -e signal=none -e trace=read "$cctr" "$@" <tests.json >out 2>err
		number=$(grep -n "$text" reads | head -n 1 | cut -d: -f1)
		strace -o reads -e signal=none -e trace=read \
			-e "inject=read:error=$error:when=$number" \
			"$cctr" "$@" <tests.json >out 2>err
		status=$?
		! grep -q "$failed.*INJECTED" reads || return
	done
	echo "no read of $text failed"
}

echo '{"kind": "ctestInfo", "version": {"major": 1, "minor": 0}, "tests": [
	{"name": "a", "command": ["/bin/true"], "properties": []}]}' >tests.json
if command -v cmake >/dev/null; then
	echo 'message("what the script said")' >script.cmake
	fail_read EIO '"what the script' ', 65536)' -S script.cmake
	check "a script's messages" "$([ "$status" != 0 ] || echo "exit code 0"
		grep "cannot read what cmake says: Input/output error" err >/dev/null ||
			cat err)"
fi

# EINTR and EAGAIN are no errors.
for error in EINTR EAGAIN; do
	fail_read $error "read(0" "read(0" --manifest - -N
	check "reading standard input after $error" "$(is "$status $(grep -c "Test #1: a" out)" \
		"0 1")"
done
finish
