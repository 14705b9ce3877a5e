#!/bin/sh
# Pools from the command line and from files: what --show-resources prints, that its JSON is a
# spec file for stock ctest too, and what a test sees of its share.
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25
cat >"$work/CTestTestfile.cmake" <<'END'
add_test(pair sh -c "env >pair.said")
set_tests_properties(pair PROPERTIES RESOURCE_GROUPS "2,gpus:1" ENVIRONMENT "IDS=<%(gpu_ids)s>")
add_test(large sh -c "env >large.said")
set_tests_properties(large PROPERTIES RESOURCE_GROUPS "gpus:4")
END
cd "$work" || exit 1

# The type of the pool, without what this machine has besides.
gpus() {
	"$CCTR" --show-resources "$@" 2>&1 | sed -n '/^gpus/,/^[^ g]/{/^gpus/p;/^ /p;}'
}
said() { sed -n "s/^$2=//p" "$1.said"; }

check "--resource" "$(is "$(gpus --resource gpus=2:3)" "gpus: 2
  0: 3 slots
  1: 3 slots")"
check "--oversubscribe" "$(is "$(gpus --resource gpus=1:3 --oversubscribe gpus=2)" "gpus: 1
  0: 6 slots")"

cat >pool.yaml <<'END'
resource_pool:
  nodes:
  - id: "0"
    resources:
      gpus: [{id: "7", slots: 2}]
END
check "a pool file with nodes" "$(is "$(gpus --resource-pool-file pool.yaml)" "gpus: 1
  7: 2 slots")"
echo 'gpus: 2' >short.yaml
check "a short pool file" "$(is "$(gpus --resource-pool-file short.yaml)" "gpus: 2
  0: 1 slot
  1: 1 slot")"
check "--resource goes before a file" \
	"$(is "$(gpus --resource-pool-file pool.yaml --resource gpus=1:5)" "gpus: 1
  0: 5 slots")"

