#!/bin/sh
# --share-host: five cctr in five build trees and four GPUs. Each test takes a lock for each slot that it
# has, and fails where someone else has it.
# shellcheck disable=SC2016
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
needs flock

own_folder
mkdir -m 700 "$work/shared" && mkdir "$work/locks"
book="$work/shared/cctr-host"
cat >"$work/use" <<'END'
#!/bin/sh
# Keeps the locks of its slots for a moment. Two locks belong to each GPU.
cd "${0%/*}/locks" || exit 2
id=${CTEST_RESOURCE_GROUP_0_GPUS#id:}
slots=${id##*:}
id=${id%%,*}
[ "$slots" = 2 ] && exec flock -n "$id.a" flock -n "$id.b" sleep "$1"
flock -E 99 -n "$id.a" sleep "$1"
[ $? = 99 ] || exit 0
exec flock -n "$id.b" sleep "$1"
END
chmod +x "$work/use"
gpus() { # slots of each
	printf '{"version":{"major":1,"minor":0},"local":[{"gpus":['
	printf '{"id":"0","slots":%s},{"id":"1","slots":%s},{"id":"2","slots":%s},{"id":"3","slots":%s}' "$@"
	printf ']}]}\n'
}
gpus 2 2 2 2 >"$work/spec.json"
make_tree() { # name tests
	mkdir -p "$work/$1"
	for i in $(seq "$2"); do
		echo "add_test(t$i \"$work/use\" 0.05)"
		echo "set_tests_properties(t$i PROPERTIES TIMEOUT 200 RESOURCE_GROUPS gpus:$((i % 5 == 0 ? 2 : 1)))"
	done >"$work/$1/CTestTestfile.cmake"
}
run() { # tree options...
	in=$1
	shift
	timeout 250 "$CCTR" --test-dir "$work/$in" --share-host="$work/shared" -j8 --resource cpus=16 \
		--resource-spec-file "$work/spec.json" "$@" >"$work/$in.out" 2>"$work/$in.err" </dev/null
}
passed() { # tree
	sed -nE 's/^100% tests passed.* out of ([0-9]+)$/\1/p' "$work/$1.out"
}
errors() {
	cat "$work"/*.err
}
is_free() { # no one is in the file any more
	! grep -aq '^run' <<END
$(head -c "$((40 + $(sed -nE '1s/.* 0*([0-9]+)$/\1/p' "$book")))" "$book")
END
}

# ---- five runs ------------------------------------------------------------------------------------

trees="a b c d e"
for tree in $trees; do
	make_tree "$tree" 30
	run "$tree" &
done
wait
check "five runs share four GPUs" "$(for tree in $trees; do is "$(passed "$tree")" 30; done)"
check "they say nothing of it" "$(is "$(errors)" "")"
check "in the end no one holds anything" "$(is_free || cat "$book")"
check "the file is of this user alone" "$(is "$(stat -c %a "$book")" 600)"

# ---- partitions -----------------------------------------------------------------------------------

# A GPU has parts in two partitions, of which the other runs know nothing. One partition is stopped at once.
for tree in pa pb pc; do
	make_tree $tree 20
done
cat >>"$work/pb/CTestTestfile.cmake" <<END
add_test(changes "$CCTR" ctl reconfig --stop x --start z:gpus=3,cpus=4 --now)
set_tests_properties(changes PROPERTIES DEPENDS "t1;t2")
END
for tree in pa pb; do
	run $tree --partition 'x:gpus=3,cpus=4' --partition 'y:gpus=fill,cpus=fill' --partition 'c:cpus=1:-R changes' &
done
run pc &
wait
check "runs with partitions share the GPUs, too" "$(is "$(passed pa) $(passed pb) $(passed pc)" "20 21 20")"
check "... also if a partition stops" "$(grep -q '^Partitions are now y, c, z$' "$work/pb.out" || cat "$work/pb.out")"
check "... and hold nothing in the end" "$(is_free || cat "$book"; errors)"

# ---- leases ---------------------------------------------------------------------------------------

# Has a GPU for itself ten times, for a moment each. Its lock is free again before the lease ends.
cat >"$work/leaser" <<'END'
#!/bin/sh
for i in 1 2 3 4 5; do
	eval "$("$CCTR" alloc new gpus:2 --id x --wait --eval)"
	[ "$CCTR_LEASE_STATUS" = granted ] || exit 3
	eval "id=\$CTEST_RESOURCE_GROUP_$((CTEST_RESOURCE_GROUP_COUNT - 1))_GPUS"
	id=${id#id:}
	id="${0%/*}/locks/${id%%,*}"
	flock -n "$id.a" flock -n "$id.b" sleep 0.01 || exit 4
	"$CCTR" alloc release --id x >/dev/null || exit 5
done
END
chmod +x "$work/leaser"
for tree in la lb lc; do
	make_tree "$tree" 10
	for i in 1 2 3; do
		echo "add_test(leases$i \"$work/leaser\")"
	done >>"$work/$tree/CTestTestfile.cmake"
	run "$tree" &
done
wait
check "tests of three runs lease what no other has" "$(for tree in la lb lc; do is "$(passed "$tree")" 13; done)"
check "... and give it back" "$(is_free || cat "$book")"

lone() { # name script
	printf '%s\n' 'await() { for _ in $(seq 6000); do "$@" >/dev/null 2>&1 && return; sleep 0.01; done; exit 9; }' "$2" >"$work/$1.sh"
	echo "add_test($1 /bin/sh \"$work/$1.sh\")"
}
mkdir -p "$work/has" "$work/wants"
export work
lone has '"$CCTR" alloc new gpus:2,gpus:2,gpus:2,gpus:2 --wait && : >"$work/held" && await test -e "$work/asked" && "$CCTR" alloc release --id lease-1 && await test -e "$work/granted"' >"$work/has/CTestTestfile.cmake"
lone wants 'await test -e "$work/held"
"$CCTR" alloc new gpus:1 --id a --now 2>"$work/now"
"$CCTR" alloc new gpus:1 --id b >"$work/pending"
echo $? >>"$work/pending"
: >"$work/asked"
"$CCTR" alloc wait --id b >"$work/granted.part" && mv "$work/granted.part" "$work/granted"' >"$work/wants/CTestTestfile.cmake"
run has &
run wants
wait
check "what another run has is not granted now" "$(is "$(cat "$work/now")" "cctr: alloc: not now")"
check "... and is pending" "$(is "$(cat "$work/pending")" "b pending
3")"
check "... until the other run gives it back" "$(is "$(cat "$work/granted")" "b granted
  gpus id:0,slots:1")"

# Each has two of the four GPUs, and wants a third one.
for name in x y; do
	mkdir "$work/$name"
	lone $name '"$CCTR" alloc new gpus:2,gpus:2 --wait && : >"$work/'$name'.has" && await test -e "$work/x.has" &&
await test -e "$work/y.has" && "$CCTR" alloc new gpus:2 --id more --wait >"$work/'$name'.more" 2>&1
echo "code $?" >>"$work/'$name'.more"' >"$work/$name/CTestTestfile.cmake"
	run $name &
done
wait
check "of tests of two runs that wait for each other one is denied" "$(is \
	"$(cat "$work/x.more" "$work/y.more" | sed 's/id:./id:N/' | sort)" "  gpus id:N,slots:2
cctr: alloc: all tests that hold what is missing wait for more
code 0
code 1
more granted")"

# ---- one of them is killed, again and again -------------------------------------------------------

ended() { # tree -> how many tests
	grep -cE '^ *[0-9]+/[0-9]+ Test' "$work/$1.out"
}
goes_on() { # tree tests
	[ "$(ended "$1")" -ge "$2" ]
}
for tree in $trees; do
	run "$tree" &
done
for i in 1 2 3 4 5 6; do
	mkdir -p "$work/victim"
	cp "$work/a/CTestTestfile.cmake" "$work/victim"
	"$CCTR" --test-dir "$work/victim" --share-host="$work/shared" -j8 --resource cpus=16 \
		--resource-spec-file "$work/spec.json" >"$work/victim.out" 2>&1 </dev/null &
	victim=$!
	await goes_on victim $i
	kill -9 $victim
	wait $victim
done 2>/dev/null
wait
check "the others go on" "$(for tree in $trees; do is "$(passed "$tree")" 30; done)"
check "still they say nothing" "$(is "$(errors)" "")"
run a -R '^t[1-5]$'
check "the next finds the machine empty" "$(is "$(passed a)" 5; is_free || cat "$book")"

# ---- what is in the file is damaged ---------------------------------------------------------------

for tree in $trees; do
	run "$tree" &
done
await goes_on a 3
echo "cctr-host 1 nonsense" >"$book"
await goes_on a 10
dd if=/dev/urandom of="$book" bs=64 count=1 conv=notrunc 2>/dev/null
wait
check "a damaged file is made again" "$(for tree in $trees; do is "$(passed "$tree")" 30; done; is_free || cat "$book")"
check "one of them says it" "$(errors | grep -q "$book: is damaged, and is made again from the runs that live" || errors)"
check "nothing else is said" "$(errors | grep -v 'is damaged, and is made again')"

# ---- processors of their own ----------------------------------------------------------------------

cat >"$work/pinned" <<'END'
#!/bin/sh
# Keeps the lock of its processor for a moment.
cd "${0%/*}/locks" || exit 2
cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
exec flock -n "cpu.$cpu" sleep 0.05
END
chmod +x "$work/pinned"
for tree in p q; do
	mkdir "$work/$tree"
	for i in $(seq 8); do
		echo "add_test(t$i \"$work/pinned\")"
	done >"$work/$tree/CTestTestfile.cmake"
	timeout 250 "$CCTR" --test-dir "$work/$tree" --share-host="$work/shared" -j64 --affinity \
		--partition 'none::-R nothing' --partition 'each:cpus=all' >"$work/$tree.out" 2>&1 </dev/null &
done
wait
check "with --affinity no two runs have tests on one processor" "$(
	for tree in p q; do is "$(passed $tree)" 8 || cat "$work/$tree.out"; done)"

# ---- several users --------------------------------------------------------------------------------

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work"
	chmod 777 "$work/locks"
	cp "$CCTR" "$work/cctr"
	mkdir -m 755 "$work/machine"
	install -m 666 /dev/null "$work/machine/cctr-host"
	for user in 0 65533 65534; do
		make_tree "user$user" 10
		chmod 777 "$work/user$user"
		setpriv --reuid $user --regid $user --clear-groups timeout 250 "$work/cctr" \
			--test-dir "$work/user$user" --share-host="$work/machine" -j8 --resource cpus=16 \
			--resource-spec-file "$work/spec.json" >"$work/user$user.out" 2>&1 </dev/null &
	done
	wait
	check "three users share a file of root" "$(
		for user in 0 65533 65534; do is "$(passed user$user)" 10 || cat "$work/user$user.out"; done)"
	chmod 600 "$work/machine/cctr-host"
	setpriv --reuid 65534 --regid 65534 --clear-groups timeout 250 "$work/cctr" \
		--test-dir "$work/user65534" --share-host="$work/machine" --resource cpus=16 \
		--resource-spec-file "$work/spec.json" >"$work/output" 2>&1 </dev/null
	check "who may not write to it runs nothing" "$(is $? 8
		grep -q "cctr-host.*permission denied" "$work/output" || cat "$work/output")"

	# In the folder of the machine, which is another one in here.
	cat >"$work/machine/users" <<'END'
mount -t tmpfs tmpfs /run && mkdir -m 755 /run/cctr && install -m 666 /dev/null /run/cctr/cctr-host || exit 1
export CCTR="$work/cctr"
for user in nobody daemon; do
	setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups timeout 250 "$CCTR" --test-dir "$work/$user" \
		--share-host -j8 --resource cpus=16 --resource-spec-file "$work/spec.json" >"$work/$user.out" 2>&1 </dev/null &
done
wait
find /run -type f -printf '%p %u %m\n'
head -c 9 /run/cctr/cctr-host
END
	for user in nobody daemon; do
		make_tree "$user" 10
		chmod 777 "$work/$user"
		for i in 1 2; do
			echo "add_test(leases$i \"$work/leaser\")"
		done >>"$work/$user/CTestTestfile.cmake"
	done
	title="two users share /run/cctr, also by leases"
	if unshare -m mount -t tmpfs tmpfs /run 2>/dev/null; then
		text=$(unshare -m sh "$work/machine/users")
		check "$title" "$(for user in nobody daemon; do is "$(passed "$user")" 12 || cat "$work/$user.out"; done
			is "$text" "/run/cctr/cctr-host root 666
cctr-host")"
	else
		skip "$title" "no mount namespace"
	fi
	chmod 700 "$work"
else
	skip "several users share the machine" "not root, or no setpriv"
fi

# ---- no one else can be in it ---------------------------------------------------------------------

refused() { # title folder words
	timeout 250 "$CCTR" --test-dir "$work/a" --share-host="$2" >"$work/output" 2>&1 </dev/null
	check "$1" "$(is $? 8; grep -qF -- "$3" "$work/output" || cat "$work/output")"
}
mkdir -m 777 "$work/open"
refused "a folder that others may write to" "$work/open" "no one else may write to it"
mkdir -m 700 "$work/planted"
ln -s "$work/spec.json" "$work/planted/cctr-host"
refused "a link in the place of the file" "$work/planted" "cannot be opened"
rm "$work/planted/cctr-host"
ln "$work/spec.json" "$work/planted/cctr-host"
refused "a file with another name" "$work/planted" "it is not a file of the owner of its folder"
refused "no such folder" "$work/nowhere" "no such file or directory"
# After a folder of XDG_RUNTIME_DIR that is not private, that of the user is tried.
if [ -e "/run/user/$(id -u)" ] || [ -e /run/cctr/cctr-host ]; then
	echo "# not tried: XDG_RUNTIME_DIR, since there is a folder of this user"
else
	mkdir -m 755 "$work/runtime"
	XDG_RUNTIME_DIR=$work/runtime timeout 250 "$CCTR" --test-dir "$work/a" --share-host -R '^t1$' \
		>"$work/output" 2>&1 </dev/null
	check "a runtime folder that others may read is not this user's alone" \
		"$(grep -q 'name one, --share-host=FOLDER' "$work/output" || cat "$work/output")"
	chmod 700 "$work/runtime"
	XDG_RUNTIME_DIR=$work/runtime timeout 250 "$CCTR" --test-dir "$work/a" --share-host --resource gpus=1 -R '^t1$' \
		>"$work/output" 2>&1 </dev/null
	check "else the file is there" "$(is $? 0; test -f "$work/runtime/cctr-host" || echo "no file")"
fi

# ---- the file is lost -----------------------------------------------------------------------------

cat >"$work/e/CTestTestfile.cmake" <<END
add_test(removes "rm" "$book")
add_test(waits "$work/use" 0.01)
set_tests_properties(waits PROPERTIES DEPENDS removes RESOURCE_GROUPS gpus:1)
END
run e
check "without the file nothing starts" "$(is $? 8; grep -q 'waits .*Not Run' "$work/e.out" || cat "$work/e.out")"
check "the run says why" "$(grep -q 'what other runs hold is not known: no such file' "$work/e.err" || cat "$work/e.err")"
# While a run that has seen the loss goes on, another one is not kept from seeing it.
mkfifo "$work/go" "$work/end"
mkdir "$work/beside"
cat >"$work/e/CTestTestfile.cmake" <<END
add_test(holds "sh" "-c" "read line <'$work/end'")
add_test(removes "rm" "$book")
add_test(waits "$work/use" 0.01)
set_tests_properties(waits PROPERTIES DEPENDS removes RESOURCE_GROUPS gpus:1)
END
cat >"$work/beside/CTestTestfile.cmake" <<END
add_test(first "sh" "-c" "touch '$work/begun'; read line <'$work/go'")
add_test(second "$work/use" 0.01)
set_tests_properties(second PROPERTIES DEPENDS first RESOURCE_GROUPS gpus:1)
END
run beside &
beside=$!
await test -e "$work/begun"
run e &
await grep -q 'waits .*Not Run' "$work/e.out"
timeout 60 sh -c "echo >'$work/go'"
await is_gone $beside
check "... and is seen by each run at once" "$(is_gone $beside || cat "$work/beside.out"
	grep -q 'second .*Not Run' "$work/beside.out" || cat "$work/beside.out")"
timeout 60 sh -c "echo >'$work/end'"
wait
lone lost 'exec 2>"$work/lost"; rm "$work/shared/cctr-host"; for i in 1 2; do "$CCTR" alloc new gpus:1; done' >"$work/has/CTestTestfile.cmake"
run has
check "without the file nothing is leased" "$(is "$(uniq -c "$work/lost" | sed 's/^ *//')" "2 cctr: alloc: what other runs hold is not known")"
finish
