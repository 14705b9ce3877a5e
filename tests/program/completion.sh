#!/bin/sh
# bash, zsh and fish complete command lines of cctr: the real shells, on a terminal, with the
# scripts that cctr prints. What is typed ends with a tab; what counts is the command that the
# shell then runs.
set -u
. tests/meta/tap.sh
needs python3

own_folder
mkdir -p "$work/bin" "$work/tree/build" "$work/zsh"
cctr=$(realpath "$CCTR")
cat >"$work/tree/build/CTestTestfile.cmake" <<'TEXT'
add_test(unit.parse true)
add_test([=[with blank]=] true)
set_tests_properties(unit.parse PROPERTIES LABELS "fast;other")
TEXT
cp "$work/tree/build/CTestTestfile.cmake" "$work/tree"
echo x >"$work/tree/junit-file"
cat >"$work/tree/CMakePresets.json" <<'TEXT'
{"version": 3,
 "configurePresets": [{"name": "base", "generator": "Ninja", "binaryDir": "build"}],
 "testPresets": [{"name": "nightly", "displayName": "At night", "configurePreset": "base"}]}
TEXT
# What is typed runs this: words that ask for completions go to cctr, others into a file.
cat >"$work/bin/cctr" <<TEXT
#!/bin/sh
case "\$*" in
*--completion* | --list-presets) exec "$cctr" "\$@" ;;
*) { printf '%s|' "\$@"; echo; } >>"$work/log" ;;
esac
TEXT
chmod +x "$work/bin/cctr"
for shell in bash zsh fish; do
	"$cctr" --completion "$shell" >"$work/$shell.script"
done
cp "$work/zsh.script" "$work/zsh/_cctr"

# typed, and the words that must be run
cat >"$work/rows" <<'TEXT'
cctr --oversub	--oversubscribe|
cctr --schedule pre	--schedule|pressure|
cctr --schedule=pre	--schedule=pressure|
cctr --test unit.p	--test|unit.parse|
cctr --test with	--test|with blank|
cctr --test=unit.p	--test=unit.parse|
cctr -R unit.p	-R|unit.parse|
cctr -L fas	-L|fast|
cctr --preset nig	--preset|nightly|
cctr --output-junit jun	--output-junit|junit-file|
cctr mer	merge|
cctr merge jun	merge|junit-file|
cctr merge --int	merge|--into|
cctr hist	history|
cctr history unit.p	history|unit.parse|
cctr history --js	history|--json|
cctr compare --wi	compare|--with|
cctr log unit.p	log|unit.parse|
cctr ctl part	ctl|partitions|
cctr ctl why unit.p	ctl|why|unit.parse|
cctr ctl --js	ctl|--json|
cctr alloc rele	alloc|release|
cctr alloc new --ev	alloc|new|--eval|
cctr --test-dir build --test unit.p	--test-dir|build|--test|unit.parse|
TEXT
cat >"$work/type.py" <<'TEXT'
"""type.py SHELL WORK: types the rows into the shell; prints what was not completed."""
import os
import pty
import select
import sys
import time

shell, work = sys.argv[1:]
starts = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"source {work}/bash.script"),
    "zsh": (["zsh", "-f", "-i"],
            f"fpath=({work}/zsh $fpath); autoload -U compinit; compinit -u -D"),
    "fish": (["fish", "--no-config", "-i"], f"source {work}/fish.script"),
}
words, begin = starts[shell]
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(f"{work}/tree")
    os.environ.update(PATH=f"{work}/bin:" + os.environ["PATH"], TERM="xterm", HOME=work)
    os.execvp(words[0], words)

log, screen = f"{work}/log", b""
open(log, "w").close()


def wait_for(lines):
    """The log, once it has so many lines; what the shell prints is read meanwhile."""
    global screen
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                screen += os.read(terminal, 65536)
            except OSError:
                break
        with open(log) as file:
            text = file.read()
        if text.count("\n") >= lines:
            return text.splitlines()
    print(f"{shell} did not run {lines} commands; it printed:")
    print(screen.decode(errors="replace")[-1500:])
    sys.exit(1)


os.write(terminal, begin.encode() + b"\r")
os.write(terminal, b"cctr ready\r")
wait_for(1)
for number, row in enumerate(open(f"{work}/rows"), 2):
    typed, wanted = row.rstrip("\n").split("\t")
    os.write(terminal, typed.encode() + b"\t")
    os.write(terminal, b"\r")
    got = wait_for(number)[-1]
    if got != wanted:
        print(f"{typed}: got {got}, expected {wanted}")
os.write(terminal, b"exit\r")
os.close(terminal)
os.waitpid(pid, 0)
TEXT
for shell in bash zsh fish; do
	if command -v "$shell" >/dev/null; then
		check "$shell completes" "$(timeout 120 python3 "$work/type.py" "$shell" "$work" 2>&1)"
	else
		tap_number=$((tap_number + 1))
		echo "ok $tap_number - $shell completes # SKIP no $shell"
	fi
done
check "asking for names writes nothing" "$(find "$work/tree" -name Testing)"
finish
