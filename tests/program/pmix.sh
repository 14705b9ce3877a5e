#!/bin/sh
# Tests that ask for leases by PMIx: libpmix's own client against the server of a run.
# shellcheck disable=SC2016,SC2154,SC3045
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
. tests/helpers/pmix.sh

own_folder
tree="$work/tree"
mkdir "$tree"
export work

# ---- without libpmix -------------------------------------------------------------------

if ! cctr_has_pmix; then
	echo 'add_test(one true)
set_tests_properties(one PROPERTIES CCTR_PMIX 1)' >"$tree/CTestTestfile.cmake"
	cctr --compat-version 4.3 >"$work/output" 2>&1
	check "without libpmix a test that needs it fails" "$(is "$?" 8
		grep -q 'cctr: test one cannot use PMIx: this cctr was built without libpmix' \
			"$work/output" || cat "$work/output")"
	cctr --compat-version 4.3 --pmix >"$work/output" 2>&1
	check "... and so does --pmix" "$(is "$?" 8
		grep -q -- '--pmix: this cctr was built without libpmix' "$work/output" ||
			cat "$work/output")"
	finish
	exit
fi
has_pmix_headers || skip_all "no headers of libpmix"
build_pmix_client "$work/client" || exit 1

# ---- the four examples of RFC 0005, and what a program can ask --------------------------

