/* The words of a memory checker, made of a row of the table. See memcheck_tools.h. */
#include "compat/memcheck/memcheck_tools.h"

#include "runner/files.h"

struct str
memcheck_path(
	const struct memcheck *m, struct arena *a, const char *word, struct str number)
{
	struct buf b = {.arena = a};

	for (; *word; word++)
		if (*word == '@')
			buf_str(&b, m->directory);
		else if (*word == '#')
			buf_str(&b, number);
		else if (*word == '%')
			buf_str(&b, m->suppressions);
		else
			buf_char(&b, *word);
	return buf_as_str(&b);
}

static void
add_words(const struct memcheck *m, struct arena *a, const char *const *words, size_t n,
	struct str number, str_vec *all)
{
	for (size_t i = 0; i < n && words[i]; i++)
		VEC_PUSH(a, all, memcheck_path(m, a, words[i], number));
}

/* All that is said to a sanitizer is one word. */
static void
add_sanitizer_words(
	const struct memcheck *m, struct arena *a, struct str number, str_vec *all)
{
	struct str log = memcheck_path(m, a, m->tool->log, number);
	struct buf b = {.arena = a};

	buf_fmt(&b, "%s=log_path='%.*s'", m->tool->variable, STR_ARG(log));
	if (m->suppressions.n)
		buf_fmt(&b, ":suppressions=%.*s", STR_ARG(m->suppressions));
	if (m->sanitizer_options.n)
		buf_fmt(&b, ":%.*s", STR_ARG(m->sanitizer_options));
	for (size_t i = 0; i < m->options.n; i++)
		buf_fmt(&b, " %.*s", STR_ARG(m->options.v[i]));
	VEC_PUSH(a, all, STR("-E"));
	VEC_PUSH(a, all, STR("env"));
	VEC_PUSH(a, all, buf_as_str(&b));
}

static void
add_tool_words(const struct memcheck *m, struct arena *a, struct str number, str_vec *all)
{
	const struct memcheck_tool *t = m->tool;

	add_words(m, a, t->before, 4, number, all);
	for (size_t i = 0; i < m->options.n; i++)
		VEC_PUSH(a, all, m->options.v[i]);
	add_words(m, a, t->behind, 2, number, all);
	if (m->suppressions.n)
		add_words(m, a, t->suppression, 2, number, all);
	add_words(m, a, &t->last, 1, number, all);
}

/* Dr. Memory does not make them itself; it says so where they are not there. */
static void
make_directories(const struct memcheck *m, struct arena *a, struct str number)
{
	const char *const *words = m->tool->directories;
	bool are_there = true;

	for (size_t i = 0; i < 2 && words[i]; i++)
		are_there = directory_make(a, memcheck_path(m, a, words[i], number).p);
	(void)are_there;
}

struct str_list
memcheck_words(const struct memcheck *m, struct arena *a, unsigned number)
{
	struct str text = str_fmt(a, "%u", number);
	str_vec all = {0};

	VEC_PUSH(a, &all, m->shown);
	if (m->tool->variable)
		add_sanitizer_words(m, a, text, &all);
	else
		add_tool_words(m, a, text, &all);
	make_directories(m, a, text);
	return str_vec_list(&all);
}
