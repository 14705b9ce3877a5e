#!/bin/sh
# Completions are made from the table of options: real shells read them.
set -u
. tests/meta/tap.sh

# offers WORD... -> what bash offers for the last word
offers()
{
	bash -c 'eval "$("$CCTR" --completion bash)"
		COMP_WORDS=(cctr "$@") COMP_CWORD=$#
		_cctr
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

expect()
{
	wanted=$1
	shift
	got=$(offers "$@" | tr '\n' ' ')
	check "bash completes cctr $*" "$([ "$got" = "$wanted " ] || echo "$got")"
}

expect "--output-on-failure" --output-on
expect "--tests-regex --tests-information --tests-from-file" --tests-
expect "--show-only=" --show-o
expect "CHANGELOG.md" --output-junit CHANGE
expect "Help" --test-dir Hel
expect "zsh" --completion z
expect "" -R --output
expect "history" histo
expect "advise" advi
expect "--json" history --js
expect "" --js
check "every option is offered" "$("$CCTR" --help | grep -oE '^  --?[A-Za-z0-9.-]+' |
	while read -r name; do
		offers "$name" | grep -qxe "$name=\\?" || echo "$name"
	done)"
for command in ctl alloc; do
	check "every verb of cctr $command is offered" "$("$CCTR" $command --help |
		sed -nE 's/^  ([a-z-]+)(, [a-z]+)?( .*)?$/\1\2/p' | tr -d ' ' | tr , '\n' | grep -v ^- |
		while read -r verb; do
			offers $command "$verb" | grep -qxF "$verb" || echo "$verb"
		done)"
done
for shell in zsh fish; do
	"$CCTR" --completion "$shell" >"${TMPDIR:-/tmp}/cctr-completion.$$"
	check "$shell has a line for every option" "$("$CCTR" --help |
		grep -oE '^  --[a-z-]+' | grep -vE -- '--(help|version)$' |
		while read -r name; do
			grep -qe "${name#--}" "${TMPDIR:-/tmp}/cctr-completion.$$" || echo "$name"
		done)"
	if command -v "$shell" >/dev/null; then
		check "$shell reads it" "$("$shell" -n "${TMPDIR:-/tmp}/cctr-completion.$$" 2>&1)"
	fi
	rm -f "${TMPDIR:-/tmp}/cctr-completion.$$"
done
finish