begin_tree() {
	rm -f "$work"/*.go "$work"/*.steps "$work"/said.*
	rm -rf "$tree/Testing"
	: >"$tree/CTestTestfile.cmake"
}
# A test that plays the steps of its standard input; what follows are properties.
declare_client() { # name properties...
	name=$1
	shift
	sed "s|GO/|$work/|g" >"$work/$name.steps"
	cat >>"$tree/CTestTestfile.cmake" <<END
add_test($name "/bin/sh" "-c" "exec \"$work/client\" <\"$work/$name.steps\" >\"$work/said.$name\" 2>&1")
set_tests_properties($name PROPERTIES CCTR_PMIX 1 TIMEOUT 1000 $*)
END
}
run() { # options
	cctr --compat-version 4.3 --resource cpus=8 --resource gpus=4 --resource ports=32000-32009 \
		--resource mem=1G "$@" >"$work/output" 2>&1
	status=$?
	[ $status -eq 0 ] || { echo "the run has failed: $status" && cat "$work/output"; }
}
# Plays one test alone, with four GPUs, of which it has the first, and a processor.
says() { # what expected; the steps on standard input
	begin_tree
	declare_client one 'RESOURCE_GROUPS gpus:1'
	check "$1" "$(run --resource-spec-file "$work/spec.json"
		is "$(cat "$work/said.one")" "$2")"
}
cat >"$work/spec.json" <<'END'
{"version": {"major": 1, "minor": 0}, "local": [{
 "network": [{"id": "eth0", "slots": 1000}, {"id": "ib0", "slots": 40000}],
 "nodes": [{"id": "n0"}, {"id": "n1"}, {"id": "n2"}, {"id": "n3"}]}]}
END

says "RFC: 1.386 Mbit/s of the network eth0" \
	"SUCCESS id=NS:x reqid=x cctr.alloc.status=granted net=[ netid=eth0 bw=2 ] \
cctr.alloc.network=id:eth0,slots:2
OUT-OF-RESOURCE" <<'END'
NEW reqid=x net[netid=eth0;bw=1.386]
NEW reqid=y net[netid=eth7;bw=1.386]
END
begin_tree
cat >"$work/two.json" <<'END'
{"version": {"major": 1, "minor": 0}, "local": [{
 "cpus": [{"id": "node1", "slots": 8}, {"id": "node2", "slots": 8}]}]}
END
declare_client one <<'END'
NEW reqid=x PMIX_CPUS[nlist=node1,node2;ncpulist=5,3]
NEW reqid=y PMIX_CPUS[nlist=node1,node2;ncpulist=5,3]!
NEW reqid=z PMIX_CPUS[nlist=node1,node2;ncpulist=5]
END
check "RFC: 5 processors of node1 and 3 of node2" "$(
	cctr --compat-version 4.3 --resource-spec-file "$work/two.json" >"$work/output" 2>&1
	is "$(cat "$work/said.one")" \
		"SUCCESS id=NS:x reqid=x cctr.alloc.status=granted ncpus=8 cpulist=node1,node2 \
cctr.alloc.cpus=id:node1,slots:5;id:node2,slots:3
OUT-OF-RESOURCE
BAD-PARAM")"
says "RFC: any 2 of 4 nodes are released" \
	"SUCCESS id=NS:x reqid=x cctr.alloc.status=granted nnodes=4 nlist=n0,n1,n2,n3 \
cctr.alloc.nodes=id:n0,slots:1;id:n1,slots:1;id:n2,slots:1;id:n3,slots:1
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted nnodes=2 nlist=n0,n1 \
cctr.alloc.nodes=id:n0,slots:1;id:n1,slots:1
BAD-PARAM" <<'END'
NEW reqid=x nnodes=4
RELEASE reqid=x nnodes=2
RELEASE reqid=x nnodes=3
END
# Rank 0 asks for nodes, rank 1 waits for the event, rank 2 asks how it went.
begin_tree
echo 'NEW nnodes=3 id=MYALLOCATION' >"$work/0.steps"
printf '%s\n' 'listen id=MYALLOCATION' "touch $work/listens.go" event >"$work/1.steps"
printf '%s\n' "await $work/said.go" 'query id=MYALLOCATION nspace=mine' >"$work/2.steps"
cat >"$work/ranks.sh" <<'END'
PMIX_RANK=1 "$work/client" <"$work/1.steps" >"$work/said.1" &
PMIX_RANK=2 "$work/client" <"$work/2.steps" >"$work/said.2" &
until [ -e "$work/listens.go" ]; do sleep 0.01; done
"$work/client" <"$work/0.steps" >"$work/said.0"
: >"$work/said.go"
wait
END
echo "add_test(ranks /bin/sh \"$work/ranks.sh\")
set_tests_properties(ranks PROPERTIES CCTR_PMIX 3 TIMEOUT 1000)" >"$tree/CTestTestfile.cmake"
granted='id=NS:MYALLOCATION cctr.alloc.status=granted nnodes=3 nlist=n0,n1,n2 cctr.alloc.nodes=id:n0,slots:1;id:n1,slots:1;id:n2,slots:1'
check "RFC: one process asks, one hears the end, one asks for the status" "$(
	run --resource-spec-file "$work/spec.json"
	is "$(cat "$work/said.0" "$work/said.1" "$work/said.2")" "SUCCESS $granted
SUCCESS
PMIX ALLOC OPERATION COMPLETE $granted
SUCCESS pmix.query.alloc=granted")"

# Each scenario: a title, its steps, a line of ">" for each answer.
scenario() { # title steps answers
	says "$1" "$3" <<END
$2
END
}
gpu1='gpus=id:1,slots:1'
scenario "extend: the test's own lease" 'EXTEND gpus=1' \
	"SUCCESS id=NS:own cctr.alloc.status=granted time=N cctr.alloc.gpus=id:0,slots:1;id:1,slots:1"
scenario "... by the id of a request" 'EXTEND reqid=more gpus=1
query reqid=more nspace=mine
EXTEND reqid=much gpus=9
query reqid=much nspace=mine' \
	"SUCCESS id=NS:own reqid=more cctr.alloc.status=granted time=N cctr.alloc.gpus=id:0,slots:1;id:1,slots:1
SUCCESS pmix.query.alloc=granted reqid=more
OUT-OF-RESOURCE
SUCCESS pmix.query.alloc=denied reqid=much"
scenario "... of another lease, by its id" 'NEW reqid=x gpus=1
EXTEND reqid=x gpus=1' "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.$gpu1
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:1,slots:1;id:2,slots:1"
scenario "... in time" 'EXTEND time=60
NEW reqid=x gpus=1 time=60
EXTEND reqid=x time=60' "SUCCESS id=NS:own cctr.alloc.status=granted time=N cctr.alloc.gpus=id:0,slots:1
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted time=N cctr.alloc.$gpu1
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted time=N cctr.alloc.$gpu1"
scenario "release all, and the id is free again" 'NEW reqid=x gpus=1
RELEASE reqid=x
query reqid=x nspace=mine
NEW reqid=x gpus=3' "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.$gpu1
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted
SUCCESS pmix.query.alloc=ended reqid=x
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:1,slots:1;id:2,slots:1;id:3,slots:1"
scenario "the id of a request that is not known is that of no lease" 'NEW reqid=x gpus=1
RELEASE reqid=a:x
query reqid=a:x nspace=mine
RELEASE reqid=x' "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.$gpu1
NOT-FOUND
SUCCESS pmix.query.alloc=unknown reqid=a:x
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted"
scenario "release for a time lends, reacquire gets it again" 'NEW reqid=x gpus=2
RELEASE reqid=x gpus=1 time=5
RELEASE reqid=x lend=0
REACQUIRE reqid=x
REACQUIRE reqid=x' "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:1,slots:1;id:2,slots:1
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.$gpu1
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:1,slots:1;id:2,slots:1
OUT-OF-RESOURCE"
scenario "what is not required is a wish beside what is" 'listen
NEW reqid=x gpus=1! ncpus=2
NEW reqid=y gpus=1! ncpus=100
event
event
EXTEND reqid=y' "SUCCESS
SUCCESS id=NS:x reqid=x cctr.alloc.status=granted ncpus=2 cpulist=1,2 cctr.alloc.cpus=id:1,slots:1;id:2,slots:1 cctr.alloc.$gpu1
PARTIAL SUCCESS
PMIX ALLOC OPERATION COMPLETE id=NS:x reqid=x cctr.alloc.status=granted ncpus=2 cpulist=1,2 cctr.alloc.cpus=id:1,slots:1;id:2,slots:1 cctr.alloc.$gpu1
PMIX ALLOC OPERATION COMPLETE id=NS:y reqid=y cctr.alloc.status=partial ncpus=5 cpulist=3,4,5,6,7 cctr.alloc.cpus=id:3,slots:1;id:4,slots:1;id:5,slots:1;id:6,slots:1;id:7,slots:1 cctr.alloc.gpus=id:2,slots:1
SUCCESS id=NS:y reqid=y cctr.alloc.status=granted ncpus=5 cpulist=3,4,5,6,7 cctr.alloc.cpus=id:3,slots:1;id:4,slots:1;id:5,slots:1;id:6,slots:1;id:7,slots:1 cctr.alloc.gpus=id:2,slots:1"
scenario "memory, certain processors, ports" 'NEW reqid=m msize=10.5
NEW reqid=c cpulist=2-3,6
NEW reqid=p net[netid=tcp1;endpts=2]' "SUCCESS id=NS:m reqid=m cctr.alloc.status=granted msize=11 cctr.alloc.mem=id:0,slots:11
SUCCESS id=NS:c reqid=c cctr.alloc.status=granted ncpus=3 cpulist=2,3,6 cctr.alloc.cpus=id:2,slots:1;id:3,slots:1;id:6,slots:1
SUCCESS id=NS:p reqid=p cctr.alloc.status=granted net=[ tcp1=32000,32001 ] cctr.alloc.ports=id:32000,slots:1;id:32001,slots:1"
scenario "a node by its name, without a number of processors" 'NEW reqid=x nlist=n2' \
	"SUCCESS id=NS:x reqid=x cctr.alloc.status=granted nnodes=1 nlist=n2 cctr.alloc.nodes=id:n2,slots:1"
scenario "resources as cctr alloc has them" 'NEW reqid=x resources=gpus@3:1,ports:1' \
	"SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:3,slots:1 net=[ netid=32000 ] cctr.alloc.ports=id:32000,slots:1"
scenario "what the pool does not have, or never" 'NEW reqid=a cctr.alloc.fpgas=1
NEW reqid=b gpus=5
NEW reqid=c gpus=4
NEW reqid=d ncpus=5000' "BAD-PARAM
OUT-OF-RESOURCE
OUT-OF-RESOURCE
OUT-OF-RESOURCE"
scenario "wrong values" 'NEW reqid=a ncpus=0
NEW reqid=b msize=-1
NEW reqid=c cpulist=3-1
NEW reqid=d cpulist=x
NEW reqid=e ncpulist=4
NEW reqid=f nlist=n1,
NEW reqid=g/h gpus=1
NEW reqid=i
NEW reqid=j net[netid=eth0,x;bw=1]' "BAD-PARAM
BAD-PARAM
BAD-PARAM
BAD-PARAM
BAD-PARAM
SUCCESS id=NS:f reqid=f cctr.alloc.status=granted nnodes=1 nlist=n1 cctr.alloc.nodes=id:n1,slots:1
BAD-PARAM
BAD-PARAM
BAD-PARAM"
scenario "an id that is in use" 'NEW reqid=x gpus=1
NEW reqid=x gpus=1' "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.$gpu1
OUT-OF-RESOURCE"
scenario "leases that are not there" 'RELEASE id=no
REACQUIRE id=no
CANCEL id=no
EXTEND id=no gpus=1
query reqid=no nspace=mine
query reqid=no' "NOT-FOUND
NOT-FOUND
NOT-FOUND
NOT-FOUND
SUCCESS pmix.query.alloc=unknown reqid=no
SUCCESS pmix.query.alloc=unknown"
scenario "a lease of another namespace" 'RELEASE id=other:x
query id=other:x' "NOT-FOUND
SUCCESS pmix.query.alloc=unknown"
scenario "an attribute that is not known counts only where it is required" 'NEW reqid=x gpus=1 queue=fast other=1
NEW reqid=y gpus=1 queue=fast!' "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.$gpu1
NOT-SUPPORTED"
scenario "other directives" '0 gpus=1
6 gpus=1
200 gpus=1' "NOT-SUPPORTED
NOT-SUPPORTED
NOT-SUPPORTED"
scenario "all leases" 'NEW reqid=x gpus=1
NEW reqid=y gpus=9
query nspace=mine' "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.$gpu1
OUT-OF-RESOURCE
SUCCESS id=NS:own pmix.query.alloc=granted id=NS:x pmix.query.alloc=granted id=NS:y pmix.query.alloc=denied"
scenario "a request without an id gets one" 'NEW gpus=1' \
	"SUCCESS id=NS:lease-1 cctr.alloc.status=granted cctr.alloc.$gpu1"

# ---- Help/guide/leases.rst ---------------------------------------------------------------

awk '/^\.\. code-block::/ { inside = $3 == "c"; next } inside && /^[^ ]/ { inside = 0 }
	inside { sub(/^  /, ""); print }' Help/guide/leases.rst >"$work/guide.c"
begin_tree
echo "add_test(grows \"$work/guide\")
set_tests_properties(grows PROPERTIES CCTR_PMIX 1 RESOURCE_GROUPS gpus:1)" >"$tree/CTestTestfile.cmake"
# shellcheck disable=SC2046 # they are words
check "the guide's program" "$("${CC:-cc}" $(pkg-config --cflags pmix) -o "$work/guide" "$work/guide.c" \
	$(pkg-config --libs pmix) 2>&1
	run -V
	is "$(sed -n 's/^1: \(a second\)/\1/p' "$work/output")" "a second GPU: id:1,slots:1")"

# ---- several tests ---------------------------------------------------------------------

# One test holds three GPUs; the other asks for two.
two_tests() { # steps of the second
	begin_tree
	declare_client holds <<'END'
NEW reqid=x gpus=3
touch GO/held.go
await GO/asked.go
RELEASE reqid=x
END
	declare_client asks
}
two_tests <<'END'
await GO/held.go
listen
start NEW reqid=y gpus=2
query reqid=y nspace=mine
touch GO/asked.go
finish
event
query reqid=y nspace=mine
END
check "a pending request is granted when another test releases" "$(run -j2
	is "$(cat "$work/said.asks")" "SUCCESS
SUCCESS pmix.query.alloc=pending reqid=y
SUCCESS id=NS:y reqid=y cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1
PMIX ALLOC OPERATION COMPLETE id=NS:y reqid=y cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1
SUCCESS pmix.query.alloc=granted reqid=y")"
two_tests <<'END'
await GO/held.go
listen
start NEW reqid=y gpus=2
start NEW reqid=z gpus=2
query reqid=z nspace=mine
CANCEL reqid=y
finish
CANCEL
finish
event
event
NEW reqid=w gpus=2 now=true
touch GO/asked.go
END
check "one pending request is canceled, then all" "$(run -j2
	is "$(cat "$work/said.asks")" "SUCCESS
SUCCESS pmix.query.alloc=pending reqid=z
SUCCESS id=NS:y reqid=y cctr.alloc.status=canceled
JOB CANCELED
SUCCESS cctr.alloc.status=canceled
JOB CANCELED
PMIX ALLOC OPERATION COMPLETE id=NS:y reqid=y cctr.alloc.status=canceled
PMIX ALLOC OPERATION COMPLETE id=NS:z reqid=z cctr.alloc.status=canceled
OUT-OF-RESOURCE")"
two_tests <<'END'
await GO/held.go
start NEW reqid=y gpus=2 time=1
query reqid=y nspace=mine
touch GO/asked.go
finish
touch GO/got.go
await GO/third.go
END
declare_client third TIMEOUT 60 <<'END'
await GO/got.go
NEW reqid=z gpus=4
touch GO/third.go
END
check "a lease that was pending ends after its time without a control socket, too" "$(run -j3 --control=off
	is "$(sed 's/ cctr.alloc.gpus.*//' "$work/said.third")" \
		"SUCCESS id=NS:z reqid=z cctr.alloc.status=granted")"
begin_tree
for name in a b; do
	other=$([ $name = a ] && echo b || echo a)
	declare_client $name <<END
NEW reqid=$name gpus=2
touch GO/$name.go
await GO/$other.go
NEW reqid=more gpus=1 waits=true
END
done
check "who both wait for what the other holds do not wait for ever" "$(run -j2
	is "$(cat "$work/said.a" "$work/said.b" | grep -c '^OUT-OF')" 1
	is "$(cat "$work/said.a" "$work/said.b" | grep -c 'reqid=more cctr.alloc.status=granted')" 1)"
