#!/usr/bin/env bash
# debian_source.sh PACKAGE FOLDER [SUITE]: unpacks Debian's source of the package and prints where. The
# system's apt configuration is read, for its servers, and left alone. SUITE: of Debian, another than
# the system's, such as trixie.
set -euo pipefail

fail() {
	printf 'debian_source: %s\n' "$*" >&2
	exit 1
}

# The newest source tree of the package; "cjson-build" is none.
unpacked() {
	find "$folder" -maxdepth 1 -type d -name "$package-[0-9]*" | sort -V | tail -n 1
}

package=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
apt=$folder/.apt
signed=""
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
tree=$(unpacked)
if [ -n "$tree" ]; then
	echo "$tree"
	exit
fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ ! -f "$keyring" ] || signed="[signed-by=$keyring] "
# The servers of security updates have no other suites.
apt-get indextargets 'Created-By: Packages' 'Origin: Debian' ${3:+'Label: Debian'} \
	--format "deb-src $signed\$(REPO_URI) ${3:-\$(RELEASE)} \$(COMPONENT)" |
	sort -u >"$apt/sources.list"
[ -s "$apt/sources.list" ] || fail "apt knows no server of Debian"
options=(-qq -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
	-o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache")
[ "$(id -u)" -ne 0 ] || options+=(-o APT::Sandbox::User=root)
apt-get "${options[@]}" update >&2
(cd "$folder" && apt-get "${options[@]}" source "$package" >"$apt/source.log" 2>&1) ||
	{ cat "$apt/source.log" >&2; fail "cannot unpack Debian's source of $package"; }
unpacked
