/*
 * A foreign library that is loaded when it is first used. Each library that the system
 * maps at the start costs every run of cctr, also the one per command of a build.
 *
 * It is noted in the program (ELF's .note.dlopen), for packagers' tools: they would find
 * only the libraries that are mapped at the start.
 */
#ifndef CCTR_RUNNER_BASE_LIBRARY_H
#define CCTR_RUNNER_BASE_LIBRARY_H

#include <stdint.h>

#include "runner/base/base.h"

struct library_function {
	const char *name;
	void *to; /* the address of a pointer to the function */
};

/* Sets the pointers of the n functions. file: as dlopen takes it. The library stays
 * loaded. false: it cannot be loaded, or lacks one of the functions. */
CCTR_MUST_CHECK bool library_load(
	const char *file, const struct library_function *functions, size_t n);

/* Defines struct library, with a pointer to each function, and load_library, which fills
 * it. FUNCTIONS(X) is X(name) for each function. For the note: feature is what needs the
 * library, priority is required, recommended or suggested. */
#define CCTR_LIBRARY(file, priority, feature, FUNCTIONS)                                 \
	CCTR_LIBRARY_NOTE("[{\"feature\":\"" feature "\",\"priority\":\"" priority       \
			  "\",\"soname\":[\"" file "\"]}]");                             \
	struct library {                                                                 \
		FUNCTIONS(CCTR_LIBRARY_POINTER)                                          \
	};                                                                               \
	CCTR_MUST_CHECK static bool load_library(struct library *l)                      \
	{                                                                                \
		const struct library_function f[] = {FUNCTIONS(CCTR_LIBRARY_ROW)};       \
                                                                                         \
		return library_load(file, f, sizeof f / sizeof *f);                      \
	}
#define CCTR_LIBRARY_POINTER(function) __typeof__(&function) function;
#define CCTR_LIBRARY_ROW(function) {#function, &l->function},

#ifdef __ELF__
#define CCTR_LIBRARY_NOTE(json)                                                          \
	__attribute__((used, section(".note.dlopen"),                                    \
		aligned(sizeof(uint32_t)))) static const struct {                        \
		uint32_t owner_bytes, text_bytes, type;                                  \
		char owner[sizeof "FDO"];                                                \
		_Alignas(uint32_t) char text[sizeof json];                               \
	} library_note = {sizeof "FDO", sizeof json, 0x407c0c0a, "FDO", json}
#else
#define CCTR_LIBRARY_NOTE(json) struct library
#endif

#endif
