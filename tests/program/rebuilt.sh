#!/bin/sh
# The file of cctr is replaced by another build while cctr runs: agents of that build are
# refused, and what starts on cctr's own machine is the program that runs.
# shellcheck disable=SC2154
set -u
. tests/meta/tap.sh
. tests/helpers/tree.sh

own_tree "a tree"
needs python3
mkdir "$work/bin"
program=$work/bin/cctr

# The same program with another build id.
python3 - "$CCTR" "$work/other" <<'END' || skip_all "cctr has no build id"
import re, sys
data = open(sys.argv[1], "rb").read()
notes = [m.end() for m in re.finditer(rb"\x04\0\0\0.\0\0\0\x03\0\0\0GNU\0", data, re.S)]
if len(notes) != 1:
    sys.exit(1)
at = notes[0]
open(sys.argv[2], "wb").write(data[:at] + bytes([data[at] ^ 255]) + data[at + 1:])
END
chmod +x "$work/other"
install_program() {
	cp "$CCTR" "$work/new"
	mv "$work/new" "$program"
}

# ---- an agent of another build ---------------------------------------------------------

# That of n2 starts when the file is another one.
cat >"$work/start" <<END
#!/bin/sh
[ "\$1" = n1 ] || until [ -e "$work/replaced" ]; do sleep 0.05; done
shift
exec "\$@"
END
chmod +x "$work/start"
install_program
mkfifo "$work/go"
declare_tests <<END
add_test(waits "/bin/sh" "-c" "echo >'$work/begun'; read line <'$work/go'")
add_test(b "/bin/true")
END
"$program" --test-dir "$tree" --launcher "'$work/start' {node} {agent}" --nodes 'n[1-2]' -V \
	>"$work/output" 2>&1 </dev/null &
run=$!
await test -s "$work/begun"
mv "$work/other" "$program"
: >"$work/replaced"
await grep -q '^Warning: node n2' "$work/output"
timeout 60 sh -c "echo >'$work/go'"
wait $run
check "the other node runs the tests" "$(is "$? $(grep -c ' Passed ' "$work/output")" "0 2" || cat "$work/output")"
check "one line says why an agent is refused" "$(is "$(grep -c '^Warning: ' "$work/output") $(grep -c \
	'^Warning: node n2: its agent did not start: its cctr is another build than the one that runs here: .* (build [0-9a-f]*), not .* (build [0-9a-f]*)$' \
	"$work/output")" "1 1" || cat "$work/output")"

# ---- an agent of this machine ----------------------------------------------------------

# The agent, which is the test's parent, is killed after the file is gone.
install_program
declare_tests <<END
add_test(once "/bin/sh" "-c" "mkdir '$work/once' 2>/dev/null || exit 0; rm '$program'; kill -9 \$PPID; exit 1")
END
text=$("$program" --test-dir "$tree" --launcher '{agent}' -V 2>&1 </dev/null)
check "an agent of this machine is the program that runs" "$(is "$? $(echo "$text" | grep -c ' Passed ') $(echo "$text" | grep -c build)" "0 1 0" ||
	echo "$text")"
finish
