#!/bin/sh
# The build step while it runs: what is seen of it, and what a signal leaves behind.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25 WORK="$work"
cat >"$work/DartConfiguration.tcl" <<END
SourceDirectory: $work
BuildDirectory: $work
MakeCommand: sh make.sh
END
echo 'add_test(ok "/bin/true")' >"$work/CTestTestfile.cmake"

# Builds by the commands of standard input; $status is the exit code. At midnight another tag
# would begin: nothing is left of a build but where the next one is to find it.
build() {
	rm -rf "$work/Testing"
	build_again "$@"
}
build_again() {
	cat >"$work/make.sh"
	{
		(cd "$work" && timeout 250 "${CCTR:?}" "$@" >"$work/out" 2>"$work/err" </dev/null)
		status=$?
	} 2>/dev/null
}
log() {
	cat "$work"/Testing/Temporary/LastBuild_*.log
}

# The build goes on when its progress is seen, or after a while.
build -T Build <<'END'
	head -c 3000 /dev/zero
	i=0
	while ! grep -q '^    [.][.][.]' "$WORK/out" && [ $i -lt 1200 ]; do
		sleep 0.05
		i=$((i + 1))
	done
	[ $i -lt 1200 ] && printf seen
END
check "progress is seen while the build runs" "$(is "$(log | tail -c 4)" seen)"

build -T Build <<'END'
	echo first
END
check "a build that ends leaves its log" "$(is "$status $(log)" "0 first")"

# What it waits for is part of the build, and ends with it.
build_again -T Build -T Test <<'END'
	echo second
	kill -9 $PPID
END
check "a killed cctr leaves the log of before" "$(is "$status $(log)" "137 first")"
check "and its Build.xml" "$(is "$(grep -c '</Site>' "$work"/Testing/*/Build.xml)" 1)"

# It has a second, which a slow machine may need for itself; that it is told: unit.command.
build -T Build -T Test <<'END'
	echo "a: error"
	# The shell would say that its sleep was terminated too.
	exec 2>/dev/null
	trap 'echo trapped; exit 1' TERM
	kill -TERM $PPID
	i=0
	while [ $i -lt 12000 ]; do sleep 0.05; i=$((i + 1)); done
	echo "not reached"
END
check "a signal ends cctr" "$(is "$status" 143)"
check "the build got the signal, and its log is kept" \
	"$(is "$(log | grep -vx trapped)" "a: error")"
check "there is no Build.xml" "$(ls "$work"/Testing/*/Build.xml 2>/dev/null)"
check "no temporary file is left" "$(find "$work" -name '*.tmp')"
check "no other step runs" "$(grep 'Test project' "$work/out")"

# A build is over when nobody holds its output.
build -T Build <<'END'
	(sleep 0.2; echo "late: error") &
	exit 0
END
check "the output of what a build left behind counts" "$(is "$(grep errors "$work/out")" \
	"   1 Compiler errors")"

build -T Build --overwrite UseLaunchers=ON <<'END'
	echo "why: error"
	exit 3
END
check "launchers that say nothing: the log stays" "$(is "$(log)" "why: error")"

echo 'set(CTEST_CUSTOM_MAXIMUM_NUMBER_OF_ERRORS 2)' >"$work/CTestCustom.cmake"
build -T Build --overwrite UseLaunchers=ON <<'END'
	for n in 3 1 2; do
		echo "<Failure>$n" >"$CTEST_LAUNCH_LOGS/error-$n.xml"
		touch -d "2020-01-0$n" "$CTEST_LAUNCH_LOGS/error-$n.xml"
	done
END
check "of too many launchers' errors the first are told" \
	"$(is "$(grep -oh '<Failure>.' "$work"/Testing/*/Build.xml | tr -d '\n')" \
		"<Failure>1<Failure>2")"
rm "$work/CTestCustom.cmake"

export CCTR_COMPAT_VERSION=4.4
build -T Build <<'END'
	exit 3
END
check "a build that fails adds nothing to the exit code" "$(is "$status" 0)"
check "4.4: both directories" "$(is \
	"$(grep -c 'SourceDirectory>\|BinaryDirectory>' "$work"/Testing/*/Build.xml)" 2)"

finish