"$CCTR" --show-resources=json --resource gpus=2:4 >spec.json 2>errors
check "JSON without errors" "$(cat errors)"
for program in "$CCTR" ctest; do
	command -v "$program" >/dev/null || continue
	rm -f ./*.said
	"$program" --resource-spec-file spec.json >output 2>&1 || cat output
	check "its JSON as a spec file of $(basename "$program")" \
		"$(is "$(said pair CTEST_RESOURCE_GROUP_COUNT)$(said large CTEST_RESOURCE_GROUP_0_GPUS)" \
			"2id:0,slots:4")"
done

rm -f ./*.said
"$CCTR" --resource gpus=2:4 --resource-environment=cctr >output 2>&1 || cat output
check "placeholders and CCTR_GPUS_IDS" \
	"$(is "$(said pair IDS) $(said pair CCTR_GPUS_IDS)" "<0,1> 0,1")"

cat >CMakePresets.json <<'END'
{"version": 3, "configurePresets": [{"name": "c", "generator": "Ninja", "binaryDir": "${sourceDir}"}],
 "testPresets": [{"name": "t", "configurePreset": "c", "environment": {"OF_PRESET": "%(gpu_ids)s"}}]}
END
OF_SESSION="<%(gpus_ids)s>" "$CCTR" --preset t --resource gpus=2:4 >output 2>&1 || cat output
check "placeholders of the session and of presets" "$(is "$(said pair OF_SESSION) $(said pair OF_PRESET)" "<0,1> 0,1")"
rm CMakePresets.json

"$CCTR" --resource gpus=1:2 --insufficient-resources=skip >output 2>&1
check "--insufficient-resources=skip" "$(is "$? $(grep -c 'Skipped  ' output)" "0 1")"
cat >CTestTestfile.cmake <<'END'
add_test(setup "/bin/sh" "-c" "touch setup.ran")
set_tests_properties(setup PROPERTIES FIXTURES_SETUP f RESOURCE_GROUPS "2,gpus:1")
add_test(second "/bin/sh" "-c" "touch second.ran")
set_tests_properties(second PROPERTIES FIXTURES_REQUIRED f FIXTURES_SETUP g)
add_test(user "/bin/sh" "-c" "touch user.ran")
set_tests_properties(user PROPERTIES FIXTURES_REQUIRED g PASS_REGULAR_EXPRESSION ".*")
add_test(both "/bin/sh" "-c" "touch both.ran")
set_tests_properties(both PROPERTIES FIXTURES_REQUIRED "f;h")
add_test(fails "/bin/sh" "-c" "exit 1")
set_tests_properties(fails PROPERTIES FIXTURES_SETUP h)
add_test(after "/bin/sh" "-c" "touch after.ran")
set_tests_properties(after PROPERTIES DEPENDS setup)
add_test(typo "/bin/sh" "-c" "touch typo.ran")
set_tests_properties(typo PROPERTIES RESOURCE_GROUPS "gpu:1")
END
"$CCTR" --resource gpus=1 --insufficient-resources=skip -E "both|fails|typo" >output 2>&1
check "a test whose setup was skipped is skipped" "$(is \
	"$? $(echo ./*.ran) $(sed -n 's/^\t *[0-9]* - \(.*\) (Skipped)/\1/p' output | tr '\n' ' ')" \
	"0 ./after.ran setup second user ")"
check "... which the log says" "$(is "$(grep '^Insufficient' Testing/Temporary/LastTest.log)" \
	"Insufficient resources for test setup:
Insufficient resources for test dependencies: setup
Insufficient resources for test dependencies: second")"
"$CCTR" --resource gpus=1 --insufficient-resources=skip -R both >output 2>&1
check "a failed setup counts more than a skipped one" "$(is \
	"$? $(grep -c '^Failed test dependencies: fails$' output) $([ -e both.ran ] && echo ran)" "8 1 ")"
"$CCTR" --resource gpus=0 --insufficient-resources=skip -R typo >output 2>errors
check "a type that no pool has is an error" "$(is \
	"$? $(grep -c 'Not Run' output) $(grep 'did you' errors)" "8 2 \
  Test requested resources of type 'gpu' which does not exist; did you mean 'gpus'?")"

sed -i 's/"gpu:1"/"2,licences:1;licences:3"/' CTestTestfile.cmake
"$CCTR" --resource gpus=1 -R typo >output 2>errors
check "... and cctr says by which option there would be one" "$(is "$? $(grep 'consider' errors)" "8 \
  Test requested resources of type 'licences' which does not exist; consider --resource licences=3:3")"

"$CCTR" --resource gpus=1:2 >output 2>&1
check "by default such tests fail" "$(is "$?" 8)"
"$CCTR" --resource gpus=4294967297 >output 2>&1
check "a count out of range" \
	"$(is "$? $(cat output)" "1 CMake Error: '--resource' given invalid value 'gpus=4294967297'")"

# Of cctr's pools every test takes as many cpus as PROCESSORS says.
cat >CTestTestfile.cmake <<'END'
add_test(one sh -c "env >one.said")
add_test(two sh -c "env >two.said")
set_tests_properties(two PROPERTIES PROCESSORS 2)
add_test(groups sh -c "env >groups.said")
set_tests_properties(groups PROPERTIES PROCESSORS 3 RESOURCE_GROUPS "cpus:1;gpus:1")
add_test(many sh -c "env >many.said")
set_tests_properties(many PROPERTIES PROCESSORS 99)
END
cpus() {
	for name in one two groups many; do
		said $name CCTR_CPUS_IDS | tr ',' '\n' | grep -c .
		said $name CTEST_RESOURCE_GROUP_COUNT
	done | tr '\n' ' '
}
"$CCTR" --resource cpus=4 --resource gpus=1 >output 2>&1 || cat output
check "tests know their slots" "$(is "$(said groups CCTR_CPUS_SLOTS) $(said many CCTR_CPUS_SLOTS)" "3 4")"
check "tests know their cpus" "$(is "$(cpus)" "1 0 2 0 3 2 4 0 ")"
cat >spec.json <<'END'
{"version": {"major": 1, "minor": 0}, "local": [{"cpus": [{"id": "0"}], "gpus": [{"id": "0"}]}]}
END
"$CCTR" --resource-spec-file spec.json --resource-environment=cctr >output 2>&1 || cat output
check "cpus of a specification file are taken by groups alone" "$(is "$(cpus)" "0 0 0 0 1 2 0 0 ")"
"$CCTR" --resource cpus=0 -R one >output 2>&1
check "no test runs without a processor" "$(is "$? $(grep -c 'Not Run' output)" "8 2")"

# Forms of --resource.
check "-r" "$(is "$(gpus -r gpus=2:3)" "$(gpus --resource gpus=2:3)")"
check "TYPE:N" "$(is "$(gpus -r gpus:2:3)" "$(gpus --resource gpus=2:3)")"
check "the singular of a type" "$(is "$(gpus -r gpu=2 --oversubscribe gpu=3)" \
	"$(gpus -r gpus=2:3)")"
check "canary's slots_per_gpus" "$(is "$(gpus -r gpus=2 -r slots_per_gpus=3)" \
	"$(gpus -r gpus=2:3)")"
check "an amount of memory" "$(is "$("$CCTR" --show-resources -r mem=2G | tail -n2)" "mem: 1
  0: 2048 slots")"
cat >CTestTestfile.cmake <<'END'
add_test(fits sh -c "true")
set_tests_properties(fits PROPERTIES RESOURCE_GROUPS "mem:1G;mem:1024M")
add_test(large sh -c "true")
set_tests_properties(large PROPERTIES RESOURCE_GROUPS "mem:2049M")
add_test(typo sh -c "true")
set_tests_properties(typo PROPERTIES ENVIRONMENT "CUDA_VISIBLE_DEVICES=%(gpuz_ids)s")
END
"$CCTR" -r mem=2G >output 2>errors
check "tests take amounts of memory" "$(is "$? $(sed -n 's/^.*Test *#[0-9]: \([a-z]*\) [. *]*\([A-Z][a-z]*\).*/\1 \2/p' output | tr '\n' ' ')" \
	"8 fits Passed large Not typo Not ")"
check "a placeholder for an unknown type" "$(is "$(grep '^cctr:' errors)" \
	"cctr: the environment of test typo has %(gpuz_ids)s, but the pool has no such type")"
