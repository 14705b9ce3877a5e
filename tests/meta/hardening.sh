#!/bin/sh
# The program that is released has what the compiler and the linker offer against faults in it.
set -u
. tests/meta/tap.sh
needs readelf

cache="$CCTR_BUILD_DIR/CMakeCache.txt"
case $(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$cache") in
Release | RelWithDebInfo | MinSizeRel) ;;
*) skip_all "not a release build" ;;
esac
grep -q '^CCTR_HARDENING:BOOL=ON$' "$cache" || skip_all "CCTR_HARDENING is off"
grep -q '^CCTR_SANITIZE:STRING=.' "$cache" && skip_all "sanitizers"

header=$(readelf -hW "$CCTR")
segments=$(readelf -lW "$CCTR")
dynamic=$(readelf -dW "$CCTR")
symbols=$(readelf -sW --dyn-syms "$CCTR")

# $1: what, $2: the text, $3: a pattern that must be in it
has() {
	check "$1" "$(printf '%s\n' "$2" | grep -qE "$3" || printf '%s\n' "$2")"
}
has "its address is not fixed" "$header" 'Type: +DYN'
has "its flags say so" "$dynamic" 'FLAGS_1.* PIE'
has "the stack is not executable" "$segments" 'GNU_STACK .* RW +0x'
check "no segment is writable and executable" "$(printf '%s\n' "$segments" |
	grep -E '^ +[A-Z_]+ .* RWE ')"
has "relocations become read-only" "$segments" 'GNU_RELRO'
has "symbols are bound at the start" "$dynamic" 'BIND_NOW|FLAGS_1.* NOW'
has "functions have a stack protector" "$symbols" '__stack_chk_fail'
has "calls of the C library are checked" "$symbols" '__(memcpy|snprintf|vsnprintf|read|fread)_chk'
finish