two_tests <<'END'
await GO/held.go
query reqid=x
query id=x
touch GO/asked.go
END
check "the status by an id that one test has" "$(run -j2
	is "$(cat "$work/said.asks")" "SUCCESS pmix.query.alloc=granted reqid=x
SUCCESS pmix.query.alloc=granted")"

# ---- ends ------------------------------------------------------------------------------

begin_tree
declare_client dies <<'END'
NEW reqid=x gpus=2
start NEW reqid=y gpus=4
query reqid=y nspace=mine
die
END
declare_client after "DEPENDS dies" <<'END'
NEW reqid=z gpus=4
END
cctr --compat-version 4.3 --resource cpus=8 --resource gpus=4 >"$work/output" 2>&1
check "a client that is killed leaves nothing held" "$(is "$(cat "$work/said.after")" \
	"SUCCESS id=NS:z reqid=z cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1;id:2,slots:1;id:3,slots:1")"
begin_tree
declare_client again <<'END'
NEW reqid=x gpus=4
END
check "each attempt has a namespace of its own" "$(run --repeat until-fail:3
	is "$(cat "$work/said.again")" "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1;id:2,slots:1;id:3,slots:1"
	is "$(grep -c 'Passed' "$work/output")" 3)"

begin_tree
cat >"$work/forge.sh" <<'END'
PMIX_NAMESPACE=cctr-0123456789abcdef0123456789abcdef "$work/client" </dev/null
PMIX_RANK=7 "$work/client" </dev/null
env | sed -n 's/^\(PMIX_NAMESPACE\|PMIX_RANK\)=.*/\1/p' | sort
END
echo "add_test(forge /bin/sh \"$work/forge.sh\")" >"$tree/CTestTestfile.cmake"
check "with --pmix all tests may ask; another namespace or rank is refused" "$(
	run --pmix -V
	is "$(sed -n 's/^1: \(PMI\)/\1/p' "$work/output" | sed 's/: .*/: refused/')" "PMIx_Init: refused