cat >CTestTestfile.cmake <<'END'
add_test(one sh -c "env >one.said")
add_test(groups sh -c "env >groups.said")
set_tests_properties(groups PROPERTIES PROCESSORS 3 RESOURCE_GROUPS "cpus:1;gpus:1")
END

# Other members of instances.
cat >members.json <<'END'
{"version": {"major": 1, "minor": 0}, "local": [{"gpus": [
  {"id": "0", "port": 4711, "properties": {"bus": "01"}, "list": []}]}]}
END
"$CCTR" --resource-spec-file members.json --resource-environment=cctr -r cpus=3 -R groups >output 2>&1
check "members of instances" "$(is "$(said groups CCTR_GPUS_PROPERTY_PORT) $(
	said groups CCTR_GPUS_PROPERTY_BUS) $(said groups CCTR_GPUS_PROPERTY_LIST)" "4711 01 ")"

# In a session with some of the GPUs.
seen() {
	CUDA_VISIBLE_DEVICES=$1 CCTR_GPUS_IDS=outer CCTR_GPUS_SLOTS=outer CANARY_CPU_IDS=outer "$CCTR" --resource gpus=2 \
		--gpu-visible -R "groups|one" --resource cpus=3 >output 2>&1 || cat output
	echo "$(said groups CUDA_VISIBLE_DEVICES) $(said one CUDA_VISIBLE_DEVICES) $(
		said one CCTR_GPUS_IDS)$(said one CCTR_GPUS_SLOTS)$(said one CANARY_CPU_IDS)"
}
check "ids are devices of the session" "$(is "$(seen 0,1)" "0 0,1 ")"
check "... in their order" "$(is "$(seen 5,4)" "5 5,4 ")"
check "... or parts of a GPU" "$(is "$(seen MIG-a,MIG-b)" "MIG-a MIG-a,MIG-b ")"
cat >parts.yaml <<'END'
resources:
  gpus:
  - {id: "0", properties: {vendor: nvidia, uuid: MIG-c6d4f1ef-42e4}}
  - {id: "1", properties: {vendor: nvidia, uuid: MIG-cba663e8-9bed}}
END
"$CCTR" --resource-pool-file parts.yaml --gpu-visible -R groups --resource cpus=3 >output 2>&1 || cat output
check "... which a file may name" "$(is "$(said groups CUDA_VISIBLE_DEVICES)" MIG-c6d4f1ef-42e4)"
rm -f ./*.said
check "a GPU outside the session ends the run" "$(is "$(seen 4 2>/dev/null | grep '^cctr:')$(
	echo ./*.said)" "cctr: --gpu-visible: the gpus of the pool are not among the 1 device of \
CUDA_VISIBLE_DEVICES./*.said")"

i=0
while [ $i -lt 30 ]; do
	echo "add_test(t$i sh -c \"mkdir here && rmdir here\")"
	echo "set_tests_properties(t$i PROPERTIES PROCESSORS $((i % 2 + 2)))"
	i=$((i + 1))
done >CTestTestfile.cmake
"$CCTR" --resource cpus=3 -j16 >output 2>&1
check "cpus limit tests without groups" "$(is "$? $(grep -c Passed output)" "0 30")"
for i in 1 2 3; do
	cat <<END
add_test(t$i sh -c "echo >$i.there; until [ -e 1.there -a -e 2.there -a -e 3.there ]; do :; done")
END
done >CTestTestfile.cmake
"$CCTR" --resource cpus=3 -j3 --timeout 100 >output 2>&1
check "as many run as there are cpus" "$(is "$? $(grep -c Passed output)" "0 3")"

# hwloc fails on this file, where there is hwloc.
echo garbage >broken.xml
case $("$CCTR" --version=full) in
*hwloc*) complaints=1 ;;
*) complaints=0 ;;
esac
check "a topology that cannot be read is a warning" \
	"$(is "$(HWLOC_XMLFILE=broken.xml "$CCTR" --show-resources 2>&1 >output |
		grep -c '^cctr: the topology of the machine could not be read; ') $(
		sed -n '/^cpus/p' output)" "$complaints $("$CCTR" --show-resources | sed -n '/^cpus/p')")"
if [ $complaints = 1 ] && strace -o trace true 2>/dev/null; then
	traced -qq -o trace -e trace=poll -e inject=poll:error=ENOMEM "$CCTR" --show-resources >output 2>&1
	check "... and one whose process cannot be heard is not waited for" "$(is "$(sed -n 1p output)" \
		"cctr: the topology of the machine could not be read; its processors are counted without it")"
fi
HWLOC_SYNTHETIC="core:3 pu:2" "$CCTR" --show-resources -r cpus=physical >output 2>&1
if [ $complaints = 1 ]; then
	check "physical processors" "$(is "$(head -n4 output)" "cpus: 3
  0: 1 slot, number 0
  1: 1 slot, number 2
  2: 1 slot, number 4")"
else
	check "physical processors are not known" "$(is "$(cat output)" \
		"cctr: --resource cpus=physical: the physical processors of this machine are not known")"
fi
finish
