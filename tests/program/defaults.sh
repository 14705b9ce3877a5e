#!/bin/sh
# cctr.yaml and cctr.json: where they are found, what wins, and what is wrong with them.
set -u
. tests/meta/tap.sh

own_folder
export CCTR_COMPAT_VERSION=3.25
unset CCTR_CONFIG XDG_CONFIG_HOME
export HOME="$work/home"
mkdir -p "$work/source/build" "$HOME/.config/cctr"
tree="$work/source/build"
cat >"$tree/CTestTestfile.cmake" <<'END'
add_test(passes "/bin/true")
END
cctr() {
	"$CCTR" --test-dir "$tree" "$@" 2>&1 </dev/null
}
engine() { # the line of it, of a run
	cctr "$@" | grep '^Engine: '
}

check "without a file this machine runs the tests" "$(engine)"
cat >"$HOME/.config/cctr/cctr.json" <<'END'
{"launcher": "{agent}",
 "nodes": "n[1-2]"}
END
check "the user's file is read" "$(is "$(engine)" "Engine: launcher, 2 nodes, 1 slot")"
check "CCTR_CONFIG replaces the user's file" "$(CCTR_CONFIG='' engine)"
echo '{"nodes": "n[1-3]"}' >"$work/other"
check "... by another one" "$(is "$(CCTR_CONFIG="$work/other" engine --launcher '{agent}')" \
	"Engine: launcher, 3 nodes, 1 slot")"
text=$(CCTR_CONFIG="$work/none" cctr)
check "... which must be there" "$(is "$? $(echo "$text" | grep "none:")" \
	"8 cctr: $work/none: cannot be read: No such file or directory")"
echo '{"nodes": "a"}' >"$work/source/cctr.json"
check "a file beside the build tree wins" "$(is "$(engine)" "Engine: launcher, 1 node, 1 slot")"
echo '{"nodes": "a,b,c"}' >"$tree/cctr.yaml"
check "a file in the build tree wins over that" "$(is "$(engine)" "Engine: launcher, 3 nodes, 1 slot")"
check "options win over all files" "$(is "$(engine --nodes a,b)" "Engine: launcher, 2 nodes, 1 slot")"
check "so does --engine=local" "$(engine --engine=local)"
check "and the environment" "$(CCTR_ENGINE=local engine)"
ln -s "$CCTR" "$work/ctest"
check "under the name ctest, too" "$(is "$(cd "$tree" && "$work/ctest" 2>&1 | grep '^Engine: ')" \
	"Engine: launcher, 3 nodes, 1 slot")"

# ---- mistakes --------------------------------------------------------------------------

echo '{"nodes": "a"}' >"$tree/cctr.json"
text=$(cctr)
check "two files in one place are an error" "$(is "$? $(echo "$text" | grep -c \
	"^cctr: $tree/cctr.yaml: cctr.json is there, too; only one of them may be$")" "8 1")"
rm "$tree/cctr.yaml" "$tree/cctr.json"
for place in "$tree" "$work/source"; do
	mv "$work/source/cctr.json" "$work/beside"
	ln -s nothing "$place/cctr.yaml"
	text=$(cctr)
	check "a link to nothing is an error: $place" "$(is "$? $(echo "$text" | grep cctr.yaml)" \
		"8 cctr: $place/cctr.yaml: cannot be read: No such file or directory")"
	rm "$place/cctr.yaml"
	mv "$work/beside" "$work/source/cctr.json"
done
printf '{"nodes": "a",\n"lancher": "{agent}"}\n' >"$tree/cctr.json"
text=$(cctr)
check "a misspelled key is an error" "$(is $? 8)"
check "... which says what is meant" "$(is "$(echo "$text" | sed -n 's/^.*lancher: //p')" \
	"there is no such key; did you mean launcher?")"
check "... and no test has run" "$(echo "$text" | grep 'Start')"
check "... in no mode" "$(cctr -N >/dev/null; is $? 8; cctr --show-resources >/dev/null; is $? 8)"
echo '{"nodes": ' >"$tree/cctr.json"
check "so is a file that is neither YAML nor JSON" "$(cctr >/dev/null; is $? 8)"
rm "$tree/cctr.json"
mkdir "$tree/cctr.json"
check "a folder of that name is no file" "$(is "$(engine)" "Engine: launcher, 1 node, 1 slot")"
rmdir "$tree/cctr.json"
if [ "$(id -u)" -eq 0 ]; then
	chown 12345 "$work/source/cctr.json"
	text=$(cctr)
	check "a file of another user beside the tree is not read" "$(is \
		"$(echo "$text" | grep -c '^Engine: launcher, 2 nodes')" 1)"
	check "... which is said" "$(is "$(echo "$text" | grep -c 'is not read, since it belongs to another user')" 1)"
fi
finish