PMIx_Init: refused
PMIX_NAMESPACE
PMIX_RANK")"
echo "add_test(none /bin/sh -c \"env | grep ^PMIX; test \$? = 1\")" >"$tree/CTestTestfile.cmake"
check "without it a test has none of the variables" "$(run -V
	is "$(grep '^1: PMIX' "$work/output")" "")"
echo 'add_test(one true)
set_tests_properties(one PROPERTIES CCTR_PMIX 0)' >"$tree/CTestTestfile.cmake"
cctr --compat-version 4.3 >"$work/output" 2>&1
check "the property is a number from 1 on" "$(
	grep -q 'is not a number of processes' "$work/output" || cat "$work/output")"
cat >"$work/many.py" <<'END'
import os, resource, sys
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
for _ in range(1100):
    os.set_inheritable(os.open("/dev/null", os.O_RDONLY), True)
os.execvp(sys.argv[1], sys.argv[1:])
END
begin_tree
declare_client one <<'END'
NEW reqid=x gpus=1
END
check "libpmix begins with few descriptors, however many cctr was left" "$(
	if [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -gt 1200 ]; then
		(cd "$tree" && python3 "$work/many.py" "$CCTR" --compat-version 4.3 --resource gpus=4 >"$work/output" 2>&1)
		is "$(cat "$work/said.one" "$work/output" 2>&1 | grep SUCCESS)" \
			"SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1"
	fi)"
