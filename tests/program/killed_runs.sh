#!/bin/sh
# kill -9 at any system call of a run: killed_runs.py.
set -u
. tests/meta/tap.sh
needs python3
needs strace
strace -o /dev/null true 2>/dev/null || skip_all "strace cannot trace"

exec python3 tests/program/killed_runs.py --subject "${CCTR:?}" "$@"
