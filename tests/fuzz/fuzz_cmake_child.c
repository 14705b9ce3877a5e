/*
 * What a cmake that evaluates files says: its messages, what a script's commands ask, and
 * its environment. The first byte chooses who reads.
 */
#include "compat/dashboard/script/script_host.h"
#include "manifests/bridge/cmake_record.h"
#include "runner/cmakelang/cmake_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
lies_in(struct str part, struct str text)
{
	return part.p >= text.p && part.p + part.n <= text.p + text.n;
}

static void
check_call(struct arena *a, struct str text)
{
	struct script_call call;

	if (!script_call_parse(a, text, &call))
		return;
	INVARIANT(lies_in(call.command, text));
	for (size_t i = 0; i < call.words.n; i++)
		INVARIANT(lies_in(call.words.v[i], text));
	for (size_t i = 0; i < call.variables_n; i++) {
		INVARIANT(lies_in(call.variables[i].name, text));
		INVARIANT(lies_in(call.variables[i].value, text));
	}
}

static void
check_messages(struct arena *a, struct str text)
{
	static const struct place below = {
		.file = {"/tree/x.cmake", 13}, .line = 7, .command = {"include", 7}};
	static const struct cmake_limit limit = {5, 3};
	size_t errors = 0;
	bool ended = false;
	struct cmake_frames f = {.directory = STR("/tree"),
		.file = STR("/tree/t.cmake"),
		.spelled = STR("t.cmake"),
		.ours = {STR("/ours/a.cmake"), STR("/ours/b.cmake")},
		.errors = &errors,
		.cut = " (_cctr)",
		.raises = true,
		.ended = &ended,
		.caller = &below,
		.limit = &limit};
	struct str restored = cmake_frames_restore(a, &f, text), rest = text;

	INVARIANT(str_has(text, STR("CMake ")) || str_eq(restored, text));
	INVARIANT(!ended || str_has(text, STR("_cctr_ends")));
	if (cmake_frames_take_mark(a, &f, STR("mark"), &rest))
		INVARIANT(rest.p == text.p && rest.n < text.n);
	INVARIANT(lies_in(cmake_frames_behind_blanks(text), text));
	(void)cmake_frames_uncolour(a, text);
}

static void
check_environment(struct arena *a, struct str text)
{
	static const struct environment_change changes[] = {
		{.name = {"A", 1}, .value = {"b", 1}}};
	const char *const none[] = {NULL};
	const char *const *before = environment_changed(a, none, changes, 1);
	const char *const *after = environment_parse(a, text);
	environment_changes found = environment_compare(a, before, after);

	after = environment_changed(a, after, NULL, 0);
	before = environment_changed(a, before, found.v, found.n);
	INVARIANT(environment_compare(a, before, after).n == 0);
	INVARIANT(environment_count(before) == environment_count(after));
}

static void
check_record(struct arena *a, struct str text)
{
	struct cmake_answer answer = {0};

	if (!cmake_record_parse(a, text, &answer))
		return;
	for (size_t i = 0; i < answer.calls_n; i++)
		INVARIANT(answer.calls[i].words.n <= text.n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_cut((const char *)data + (size > 0), size - (size > 0));

	if (size && data[0] % 4 == 0)
		check_call(a, text);
	else if (size && data[0] % 4 == 1)
		check_messages(a, text);
	else if (size && data[0] % 4 == 2)
		check_record(a, text);
	else if (size)
		check_environment(a, text);
	arena_close(a);
	return 0;
}