echo 'add_test(one true)
set_tests_properties(one PROPERTIES CCTR_PMIX 1)' >"$tree/CTestTestfile.cmake"
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	(cd "$tree" && traced -qq -e signal=none -o /dev/null -e trace=vfork \
		-e inject=vfork:error=EAGAIN:when=1 "$CCTR" --compat-version 4.3) >"$work/output" 2>&1
	check "a test whose server cannot be started does not run" "$(is "$? $(
		grep -c 'one cannot use PMIx: the server cannot be started: resource temporarily unavailable' \
			"$work/output")" "8 1" || cat "$work/output")"
fi

# ---- tests on other nodes --------------------------------------------------------------

on_nodes() { # options
	run --launcher '{agent}' --nodes 'n[1-2]' "$@"
}
begin_tree
declare_client one 'RESOURCE_GROUPS gpus:1' <<'END'
listen
NEW reqid=x gpus=1
EXTEND reqid=x gpus=1
event
RELEASE reqid=x
NEW reqid=y gpus=9
query nspace=mine
RELEASE id=no
END
run --resource-spec-file "$work/spec.json"
here=$(cat "$work/said.one")
rm "$work/said.one"
check "a test on another node gets the same answers" "$(on_nodes --resource-spec-file "$work/spec.json" -V
	is "$(cat "$work/said.one")" "$here"
	is "$(grep -c SUCCESS "$work/said.one") $(grep -c '^1: Node: n[12]' "$work/output")" "5 1")"
