/* Command lines of generators. See build_commands.h. */
#include "compat/dashboard/build/build_commands.h"

#include <string.h>

#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

enum family { FAMILY_NINJA, FAMILY_NINJA_MULTI, FAMILY_MAKEFILES, FAMILY_OTHER };

/* "CodeBlocks - Ninja" builds with Ninja. */
static enum family
family_of(struct str generator)
{
	static const struct {
		const char *name;
		enum family family;
	} known[] = {
		{"Ninja", FAMILY_NINJA},
		{"Ninja Multi-Config", FAMILY_NINJA_MULTI},
		{"Unix Makefiles", FAMILY_MAKEFILES},
		{"Watcom WMake", FAMILY_MAKEFILES},
	};
	const struct str dash = STR(" - ");
	size_t at = str_search(generator, dash);

	if (at < generator.n)
		generator = str_from(generator, at + dash.n);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(generator, known[i].name))
			return known[i].family;
	return FAMILY_OTHER;
}

bool
build_takes_make_program(struct str generator)
{
	return str_has(generator, STR("Ninja")) || str_has(generator, STR("Makefiles"));
}

/* The value of CMAKE_MAKE_PROGRAM, of any type; "" if the cache has none. */
static struct str
cached_make_program(struct arena *a, struct str directory)
{
	const struct str key = STR("CMAKE_MAKE_PROGRAM:");
	struct str path = path_join(a, directory, STR("CMakeCache.txt")), text, line;

	if (!file_read(a, str_z(a, path), &text))
		return STR("");
	while (str_take_line(&text, &line)) {
		size_t at = str_find(line, '=');

		if (str_begins(line, key) && at < line.n)
			return str_trim(str_from(line, at + 1));
	}
	return STR("");
}

static struct str
make_program(struct arena *a, const struct build_tool *t)
{
	return cmake_is_off(t->make_program) ? cached_make_program(a, t->directory)
					     : t->make_program;
}

/* cmake --build supports all generators. */
static void
add_cmake_words(
	struct arena *a, str_vec *words, const struct build_tool *t, struct str target)
{
	VEC_PUSH(a, words, t->cmake);
	VEC_PUSH(a, words, STR("--build"));
	VEC_PUSH(a, words, STR("."));
	VEC_PUSH(a, words, STR("--config"));
	VEC_PUSH(a, words, t->configuration);
	if (target.n)
		VEC_PUSH(a, words, STR("--target"));
}

struct str_list
build_command(struct arena *a, const struct build_tool *t, struct str target)
{
	enum family family = family_of(t->generator);
	str_vec words = {0};

	INVARIANT(t);
	if (family == FAMILY_OTHER)
		add_cmake_words(a, &words, t, target);
	else
		VEC_PUSH(a, &words, make_program(a, t));
	if (family == FAMILY_MAKEFILES || family == FAMILY_NINJA_MULTI)
		VEC_PUSH(a, &words, STR("-f"));
	if (family == FAMILY_MAKEFILES)
		VEC_PUSH(a, &words, STR("Makefile"));
	if (family == FAMILY_NINJA_MULTI)
		VEC_PUSH(a, &words,
			str_fmt(a, "build-%.*s.ninja", STR_ARG(t->configuration)));
	if (target.n)
		VEC_PUSH(a, &words, target);
	return str_vec_list(&words);
}

struct str_list
build_clean_command(struct arena *a, const struct build_tool *t)
{
	return build_command(a, t, STR("clean"));
}

struct str
build_command_line(struct arena *a, struct str_list words)
{
	return str_join(a, words, STR(" "));
}

/* Also a single "?". */
static bool
needs_quotes(struct str word)
{
	struct str special = STR(" \t'`;#&$()~<>|*^\\");

	for (size_t i = 0; i < word.n; i++)
		if (str_find(special, word.p[i]) < special.n)
			return true;
	return word.n == 0 || str_is(word, "?");
}

struct str
build_command_quoted(struct arena *a, struct str_list words)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < words.n; i++) {
		const char *quote = needs_quotes(words.v[i]) ? "\"" : "";

		buf_fmt(&b, "%s%s", i ? " " : "", quote);
		buf_escaped(&b, words.v[i], "\\\"`$");
		buf_z(&b, quote);
	}
	return buf_as_str(&b);
}
