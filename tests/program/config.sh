#!/bin/sh
# Options of cctr's own in cctr.yaml, in profiles and in the environment: which one counts, what
# "cctr config" says of it, and what is refused.
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25 HOME="$work/home"
unset CCTR_CONFIG XDG_CONFIG_HOME CCTR_PROFILE CCTR_SCHEDULE CCTR_RESOURCE CCTR_AFFINITY
mkdir -p "$work/source/build" "$HOME/.config/cctr"
tree="$work/source/build"
users="$HOME/.config/cctr/cctr.json"
cat >"$tree/CTestTestfile.cmake" <<'TEXT'
add_test(passes "/bin/true")
TEXT
cctr() {
	"$CCTR" "$@" --test-dir "$tree" </dev/null 2>&1
}
from() { # option: what it is set to, and where
	name=$1
	shift
	cctr config "$@" | sed -n "s/^$name  *//p" | tr -s ' ' | sed "s|$work/||; s|json:[0-9]*\$|json|"
}

check "without a file everything is a default" "$(is "$(from schedule)" "- default")"
echo '{"schedule": "pressure", "resource": ["gpus=2", "cards=3"], "affinity": true}' >"$users"
check "the user's file sets options" "$(is "$(from schedule)" \
	"pressure user: home/.config/cctr/cctr.json")"
check "... with several values" "$(is "$(from resource)" "gpus=2, cards=3 user: home/.config/cctr/cctr.json")"
check "... and they hold" "$(is "$(cctr --show-resources | grep -cE '^(gpus: 2|cards: 3)$')" 2)"
printf '{"affinity": false,\n"resource": "gpus=4"}\n' >"$tree/cctr.json"
check "the build tree's file wins" "$(is "$(from affinity)" "false tree: source/build/cctr.json"
	is "$(from resource)" "gpus=4 tree: source/build/cctr.json")"
check "... and replaces lists" "$(is "$(cctr --show-resources | grep -cE '^(gpus: 4|cards: 3)$')" 1)"
check "the environment wins over files" "$(is "$(CCTR_RESOURCE=gpus=5 from resource)" \
	"gpus=5 environment: CCTR_RESOURCE"
	is "$(CCTR_RESOURCE=gpus=5 cctr --show-resources | grep -c '^gpus: 5$')" 1)"
check "the command line wins over all" "$(is "$(CCTR_RESOURCE=gpus=5 from resource -r gpus=6)" \
	"gpus=6 command line: --resource"
	is "$(CCTR_RESOURCE=gpus=5 cctr --show-resources -r gpus=6 | grep -c '^gpus: 6$')" 1)"

# ---- profiles ----------------------------------------------------------------------------

cat >"$users" <<'TEXT'
{"schedule": "pressure",
 "profiles": {"ci": {"schedule": "ctest", "trace": "trace.json", "nodes": "a,b",
                     "launcher": "{agent}"}, "night": {"reserve": 7}}}
TEXT
echo '{"schedule": "pressure", "profiles": {"ci": {"reserve": 2}}}' >"$tree/cctr.json"
check "a profile wins over what is outside of it" "$(is "$(from schedule --profile ci)" \
	"ctest user, profile ci: home/.config/cctr/cctr.json")"
check "... from several files" "$(is "$(from reserve --profile=ci)" \
	"2 tree, profile ci: source/build/cctr.json")"
check "... by CCTR_PROFILE" "$(is "$(CCTR_PROFILE=night from reserve)" \
	"7 user, profile night: home/.config/cctr/cctr.json")"
check "... for the engine, too" "$(is "$(cctr --profile ci | grep '^Engine: ')" \
	"Engine: launcher, 2 nodes, 1 slot")"
check "... and in a run" "$(rm -f "$tree/trace.json"
	(cd "$tree" && "$CCTR" --profile ci) >"$work/said" 2>&1 || cat "$work/said"
	[ -s "$tree/trace.json" ] || echo "no trace")"
text=$(cctr --profile nigth)
check "an unknown profile is an error" "$(is "$? $text" \
	"8 cctr: there is no profile 'nigth'; did you mean night?")"
check "cctr config --json is JSON" "$(cctr config --json --profile ci | python3 -c '
import json, sys
said = json.load(sys.stdin)
by_name = {row["name"]: row for row in said["settings"]}
assert said["version"] == 1 and said["profile"] == "ci" and len(said["files"]) == 2, said
assert by_name["schedule"] == {"name": "schedule", "values": ["ctest"], "source": "user",
    "place": by_name["schedule"]["place"], "profile": "ci"}, by_name["schedule"]
assert by_name["oversubscribe"] == {"name": "oversubscribe", "values": [], "source": "default"}
' 2>&1)"

# ---- as ctest ------------------------------------------------------------------------------

ln -s "$CCTR" "$work/ctest"
echo '{"resource": "cards=4", "profiles": {"ci": {"resource": "cards=7"}}}' >"$tree/cctr.json"
echo '{}' >"$users"
as_ctest() {
	(cd "$tree" && "$work/ctest" "$@" 2>&1)
}
check "called as ctest cctr does what ctest does" "$(
	is "$(CCTR_RESOURCE=cards=2 CCTR_PROFILE=ci as_ctest --show-resources | grep '^cards')" "")"
check "... unless its command line names a profile" "$(
	is "$(as_ctest --show-resources --profile ci | grep '^cards')" "cards: 7")"
check "... and config is no command" "$(is "$(as_ctest config | grep -c '1/1 Test #1: passes')" 1)"

# ---- mistakes ------------------------------------------------------------------------------

wrong() { # text of the file, message
	echo "$1" >"$tree/cctr.json"
	text=$(cctr -N)
	is "$? $text" "8 cctr: $tree/cctr.json${2}"
}
rm -f "$users"
line=''
echo '{"schedule": 1}' >"$tree/cctr.json"
[ "$(cctr -N | grep -c 'cctr.json:1:')" -eq 0 ] || line=':1'
check "a misspelled option" "$(wrong '{"shedule": "ctest"}' \
	"$line: shedule: there is no such key; did you mean schedule?")"
check "a wrong value" "$(wrong '{"schedule": "fast"}' \
	"$line: '--schedule' given unknown value 'fast', not ctest or pressure")"
check "a flag that is neither true nor false" "$(wrong '{"affinity": "yes"}' \
	"$line: '--affinity' given 'yes', not true or false")"
check "an option for one call" "$(echo '{"manifest": "x"}' >"$tree/cctr.json"
	cctr -N | grep -q 'manifest: there is no such key' || cctr -N)"
check "a mistake in a profile that is not used" "$(wrong '{"profiles": {"a": {"schedul": 1}}}' \
	"$line: profiles.a.schedul: there is no such key; did you mean schedule?")"
rm "$tree/cctr.json"
text=$(CCTR_SCHEDULE=fast cctr -N)
check "a wrong value in the environment" "$(is "$? $text" \
	"8 cctr: CCTR_SCHEDULE: '--schedule' given unknown value 'fast', not ctest or pressure")"
finish
