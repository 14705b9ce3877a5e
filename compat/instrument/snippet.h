/*
 * A snippet: what one command did, a JSON file below data/.
 * cmake-instrumentation(7), "v1 Snippet File".
 */
#ifndef CCTR_COMPAT_INSTRUMENT_SNIPPET_H
#define CCTR_COMPAT_INSTRUMENT_SNIPPET_H

#include "compat/instrument/compile_trace.h"
#include "compat/instrument/instrumentation.h"

/* The host's load. Negative: not known. */
struct host_load {
	double memory_kib; /* used */
	double average; /* of one minute */
};
struct snippet_start {
	int64_t wall_ms; /* since 1970 */
	uint64_t steady_ns;
	struct host_load load; /* if the queries ask for it */
};

struct snippet {
	struct str directory; /* where the command ran */
	const char *role; /* compile, link, custom, install, build, ctest, test */
	struct str command; /* snippet_command; n is 0: none */
	struct str config, language, source, target, target_type, test_name;
	bool has_config; /* written even if it is "" */
	bool has_content; /* refers to CMake's newest content file */
	bool has_labels; /* of the target, even if there are none */
	bool has_outputs;
	const bool *show_only; /* NULL: not written */
	/* What the command wrote, if it has one of the roles whose output is kept. */
	bool has_output;
	struct str out, err;
	struct str_list labels, outputs; /* outputs: relative to the build tree */
	const struct compile_trace *trace; /* NULL: the queries ask for none */
	int64_t result;
};

/* The words with blanks between them; a word that has a blank is put in quotes (until 4.1
 * each word). */
struct str snippet_command(
	struct arena *a, const struct dialect *dialect, struct str_list words);
struct snippet_start snippet_begin(const struct instrumentation *i);
/* Writes the snippet of a command that has just ended, and keeps its trace. Returns the
 * snippet's name; STR_NONE leaves errno. */
struct str snippet_write(struct arena *a, const struct instrumentation *i,
	const struct snippet *s, const struct snippet_start *start);
struct json;
/* The version of the data, as the last member or before others. */
void snippet_put_version(struct json *j, const struct dialect *dialect);
/* "2026-11-22T11-41-18-0042": a time as the names of instrumentation files have it. */
struct str snippet_time(struct arena *a, int64_t wall_ms);
/* The time in a snippet's name or path: snippets sort by it. */
struct str snippet_end(struct str name);

#endif
