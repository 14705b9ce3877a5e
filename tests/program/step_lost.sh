#!/bin/sh
# A step whose command the system cannot start has not been done: the exit code says so.
# That the command itself is missing is another matter, told as ctest tells it.
set -u
. tests/meta/tap.sh
search_no_leaks
strace -qq -o /dev/null true 2>/dev/null || skip_all "strace cannot trace"

cctr=$(realpath "${CCTR:?}")
own_folder
export CCTR_COMPAT_VERSION=3.25
mkdir "$work/Testing"
printf '20261121-0000\nExperimental\nExperimental\n' >"$work/Testing/TAG"
cat >"$work/DartConfiguration.tcl" <<END
SourceDirectory: $work
BuildDirectory: $work
Site: here
BuildName: this
ConfigureCommand: /bin/echo configured
MakeCommand: /bin/echo built
END
step() { # exit code, wrapper and arguments
	expected=$1
	shift
	(cd "$work" && exec "$@") >"$work/output" 2>&1 </dev/null
	status=$?
	[ "$status" = "$expected" ] || { echo "status $status, not $expected"; cat "$work/output"; }
}
refused() { # call, error
	echo "strace -qq -e signal=none -o /dev/null -e trace=$1 -e inject=$1:error=$2"
}
# The read of what the command has written fails (0), or the one after it (1). Others may come
# before it or not, as processes run: then it is tried again.
lose_output() { # step, 0 or 1
	for _ in $(seq 50); do
		(cd "$work" && strace -qq -e signal=none -o log -e trace=read "$cctr" -T "$1") >"$work/output" 2>&1
		n=$(grep -n '"\(configured\|built\)' "$work/log" | cut -d: -f1)
		(cd "$work" && strace -qq -e signal=none -o log -e trace=read \
			-e inject=read:error=EIO:when=$((n + $2)) "$cctr" -T "$1") >"$work/output" 2>&1 </dev/null
		status=$?
		[ "$(grep -c '"\(configured\|built\)' "$work/log")" = "$2" ] || continue
		! grep -q ', 65536).*INJECTED' "$work/log" || return
	done
}
while read -r step code; do
	for fault in "vfork EAGAIN" "pipe2 EMFILE"; do
		# shellcheck disable=SC2046,SC2086 # several words
		check "-T $step fails: $fault" "$(step "$code" \
			$(refused ${fault% *} ${fault#* }) "$cctr" -T "$step"
			grep -q 'There was an error: ' "$work/output" || cat "$work/output")"
	done
	# shellcheck disable=SC2046 # several words
	check "-T $step fails: its streams cannot be set" "$(step "$code" \
		$(refused dup3 EMFILE) -f "$cctr" -T "$step"
		grep -q 'There was an error: ' "$work/output" || cat "$work/output")"
	for pieces in 0 1; do
		lose_output "$step" $pieces
		check "-T $step fails: its output cannot be read after $pieces pieces" "$(is "$status" "$code"
			grep -q 'There was an error: Input/output error' "$work/output" || cat "$work/output")"
	done
	check "-T $step: a command that runs" "$(step 0 "$cctr" -T "$step")"
done <<END
Configure 2
Build 4
END

long=$(head -c 200000 /dev/zero | tr '\0' x)
printf '%sCommand: /bin/echo %s\n' Configure "$long" Make "$long" >>"$work/DartConfiguration.tcl"
for step in "Configure 2" "Build 4"; do
	check "-T ${step% *} fails: a word is too long" "$(step "${step#* }" "$cctr" -T "${step% *}"
		grep -qi 'There was an error: argument list too long' "$work/output" || cat "$work/output")"
done

sed -i 's|Command: .*|Command: /no/such/program|' "$work/DartConfiguration.tcl"
check "-T Configure: no such program" "$(step 0 "$cctr" -T Configure)"
finish