rm "$work/said.one"
check "... also without a control socket" "$(on_nodes --resource-spec-file "$work/spec.json" --control=off
	is "$(cat "$work/said.one")" "$here")"

# Each needs all processors of its node. Then the holder kills its agent.
slots=$(nproc)
begin_tree
printf '%s\n' 'NEW reqid=x gpus=3' "touch $work/held.go" >"$work/holds.steps"
cat >"$work/holds.sh" <<'END'
"$work/client" <"$work/holds.steps" >>"$work/said.holds" 2>&1
mkdir "$work/once" 2>/dev/null || exit 0
until [ -e "$work/asked.go" ]; do sleep 0.01; done
kill -9 $PPID
END
echo "add_test(holds /bin/sh \"$work/holds.sh\")
set_tests_properties(holds PROPERTIES CCTR_PMIX 1 TIMEOUT 1000 PROCESSORS $slots)" >"$tree/CTestTestfile.cmake"
declare_client asks "PROCESSORS $slots" <<'END'
await GO/held.go
listen
start NEW reqid=y gpus=2
query reqid=y nspace=mine
touch GO/asked.go
finish
event
END
all="SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1;id:2,slots:1"
check "with its agent a test loses its leases, and others get them" "$(on_nodes -j$((2 * slots)) -V
	is "$(cat "$work/said.asks")" "SUCCESS
