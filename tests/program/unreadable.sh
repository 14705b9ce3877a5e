#!/bin/sh
# A file that is there and cannot be read is never taken for one that is not there: the run
# fails with a line that names the file and the reason. By modes, as a user who is not root,
# and by errors that strace puts into open and read.
set -u
. tests/meta/tap.sh
search_no_leaks

cctr=$(realpath "${CCTR:?}")
own_folder
chmod 755 "$work"
tree="$work/tree"
export CCTR_COMPAT_VERSION=3.25

make_tree() {
	rm -rf "$tree"
	mkdir -p "$tree/sub" "$tree/Testing/Temporary"
	cat >"$tree/CTestTestfile.cmake" <<END
include("$tree/wanted.cmake")
include("$tree/optional.cmake" OPTIONAL)
add_test(a "/bin/true")
subdirs(sub)
END
	for name in wanted optional sub/CTestTestfile; do
		echo "add_test($name /bin/true)" >"$tree/$name.cmake"
	done
	echo 'set(CTEST_CUSTOM_TESTS_IGNORE b)' >"$tree/CTestCustom.cmake"
	printf 'BuildDirectory: %s\nSourceDirectory: %s\n' "$tree" "$tree" \
		>"$tree/DartConfiguration.tcl"
	echo '1,2' >"$tree/range"
	echo 'a 1 2' >"$tree/Testing/Temporary/CTestCostData.txt"
	printf 'cctr-timings 1\n9 1 - a\n' >"$tree/Testing/Temporary/cctr-timings.txt"
	echo '1:a' >"$tree/Testing/Temporary/LastTestsFailed.log"
	printf '20200101-0000\nNightly\nNightly\n' >"$tree/Testing/TAG"
	echo '{"version":{"major":1,"minor":0},"local":[{}]}' >"$tree/spec.json"
	echo '{"version":3}' | tee "$tree/CMakePresets.json" >"$tree/CMakeUserPresets.json"
	printf 'set(CTEST_SOURCE_DIRECTORY "%s")\nset(CTEST_BINARY_DIRECTORY "%s")\n' "$tree" "$tree" \
		>"$tree/script.cmake"
	printf 'ctest_start(Experimental)\nctest_test()\n' >>"$tree/script.cmake"
}

# file | exit code | arguments, where @ is the tree
rows() {
	cat <<END
CTestTestfile.cmake|8|
CTestTestfile.cmake|8|-N
CTestTestfile.cmake|8|--show-only=json-v1
CTestTestfile.cmake|8|--print-labels
CTestTestfile.cmake|8|-T Test
CTestTestfile.cmake|1|-S @/script.cmake
sub/CTestTestfile.cmake|8|
sub/CTestTestfile.cmake|8|-N
wanted.cmake|8|
optional.cmake|8|
optional.cmake|8|-N
CTestCustom.cmake|8|
CTestCustom.cmake|8|-N
CTestCustom.cmake|12|-T Test
CTestCustom.cmake|12|--compat-version 4.1 -T Test
DartConfiguration.tcl|8|
DartConfiguration.tcl|8|-N
DartConfiguration.tcl|12|-T Test
DartConfiguration.tcl|12|--compat-version 4.1 -T Test
Testing/TAG|12|-T Test
Testing/TAG|12|--compat-version 4.1 -T Test
range|8|-I @/range
Testing/Temporary/LastTestsFailed.log|8|--rerun-failed
Testing/Temporary/CTestCostData.txt|8|
Testing/Temporary/cctr-timings.txt|8|
spec.json|8|--resource-spec-file @/spec.json
CMakePresets.json|1|--list-presets
CMakeUserPresets.json|1|--list-presets
END
}

# What is wrong with the last run: file, reason, exit code.
complaint() {
	[ "$status" = "$3" ] && grep -qF "${1##*/}" "$work/output" &&
		grep -qF "$2" "$work/output" && return
	echo "status $status instead of $3, or not \"$1\" and \"$2\" in this:"
	cat "$work/output"
}
in_tree() {
	(cd "$tree" && exec "$@") >"$work/output" 2>&1 </dev/null
	status=$?
}

user=
if [ "$(id -u)" = 0 ]; then
	user="setpriv --reuid=65534 --clear-groups"
	$user test -x "$cctr" 2>/dev/null || user=none
