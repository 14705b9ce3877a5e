#!/usr/bin/env bash
# From a bare clone on Debian 12 to a program that ran a real project's tests, or to cctr's
# own tests. As root or with sudo; nothing but Debian's packages is fetched; what is there
# already is not done again.
set -euo pipefail

usage() {
	cat <<'END'
usage: cmake/bootstrap.sh run     install what is needed, build cctr into build/release, build a
                                  real project from Debian's sources and run its tests
       cmake/bootstrap.sh test    install what the tests need, build a release and run cctr's tests
                                  with it, all but those that take long
       cmake/bootstrap.sh check   install the same, and run these and the tests in further builds: clang
                                  without the optional libraries, by cctr, and gcc with sanitizers
environment: CCTR_JOBS (default: number of processors)
END
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${CCTR_JOBS:-$(nproc)}
build_packages=(gcc libc6-dev cmake ninja-build pkg-config
	libuv1-dev libcjson-dev libpcre2-dev libexpat1-dev zlib1g-dev libhwloc-dev
	libyaml-dev libsqlite3-dev libcurl4-openssl-dev libpmix-dev)
# The real project and the small ones.
project_packages=(g++ make dpkg-dev libgtest-dev googletest catch2)
test_packages=(lintian zsh fish clang libclang-rt-14-dev clang-format libcmocka-dev perl binutils git
	subversion mercurial cvs bzr python3 python3-docutils shellcheck
	libxml2-utils openssl strace tmux valgrind elfutils)
# What starts agents on other hosts, for the further tests. Grid Engine's packages need a mail server.
cluster_packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins
	gridengine-master gridengine-exec gridengine-client openssh-server openssh-client)

step() {
	printf '\n==> %s\n' "$*"
}