SUCCESS pmix.query.alloc=pending reqid=y
SUCCESS id=NS:y reqid=y cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1
PMIX ALLOC OPERATION COMPLETE id=NS:y reqid=y cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1"
	is "$(grep -c '^1: Test starts again: node n[12] was lost' "$work/output")" 1)"
check "... and the pool is whole for its next attempt" "$(is "$(cat "$work/said.holds")" "$all
$all")"

begin_tree
declare_client dies <<'END'
NEW reqid=x gpus=2
start NEW reqid=y gpus=4
query reqid=y nspace=mine
die
END
declare_client after "DEPENDS dies" <<'END'
NEW reqid=z gpus=4
END
on_nodes >/dev/null
check "a client that is killed there leaves nothing held" "$(is "$status $(cat "$work/said.after")" \
	"8 SUCCESS id=NS:z reqid=z cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1;id:2,slots:1;id:3,slots:1")"

# A node that has an empty file in the place of the library.
library=$(pkg-config --variable=libdir pmix)/libpmix.so.2
echo "mount --bind /dev/null '$library' && exec \"\$@\"" >"$work/hide"
begin_tree
echo 'add_test(needs true)
add_test(other true)
set_tests_properties(needs PROPERTIES CCTR_PMIX 1)' >"$tree/CTestTestfile.cmake"
if unshare -Urm sh "$work/hide" true 2>/dev/null; then
	# The server has ended before it is asked anything, too.
	slowly=
	if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
		slowly='strace -qq -e signal=none -o /dev/null -e trace=vfork -e inject=vfork:delay_exit=300000'
	fi
	for how in '' "$slowly"; do
		run --nodes n1 --launcher "unshare -Urm sh $work/hide $how {agent}" >/dev/null
		check "on a node without libpmix a test that needs it fails, and no other" "$(is $status 8
			is "$(grep 'PMIx' "$work/output")" "cctr: test needs cannot use PMIx: node n1: libpmix cannot be loaded"
			is "$(grep -c 'other .*Passed' "$work/output") $(grep -c 'needs .*Not Run' "$work/output")" "1 1" ||
				cat "$work/output")"
	done
else
	check "on a node without libpmix a test that needs it fails # SKIP no mounts of one's own" ""
fi

# ---- the process of the server ---------------------------------------------------------