fi
by_mode() { # file, exit code, arguments
	make_tree
	[ -z "$user" ] || chown -R 65534 "$tree"
	chmod 0 "$tree/$1"
	# shellcheck disable=SC2086 # both are several words
	in_tree $user "$cctr" $3
	chmod 755 "$tree/$1"
	check "mode 0: $1 by cctr $3" "$(complaint "$1" "Permission denied" "$2")"
}
by_error() { # system call, error, its text, file, exit code, arguments
	make_tree
	# shellcheck disable=SC2086 # several words
	in_tree strace -f -qq -o /dev/null -P "$tree/$4" -e "inject=$1:error=$2" "$cctr" $6
	check "$1 $2: $4 by cctr $6" "$(complaint "$4" "$3" "$5")"
}

rows | sed "s|@|$tree|" >"$work/rows"
if [ "$user" != none ]; then
	while IFS='|' read -r file code arguments; do
		by_mode "$file" "$code" "$arguments"
	done <"$work/rows"
	by_mode sub 8 ""

	make_tree
	mkdir "$tree/closed"
	printf 'BuildDirectory: %s\n' "$tree/closed" >"$tree/DartConfiguration.tcl"
	[ -z "$user" ] || chown -R 65534 "$tree"
	chmod 0 "$tree/closed"
	# shellcheck disable=SC2086 # several words
	in_tree $user "$cctr"
	check "mode 0: the configured BuildDirectory" \
		"$(complaint "$tree/closed" "cannot be entered: Permission denied" 8)"
	for quiet in --show-only=json-v1 -Q; do
		# shellcheck disable=SC2086 # several words
		in_tree $user "$cctr" $quiet
		check "... with $quiet, too" \
			"$(complaint "$tree/closed" "cannot be entered: Permission denied" 8)"
	done
	chmod 755 "$tree/closed"
fi

make_tree
rm "$tree/CTestTestfile.cmake"
in_tree "$cctr"
check "no test file is no error" "$([ $status = 0 ] || cat "$work/output")"

# Nobody writes to it, so that reading it would never end. What the user names may be a FIFO.
while IFS='|' read -r file code arguments; do
	make_tree
	rm -f "$tree/$file"
	mkfifo "$tree/$file"
	# shellcheck disable=SC2086 # several words
	in_tree timeout -s KILL "${WAIT:-100}" "$cctr" $arguments
	check "a FIFO: $file by cctr $arguments" "$(complaint "$file" "Invalid argument" "$code")"
done <<END
$(grep -v "^range\|^spec.json" "$work/rows")
Testing/Temporary/CTestCheckpoint.txt|8|-F
cctr.yaml|8|
END
make_tree
mkfifo "$tree/CMakeCache.txt"
in_tree env -u CCTR_COMPAT_VERSION timeout -s KILL "${WAIT:-100}" "$cctr"
check "a FIFO: CMakeCache.txt" "$(complaint "CMakeCache.txt" "Invalid argument" 1)"
for arguments in "-I fifo" "--resource-spec-file fifo"; do
	make_tree
	mkfifo "$tree/fifo"
	cat "$tree/spec.json" >"$tree/fifo" &
	# shellcheck disable=SC2086 # several words
	in_tree timeout -s KILL 100 "$cctr" $arguments
	check "a FIFO that the user names: $arguments" "$([ "$status" = 0 ] || cat "$work/output")"
	wait
done

if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	while IFS='|' read -r file code arguments; do
		by_error openat EMFILE "Too many open files" "$file" "$code" "$arguments"
		by_error openat ENOMEM "Cannot allocate memory" "$file" "$code" "$arguments"
		by_error read EIO "Input/output error" "$file" "$code" "$arguments"
	done <"$work/rows"

	for costs in CTestCostData.txt cctr-timings.txt; do
		make_tree
		costs=Testing/Temporary/$costs
		cp "$tree/$costs" "$work/costs"
		in_tree strace -f -qq -o /dev/null -P "$tree/$costs" -e inject=read:error=EIO "$cctr"
		check "$costs: what cannot be read is not overwritten" \
			"$(cmp "$work/costs" "$tree/$costs" 2>&1)"
	done
fi

finish
