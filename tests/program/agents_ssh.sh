#!/bin/sh
# Agents over a real ssh and a real sshd, which ssh starts for each connection: no port is
# opened. Skipped where sshd may not be started.
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh
needs ssh
needs ssh-keygen

own_folder
sshd=$(PATH="$PATH:/usr/sbin" command -v sshd) || skip_all "no sshd"
for key in host key; do
	ssh-keygen -q -t ed25519 -N '' -f "$work/$key" || skip_all "no keys can be made"
done
# As root, sshd wants this folder, which its service makes.
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
cp "$work/key.pub" "$work/authorized"
cat >"$work/sshd.conf" <<END
HostKey $work/host
AuthorizedKeysFile $work/authorized
StrictModes no
UsePAM no
PidFile none
END
cat >"$work/ssh.conf" <<END
Host *
	ProxyCommand $sshd -i -f $work/sshd.conf -E $work/sshd.log
	IdentityFile $work/key
	IdentitiesOnly yes
	BatchMode yes
	StrictHostKeyChecking no
	UserKnownHostsFile /dev/null
	LogLevel ERROR
END
why=$(ssh -F "$work/ssh.conf" localhost true 2>&1) ||
	skip_all "sshd cannot be used: $(printf '%s' "$why" | tail -n 1 | tr -d '\r')"

tree="$work/a tree"
mkdir "$tree"
declare_tests <<'END'
add_test(passes "/bin/sh" "-c" "echo one; echo two >&2")
add_test(fails "/bin/sh" "-c" "exit 3")
add_test(bytes "/bin/sh" "-c" "head -c 3000000 /dev/zero | tr '\\0' x; printf '\\r\\n\\377'")
add_test(late "/bin/sh" "-c" "echo begun; exec sleep 600")
set_tests_properties(late PROPERTIES TIMEOUT 1)
END
alone=$(cctr -V)
status=$?
agents=$(cctr -V --launcher "ssh -F $work/ssh.conf {node} {agent}" --nodes 'n[1-2]')
check "the same exit code" "$(is $? $status)"
check "the same text" "$(is "$(echo "$agents" | without_times)" "$(echo "$alone" | without_times)")"

agents=$(cctr -V -R passes --launcher "ssh -F $work/ssh.conf {node} exec /nonexistent/cctr {agent}" --nodes one)
check "an agent that ssh cannot start is named, with ssh's reason" "$(is \
	"$(echo "$agents" | grep -c '^Warning: no node has an agent, .*: one: .*/nonexistent/cctr')" 1)"

declare_tests <<'END'
add_test(deaf "/bin/sh" "-c" "trap : INT TERM; echo $$ >pid; while :; do sleep 1; done")
END
"$CCTR" --test-dir "$tree" --launcher "ssh -F $work/ssh.conf {node} {agent}" --nodes one \
	>/dev/null 2>&1 </dev/null &
await test -s "$tree/pid"
kill -KILL $!
wait $! 2>/dev/null
check "kill -9 of cctr leaves no test" "$(left "$(cat "$tree/pid")")"
finish
