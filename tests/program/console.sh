#!/bin/sh
# Readers of standard output that do not read, stop for a while, or go away.
set -u
. tests/meta/tap.sh
needs python3
own_folder
python3 tests/program/console.py "${CCTR:?}" "$work"
