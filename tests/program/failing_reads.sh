#!/bin/sh
# What a script's cmake says, and standard input, where a read of it fails.
set -u
. tests/meta/tap.sh
needs strace
own_folder
cctr=$(realpath "${CCTR:?}")
cd "$work" || exit 1
strace -o none true 2>/dev/null || skip_all "strace may not trace"
export CCTR_COMPAT_VERSION=3.25

# $1: the error; $2: what the first call looks like that is to fail; then the command line.
# Reads of cctr alone.
fail_read() {
	error=$1 text=$2
	shift 2
	rm -rf Testing
	strace -o reads -e signal=none -e trace=read "$cctr" "$@" <tests.json >out 2>err
	rm -rf Testing
	number=$(grep -n "$text" reads | head -n 1 | cut -d: -f1)
	strace -o reads -e trace=read -e "inject=read:error=$error:when=$number" \
		"$cctr" "$@" <tests.json >out 2>err
	status=$?
}

echo '{"kind": "ctestInfo", "version": {"major": 1, "minor": 0}, "tests": [
	{"name": "a", "command": ["/bin/true"], "properties": []}]}' >tests.json
if command -v cmake >/dev/null; then
	echo 'message("what the script said")' >script.cmake
	fail_read EIO '"what the script' -S script.cmake
	check "a script's messages" "$([ $status != 0 ] || echo "exit code 0"
		grep "cannot read what cmake says: Input/output error" err >/dev/null ||
			cat err)"
fi

# EINTR and EAGAIN are no errors.
for error in EINTR EAGAIN; do
	fail_read $error "read(0" --manifest - -N
	check "reading standard input after $error" "$(is "$status $(grep -c "Test #1: a" out)" \
		"0 1"; grep INJECTED reads | grep -q "read(0" || cat reads)"
done
finish
