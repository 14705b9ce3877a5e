#!/bin/sh
# Which libraries a start maps, which ones are loaded later, and what cctr does where one of these
# cannot be loaded.
set -u
. tests/meta/tap.sh

needs ldd
needs readelf
own_folder
cctr=$(realpath "${CCTR:?}")
export CCTR_COMPAT_VERSION=4.3
unset LD_LIBRARY_PATH

# The libraries that cctr loads later, by the notes in the program.
noted=$(readelf -W -p .note.dlopen "$cctr" 2>/dev/null |
	sed -n 's/.*"soname":\["\([^"]*\)"\].*/\1/p' | sort)
mapped=$(ldd "$cctr")
yaml=$(echo "$noted" | grep yaml)
has() { case $noted in *"$1"*) true ;; *) false ;; esac; }

check "a start maps no library that few runs need" \
	"$(echo "$mapped" | grep -E 'lib(curl|expat|hwloc|pmix|sqlite3|udev|yaml|uv)' )"
check "a note names each library that this build loads" "$(
	for name in curl expat hwloc pmix sqlite yaml; do
		# "without libcurl", "libcurl 7.88.1"
		if "$cctr" --version=full | grep -qi "without \(lib\)\?$name"; then
			! has "lib$name" || echo "lib$name is noted"
		else
			has "lib$name" || echo "lib$name is not noted"
		fi
	done)"

cd "$work" || exit 1
mkdir broken
for name in $noted; do
	: >"broken/${name##*/}"
done
echo 'add_test(one /bin/true)' >CTestTestfile.cmake
printf '%s\n' "SourceDirectory: $work" "BuildDirectory: $work" "SubmitURL: http://127.0.0.1:1/x" \
	"Site: s" "BuildName: b" "SubmitInactivityTimeout: 5" >DartConfiguration.tcl
echo 'gpus: 2' >pool.yaml
without() { # words
	LD_LIBRARY_PATH=$work/broken "$cctr" "$@" 2>&1
	echo "exit $?"
}

if has libhwloc; then
	check "hwloc is loaded to look at the machine" "$(
		LD_DEBUG=files LD_DEBUG_OUTPUT=$work/loaded "$cctr" --show-resources >output 2>&1
		cat loaded.* | grep -q 'calling init:.*libhwloc' || echo "it is not")"
	check "without it, the processors and the memory are known" "$(
		"$cctr" --show-resources | sed -n '/^cpus/p' >expected
		without --show-resources >got
		is "$(sed -n '/^cpus/p' got)" "$(cat expected)"
		grep -q '^mem: 1$' got || cat got
		grep -q 'the topology of the machine could not be read' got || cat got
		is "$(tail -n 1 got)" "exit 0")"
fi
if has libyaml; then
	check "a pool in YAML" "$(is "$("$cctr" --resource-pool-file pool.yaml --show-resources | grep gpus)" \
		"gpus: 2")"
	check "without libyaml, it is refused" "$(
		without --resource-pool-file pool.yaml | grep -E '^(cctr|exit)' >got
		is "$(cat got)" "cctr: pool.yaml: cannot be read, since there is no $yaml
exit 8")"
fi
if has libsqlite3; then
	check "the history" "$(without >got
		find Testing -name 'cctr-history*'
		"$cctr" --history=on >got 2>&1 || cat got
		[ -s Testing/cctr-history.sqlite ] || ls Testing)"
	check "without SQLite, it is an error where it is asked for" "$(
		without --history=on | grep -E '^(cctr|exit)' >got
		is "$(cat got)" "cctr: --history=on: there is no $(echo "$noted" | grep sqlite)
exit 8")"
fi
if has libcurl; then
	check "a submission" "$(
		"$cctr" -T Start -T Submit 2>&1 | grep -q "there is no libcurl" && echo "no libcurl")"
	check "without libcurl, it fails" "$(
		without -T Start -T Submit >got
		grep -qx 'cctr: there is no libcurl to submit with' got || cat got
		! grep -qx 'exit 0' got || cat got)"
fi
cat >coverage.xml <<END
<coverage><packages><package name=""><classes><class filename="$work/CTestTestfile.cmake">
<lines><line number="1" hits="1"/></lines></class></classes></package></packages></coverage>
END
check "a report of Cobertura" "$("$cctr" -T Start -T Coverage >got 2>&1
	grep -q "Covered LOC: *1$" got || cat got)"
check "without Expat, the run ends" "$(without -T Start -T Coverage >got
	is "$(tail -n 2 got)" "cctr: there is no $(echo "$noted" | grep expat) to read XML with
exit 70")"
check "without all of them, tests run" "$(without | grep -E '^(100%|exit)' >got
	is "$(cat got)" "100% tests passed, 0 tests failed out of 1
exit 0")"
finish
