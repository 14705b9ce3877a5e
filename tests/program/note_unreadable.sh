#!/bin/sh
# A note that is there and cannot be read: the exit code says that it is lost. A note that does
# not exist, and a folder, are told as ctest tells them.
set -u
. tests/meta/tap.sh
search_no_leaks
strace -qq -o /dev/null true 2>/dev/null || skip_all "strace cannot trace"

cctr=$(realpath "${CCTR:?}")
own_folder
export CCTR_COMPAT_VERSION=3.25
mkdir "$work/folder"
echo text >"$work/note.txt"
printf 'BuildDirectory: %s\nSite: here\nBuildName: this\n' "$work" >"$work/DartConfiguration.tcl"

notes() { # exit code, the note, wrapper
	expected=$1 note=$2
	shift 2
	(cd "$work" && exec "$@" "$cctr" -A "$note") >"$work/output" 2>&1 </dev/null
	status=$?
	[ "$status" = "$expected" ] || { echo "status $status, not $expected"; cat "$work/output"; }
}
for error in EIO EMFILE EACCES; do
	check "$error: a lost note" "$(notes 1 note.txt strace -qq -o /dev/null -e signal=none \
		-P note.txt -e trace=openat -e "inject=openat:error=$error")"
done
check "a note that can be read" "$(notes 0 note.txt env)"
check "no such note" "$(notes 0 no.txt env)"
check "a folder" "$(notes 0 folder env)"

# A failed look for CTestConfiguration.ini does not hide DartConfiguration.tcl.
(cd "$work" && strace -qq -o /dev/null -e signal=none -P "$work/CTestConfiguration.ini" \
	-e trace=newfstatat,stat,statx -e inject=newfstatat,stat,statx:error=ENOMEM \
	"$cctr" -T Start) >"$work/output" 2>&1
check "the other configuration is read" "$(grep -q 'Site: here' "$work/output" || cat "$work/output")"
finish
