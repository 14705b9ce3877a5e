/*
 * The JSON that ctest's reader of presets files takes: strict, but for comments behind
 * values and in front of keys, a plus sign, and a lone minus for 0.
 */
#ifndef CCTR_COMPAT_PRESET_SYNTAX_H
#define CCTR_COMPAT_PRESET_SYNTAX_H

#include "runner/base.h"

struct preset_syntax {
	struct str strict; /* the document as plain JSON; every value where it was */
	/* Where it is refused: */
	size_t at;
	struct str why;
};

/* false: see at and why, which is STR_NONE for a document without anything in it. */
bool preset_syntax_check(struct arena *a, struct str text, struct preset_syntax *s);

#endif