# It is a child of the run, or of the run's agent; its folder goes with them.
server() { # run
	ps -eo pid=,ppid=,args= | awk -v run="$1" '$2 == run { child[$1] } / --pmix-host / { parent[$1] = $2 }
		END { for (i in parent) if (parent[i] == run || parent[i] in child) print i }'
}
end_servers() { # where options
	where=$1
	shift
	begin_tree
	declare_client first <<'END'
NEW reqid=x gpus=1
touch GO/first.go
await GO/killed.go
die
END
	declare_client second "DEPENDS first" <<'END'
NEW reqid=x gpus=4
END
	mkdir -p "$work/tmp"
	(cd "$tree" && TMPDIR="$work/tmp" exec "$CCTR" --compat-version 4.3 --resource cpus=8 \
		--resource gpus=4 "$@" >"$work/output" 2>&1) &
	run=$!
	for _ in $(seq 6000); do [ -e "$work/first.go" ] && break; sleep 0.01; done
	kill -9 "$(server $run)"
	: >"$work/killed.go"
	wait $run
	check "a server that is killed takes no run with it; the next test has another one$where" "$(
		is "$(cat "$work/said.second")" "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1;id:2,slots:1;id:3,slots:1"
		is "$(grep -c 'granted' "$work/said.first")" 1)"
	check "... and nothing is left" "$(ls "$work/tmp")"

	# It is stopped when the second test wants to start: a limit holds all the same.
	begin_tree
	rm -f "$work/events"
	declare_client first <<'END'
touch GO/first.go
await GO/stopped.go
die
END
	declare_client second "DEPENDS first" <<'END'
NEW reqid=x gpus=4
END
	cat >>"$tree/CTestTestfile.cmake" <<'END'
add_test(limited "/bin/sleep" "1000")
set_tests_properties(limited PROPERTIES TIMEOUT 1)
END
	(cd "$tree" && TMPDIR="$work/tmp" exec "$CCTR" --compat-version 4.3 --resource cpus=8 \
		--resource gpus=4 "$@" -j3 --events "$work/events" >"$work/output" 2>&1) &
	run=$!
	for _ in $(seq 6000); do [ -e "$work/first.go" ] && break; sleep 0.01; done
	pid=$(server $run)
	kill -STOP "$pid"
	: >"$work/stopped.go"
	for _ in $(seq 6000); do grep -q '"end".*"limited"' "$work/events" && break; sleep 0.01; done
	state=$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status")
	kill -CONT "$pid"
	wait $run
	check "a server that is stopped holds up no limit$where" "$(is "$? $state" "8 T"
		is "$(cat "$work/said.second")" "SUCCESS id=NS:x reqid=x cctr.alloc.status=granted cctr.alloc.gpus=id:0,slots:1;id:1,slots:1;id:2,slots:1;id:3,slots:1")"
	rm -f "$work"/*.go
	(cd "$tree" && TMPDIR="$work/tmp" exec "$CCTR" --compat-version 4.3 --resource cpus=8 \
		--resource gpus=4 "$@" >"$work/output" 2>&1) &
	run=$!
	for _ in $(seq 6000); do [ -e "$work/first.go" ] && break; sleep 0.01; done
	pid=$(server $run)
	kill -9 $run
	wait $run 2>/dev/null
	for _ in $(seq 6000); do [ -e "/proc/$pid/exe" ] || break; sleep 0.01; done
	: >"$work/stopped.go"
	check "with cctr its server ends$where" "$([ -n "$pid" ] || echo "there was none"
		[ ! -e "/proc/$pid/exe" ] || echo "$pid lives")"
	(cd "$tree" && TMPDIR="$work/tmp" "$CCTR" --compat-version 4.3 --resource cpus=8 --resource gpus=4 \
		>"$work/output" 2>&1)
	check "... and the next run removes its folder" "$(ls "$work/tmp")"
}
end_servers ''
end_servers ', on a node' --launcher '{agent}' --nodes n1
finish