fail() {
	printf 'bootstrap: %s\n' "$*" >&2
	exit 1
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# What a command says is shown only when it fails.
quietly() {
	local log

	log=$(mktemp)
	"$@" >"$log" 2>&1 || {
		cat "$log" >&2
		rm -f "$log"
		fail "this did not work: $*"
	}
	rm -f "$log"
}

# Only what is missing, so that a second call needs no network.
install_packages() {
	local package missing=()

	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null |
			grep -qx installed || missing+=("$package")
	done
	if [ ${#missing[@]} -eq 0 ]; then
		return
	fi
	[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
		fail "these need root or sudo to be installed: ${missing[*]}"
	step "installing ${missing[*]}"
	quietly as_root apt-get -q update
	quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}"
}

# Debian starts the services of packages, unless this file forbids it: the tests start their own.
# What cannot be installed is skipped by them.
install_clusters() (
	forbid=/usr/sbin/policy-rc.d

	if [ ! -e "$forbid" ]; then
		printf '#!/bin/sh\nexit 101\n' | as_root install -m 755 /dev/stdin "$forbid"
		trap 'as_root rm -f "$forbid"' EXIT
	fi
	install_packages "${cluster_packages[@]}"
)

# A preset's build, with further settings.
build() {
	local preset=$1
	shift

	step "building cctr: $preset"
	quietly cmake -S "$root" --preset "$preset" "$@"
	cmake --build "$root/build/$preset" -j "$jobs"
}

# configure_and_build SOURCE BUILD [settings]
configure_and_build() {
	local source=$1 tree=$2
	shift 2

	quietly cmake -S "$source" -B "$tree" -G Ninja "$@"
	quietly cmake --build "$tree" -j "$jobs"
}

# A project that many use, with a suite of its own, into build/real/cjson-build.
real_project() {
	local source

	step "a real project: Debian's source of cjson"
	source=$("$root/cmake/debian_source.sh" cjson "$1")
	echo "$source"
	configure_and_build "$source" "$1/cjson-build" -DENABLE_CJSON_TEST=ON
}

# Some of their tests are made to fail, so that what counts is that cctr ends as ctest does.
small_project() {
	local name expected=0 got=0 tree cctr=$2

	name=$(basename "$1")
	tree=$3/$name-build
	configure_and_build "$1" "$tree" >"$tree.build.log" 2>&1 || fail "no build: see $tree.build.log"
	(cd "$tree" && ctest -j2) >"$tree.ctest.log" 2>&1 || expected=$?
	(cd "$tree" && "$cctr" -j2) >"$tree.cctr.log" 2>&1 || got=$?
	[ "$got" -eq "$expected" ] ||
		fail "tests/projects/$name: cctr ended with $got, ctest with $expected: see $tree.cctr.log"
	echo "tests/projects/$name: cctr ends with $got, as ctest does"
}

# The real project comes last, so that its run is what is seen.
run() {
	local cctr=$root/build/release/cctr real=$root/build/real project

	mkdir -p "$real"
	install_packages "${build_packages[@]}" "${project_packages[@]}"
	build release -DBUILD_TESTING=OFF

	step "small projects, some of whose tests are made to fail"
	for project in "$root"/tests/projects/*/CMakeLists.txt; do
		small_project "$(dirname "$project")" "$cctr" "$real"
	done
	real_project "$real"
	echo "+ cctr -j2        (in $real/cjson-build)"
	(cd "$real/cjson-build" && "$cctr" -j2)
	step "done: $cctr"
}

# The programs that take longest, the longest first, so that none of them is left alone at the end.
# Those that mostly wait, for batch systems, agents and limits, are among those that compute.
longest=(conformance-upstream faults-nodes conformance-beside_4.3.1 conformance-grid_engine
	conformance-beside_4.0.2 faults-grid_nodes conformance-beside_4.1.1 conformance-slurm
	conformance-beside_3.29.3 misbehaving-table conformance-beside_3.31.1 program-pilots
	faults-descriptors conformance-grid_engine_differential conformance-agents
	conformance-slurm_differential conformance-beside_cdash program-grid_engine_jobs
	conformance-instrumentation program-grid_engine_lost conformance-dashboards
	program-grid_engine_master conformance-selftest program-grid_engine conformance-update
	conformance-random_testfiles conformance-three_way conformance-submit conformance-scripts
	conformance-regex
	unit-engine_remote conformance-differential program-alloc conformance-projects faults-strace
	conformance-instrumented_builds program-agent_faults load-large conformance-memcheck
	program-batch conformance-options conformance-pathologies program-control conformance-build_step
	conformance-real_projects program-whole_nodes conformance-processes
	conformance-agents_differential conformance-build_and_test sim-properties conformance-output
	conformance-random_builds program-shortage conformance-coverage program-package
	conformance-ends program-guides faults-preload conformance-presets_evaluated meta-shell sim-host
	sim-nodes sim-scheduler conformance-manifests program-unreadable program-html unit-text_queue
	meta-headers program-no_memory program-console)

# They take more than half of the time of all tests, without those beside other releases and servers.
thorough=(conformance-agents conformance-agents_differential conformance-beside_cdash
	conformance-build_and_test conformance-build_step conformance-dashboards conformance-differential
	conformance-instrumentation conformance-instrumented_builds conformance-memcheck
	conformance-pathologies conformance-projects conformance-random_build_and_test
	conformance-random_builds conformance-random_checks conformance-random_coverage
	conformance-random_scripts conformance-random_testfiles conformance-regex
	conformance-scripts conformance-selftest conformance-submit conformance-three_way
	conformance-update conformance-upstream faults-descriptors faults-entropy faults-leases
	faults-preload faults-signals faults-strace load-large meta-headers meta-shell misbehaving-table
	program-agent_faults program-batch program-console program-control program-deep_folders
	program-guides program-hang_report program-html program-no_memory program-package program-pmix
	program-script_endless program-shortage program-whole_nodes)

# Without the lines that are wrappers of these programs.
leave_out() {
	grep -vE "/($(IFS='|' && echo "$*"))\.t$"
}

# The wrappers, one a line, those of the longest programs first.
longest_first() {
	printf '%s\n' "${longest[@]}" -- "$@" | awk -F/ '
		$0 == "--" { listed = 1; next }
		!listed { rank[$0 ".t"] = ++last; next }
		{ print ($NF in rank ? rank[$NF] : last + 1) "\t" $0 }' | sort -s -n -k 1,1 | cut -f 2
}

# Wrappers that failed, by the summary of prove in a log.
failed_wrappers() {
	sed -n '/^Test Summary Report/,$ s/^\(\/.*\.t\) *(Wstat.*/\1/p' "$1"
}

# Runs programs with TAP::Harness, so many at a time; what it says is added to a log.
prove_wrappers() {
	local log=$1 at_a_time=$2
	shift 2

	prove --exec sh --failures --comments --timer -j "$at_a_time" "$@" 2>&1 | tee -a "$log"
}

# A machine that stands still for a minute, or that others use, makes a limit pass that no test should
# reach. So a few programs that failed run again, alone. One that passes then is flaky: it is named at the
# end of all jobs. A defect that does not depend on time fails again, since random cases have a seed.
passes_again() {
	local log=$1 wrappers
	mapfile -t wrappers < <(failed_wrappers "$log")

	[ ${#wrappers[@]} -gt 0 ] && [ ${#wrappers[@]} -le 6 ] || return 1
	step "again, one at a time"
	prove_wrappers "$log.again" 1 "${wrappers[@]}" || return 1
	flaky+=("${wrappers[@]}")
}

# prove_some TITLE PRESET globs of wrappers, less those of the programs in without. A failure is
# remembered in failed, and what was said of it in its log; the other jobs still run. Two
# run at a time for each processor, since tests wait, too.
prove_some() {
	local title=$1 preset=$2 log=$root/build/$2/prove-${1//[^[:alnum:]]/_}.log wrappers=() glob
	shift 2

	step "$title"
	for glob in "$@"; do
		# shellcheck disable=SC2206 # the glob is meant
		wrappers+=("$root/build/$preset/t"/$glob.t)
	done
	mapfile -t wrappers < <(longest_first "${wrappers[@]}" | leave_out "${without[@]:-none}")
	rm -f "$log" "$log.again"
	prove_wrappers "$log" $((2 * jobs)) "${wrappers[@]}" && return
	failed_logs+=("$log")
	passes_again "$log" || failed+=("$title")
}

# run_by_cctr TITLE PRESET LABELS: the release build's cctr runs tests of a build. What failed runs again,
# as with prove.
run_by_cctr() {
	local title=$1 tree=$root/build/$2
	local failures=$tree/Testing/Temporary/LastTestsFailed.log
	local cctr=("$root/build/release/cctr" --test-dir "$tree" --output-on-failure --no-tests=error)

	step "$title"
	rm -f "$failures"
	"${cctr[@]}" -j $((2 * jobs)) -L "$3" && return
	if [ -s "$failures" ] && step "again, one at a time" && "${cctr[@]}" --rerun-failed; then
		flaky+=("$title")
	else
		failed+=("$title")
	fi
}

# After all jobs, so that it is not searched for.
show_failures() {
	local log

	for log in "${failed_logs[@]}"; do
		step "what failed: $log"
		awk '/^Test Summary Report/ { summary = 1 }
			/^not ok/ { shown = 60 }
			/(\.\.) *$|^ok( |$)/ { shown = 0 }
			summary || shown-- > 0' "$log"
	done
}

install_for_tests() {
	install_packages "${build_packages[@]}" "${project_packages[@]}" "${test_packages[@]}"
}

# Ends with failure if one of the jobs that ran has failed.
end_jobs() {
	show_failures
	[ ${#flaky[@]} -eq 0 ] ||
		step "flaky, passed when run again alone:$(printf '\n  %s' "${flaky[@]}")"
	[ ${#failed[@]} -eq 0 ] || fail "failed: $(printf '\n  %s' "${failed[@]}")"
	step "$1"
}

run_tests() {
	local real=$root/build/real
	local failed=() flaky=() failed_logs=() without=("${thorough[@]}")

	mkdir -p "$real"
	install_for_tests
	real_project "$real"
	step "a real project: the samples of GoogleTest"
	configure_and_build "$root/tests/projects/gtest_samples" "$real/gtest_samples-build"
	build release -DBUILD_TESTING=ON
	# The other releases of ctest and batch systems are for the further tests.
	CCTR_REAL_PROJECTS="$real/cjson-build $real/gtest_samples-build" CCTR_RELEASES_COUNT=0 \
		CCTR_DIFFERENTIAL_COUNT=1000 CCTR_CLUSTERS=0 prove_some "release: the tests" release '*'
	end_jobs "the tests passed"
}

run_further_tests() {
	local own=('unit-*' 'sim-*' 'fuzz-*') preset
	local failed=() flaky=() failed_logs=() without=()

	install_for_tests
	install_clusters || step "without some batch systems"
	for preset in release clang asan; do
		build "$preset" -DBUILD_TESTING=ON
	done
	# Each case of plain runs beside one of the five releases, others for each commit.
	CCTR_RELEASES_COUNT=250 CCTR_RELEASES_SHARE=20 CCTR_DIFFERENTIAL_COUNT=1000 \
		prove_some "release: the tests that take long, and on real batch systems" \
		release "${thorough[@]}" 'conformance-beside_[0-9]*' 'program-slurm*' 'program-grid_engine*' \
		program-pilots program-spill_over program-agents_ssh 'conformance-slurm*' \
		'conformance-grid_engine*' faults-nodes faults-grid_nodes
	# The random cases ran whole with the release build; in these they cost several times as much, and
	# each commit has others.
	export CCTR_SIM_PLANS=10000 CCTR_REGEX_COUNT=5000 CCTR_REGEX_PAIRS=1000 CCTR_SIM_SEED
	CCTR_SIM_SEED=$(PYTHONPATH=$root/tests/conformance python3 -B -c 'import seeds; print(seeds.of_checkout())')
	run_by_cctr "clang, without the optional libraries: unit tests, simulations, fuzz corpus, by cctr" \
		clang '^(unit|sim|fuzz)$'
	# The selftest is about the tests, and most of what the package's test runs is cpack and lintian.
	without=(conformance-selftest conformance-three_way conformance-upstream conformance-beside_cdash
		program-package)
	CCTR_DIFFERENTIAL_COUNT=250 CCTR_RELEASES_COUNT=0 CCTR_CLUSTERS=0 \
		prove_some "address and undefined sanitizers: the same, and beside ctest" \
		asan "${own[@]}" 'program-*' 'conformance-*'
	end_jobs "all further tests passed"
}

case ${1:-} in
run) run ;;
test) run_tests ;;
check) run_further_tests ;;
-h | --help) usage ;;
*)
	usage >&2
	exit 2
	;;
esac
