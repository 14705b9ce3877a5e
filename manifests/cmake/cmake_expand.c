/*
 * Values of arguments: variable references, escapes, list splitting.
 *
 * CMake has two sets of rules (policy CMP0053). What both read in the same way is read
 * here; where the old rules differ (@VAR@ of a defined variable, errors that are
 * warnings), the evaluator leaves the subset.
 */
#include "manifests/cmake/cmake_commands.h"

#include <string.h>

#include "runner/cmakelang/cmake_text.h"

enum reference { REFERENCE_VARIABLE, REFERENCE_ENV, REFERENCE_CACHE };
/* An open "${": where its name begins in the output. */
struct opening {
	enum reference kind;
	size_t at;
};
struct expansion {
	struct evaluator *e;
	struct str in;
	size_t i; /* position in the text in */
	struct buf out;
	VEC(struct opening) open;
	unsigned line;
	bool is_old; /* CMP0053 is not NEW */
};

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_reference_name(char c)
{
	return is_alnum(c) || c == '/' || c == '_' || c == '.' || c == '+' || c == '-';
}

/* With the old rules CMake warns and goes on, with the new ones it stops reading. */
static bool
reference_fails(struct expansion *x, struct str why)
{
	const struct place *here = place_here(x->e);

	if (x->is_old)
		return leave_subset(x->e, "a reference or escape in old syntax");
	return stop_reading(x->e,
		"Syntax error in cmake code at\n  %.*s:%u\nwhen parsing string\n"
		"  %.*s\n%.*s",
		STR_ARG(here->file), here->line, STR_ARG(x->in), STR_ARG(why));
}

static bool
expand_escape(struct expansion *x)
{
	static const char from[] = "tnr", to[] = "\t\n\r";
	const char *known;
	char c;

	if (x->i + 1 == x->in.n)
		return reference_fails(
			x, STR("Invalid character escape '\\' (at end of input)."));
	c = x->in.p[x->i + 1];
	x->i += 2;
	known = c ? strchr(from, c) : NULL;
	if (c == ';' && x->open.n == 0) {
		buf_z(&x->out, "\\;");
	} else if (known) {
		buf_char(&x->out, to[known - from]);
	} else if (c == '0') {
		return leave_subset(x->e, "a NUL byte in an argument");
	} else if (is_alnum(c)) {
		return reference_fails(
			x, str_fmt(x->e->scratch, "Invalid character escape '\\%c'.", c));
	} else if (x->is_old && (x->open.n || !c || !strchr("\\\" #()$@^", c))) {
		return leave_subset(x->e, "an escape that is invalid in old syntax");
	} else {
		buf_char(&x->out, c);
	}
	return true;
}

static void
open_reference(struct expansion *x, enum reference kind, size_t length)
{
	VEC_PUSH(x->e->scratch, &x->open, (struct opening){kind, x->out.n});
	x->i += length;
}

/* At a "$". */
static bool
expand_dollar(struct expansion *x)
{
	struct str rest = str_from(x->in, x->i);
	size_t n = 1;

	if (str_begins(rest, STR("${"))) {
		open_reference(x, REFERENCE_VARIABLE, 2);
	} else if (str_begins(rest, STR("$ENV{"))) {
		open_reference(x, REFERENCE_ENV, 5);
	} else if (str_begins(rest, STR("$CACHE{"))) {
		open_reference(x, REFERENCE_CACHE, 7);
	} else {
		while (n < rest.n && is_reference_name(rest.p[n]))
			n++;
		if (n > 1 && n < rest.n && rest.p[n] == '{')
			return leave_subset(x->e, "a reference of another kind");
		if (x->open.n)
			return leave_subset(x->e, "a $ in a variable name");
		buf_char(&x->out, '$');
		x->i++;
	}
	return true;
}

/* The old rules use the line of the command, the new ones the line of the reference. */
static struct str
current_line(struct expansion *x)
{
	unsigned line = x->e->frame->call->line;

	if (x->line != line || str_find(x->in, '\n') < x->in.n)
		leave_subset(x->e, "CMAKE_CURRENT_LIST_LINE on another line");
	return str_fmt(x->e->scratch, "%u", line);
}

/* At the "}" that ends the innermost reference: its value replaces its name. */
static bool
close_reference(struct expansion *x)
{
	struct opening o = x->open.v[--x->open.n];
	struct str name = str_from(buf_as_str(&x->out), o.at);
	struct str value = STR_NONE;

	if (!name.n && x->is_old && variable_get(x->e->variables, name).p)
		return leave_subset(x->e, "a reference without a name in old syntax");
	if (o.kind == REFERENCE_VARIABLE)
		value = variable_get(x->e->variables, name);
	else if (o.kind == REFERENCE_ENV)
		value = env_get(x->e, name);
	if (o.kind == REFERENCE_VARIABLE && !value.p &&
		str_is(name, "CMAKE_CURRENT_LIST_LINE"))
		value = current_line(x);
	x->out.n = o.at;
	if (value.n)
		buf_str(&x->out, value);
	x->i++;
	return true;
}

/* At an "@": the old rules replace @NAME@ when NAME is defined. */
static bool
expand_at(struct expansion *x)
{
	size_t n = x->i + 1;

	if (x->open.n)
		return leave_subset(x->e, "an @ in a variable name");
	while (n < x->in.n && is_reference_name(x->in.p[n]))
		n++;
	if (x->is_old && n < x->in.n && x->in.p[n] == '@' && n > x->i + 1) {
		struct str name = str_cut(x->in.p + x->i + 1, n - x->i - 1);

		if (variable_get(x->e->variables, name).p ||
			str_is(name, "CMAKE_CURRENT_LIST_LINE"))
			return leave_subset(x->e, "@%.*s@ in old syntax", STR_ARG(name));
	}
	buf_char(&x->out, '@');
	x->i++;
	return true;
}

static bool
expand_step(struct expansion *x)
{
	char c = x->in.p[x->i];

	if (c == '\\')
		return expand_escape(x);
	if (c == '$')
		return expand_dollar(x);
	if (c == '@')
		return expand_at(x);
	if (c == '}' && x->open.n)
		return close_reference(x);
	if (x->open.n && !is_reference_name(c) && (c != '\n' || x->is_old)) {
		size_t at = x->open.v[x->open.n - 1].at;
		struct str name = str_from(buf_as_str(&x->out), at);

		return reference_fails(
			x, str_fmt(x->e->scratch,
				   "Invalid character ('%c') in a variable name: '%.*s'",
				   c, STR_ARG(name)));
	}
	buf_char(&x->out, c);
	x->i++;
	return true;
}

/* The text with references and escapes replaced. */
static bool
expand_text(struct evaluator *e, struct str in, unsigned line, struct str *value)
{
	struct expansion x = {.e = e,
		.in = in,
		.line = line,
		.out = {.arena = e->scratch},
		.is_old = !policy_is_new(e->policies, POLICY_REFERENCES)};

	while (x.i < in.n) {
		size_t from = x.i;

		/* Text between references is copied as a whole. */
		while (x.i < in.n && !x.open.n && in.p[x.i] != '\\' && in.p[x.i] != '$' &&
			in.p[x.i] != '@')
			x.i++;
		if (x.i > from)
			buf_add(&x.out, in.p + from, x.i - from);
		else if (!expand_step(&x))
			return false;
	}
	if (x.open.n)
		return reference_fails(
			&x, STR("There is an unterminated variable reference."));
	*value = buf_as_str(&x.out);
	return spend(e, value->n / 1024) && !e->outside.is_outside;
}

bool
expand_arguments(struct evaluator *e, const struct cmake_invocation *c,
	const struct cmake_argument *args, struct str_list *out)
{
	str_vec words = {NEW_ARRAY(e->scratch, struct str, c->n + 1), 0, c->n + 1};

	for (uint32_t i = 0; i < c->n; i++) {
		const struct cmake_argument *a = &args[c->first + i];
		struct str value = a->text;
		struct str_list split;

		if (a->kind != ARGUMENT_BRACKET && !a->is_plain &&
			!expand_text(e, a->text, a->line, &value))
			return false;
		if (a->kind != ARGUMENT_UNQUOTED || a->is_plain) {
			VEC_PUSH(e->scratch, &words, value);
			continue;
		}
		split = cmake_list_split(e->scratch, value, false);
		VEC_PUSH_ALL(e->scratch, &words, split);
	}
	*out = str_vec_list(&words);
	return true;
}

bool
expand_condition(struct evaluator *e, const struct cmake_invocation *c,
	const struct cmake_argument *args, struct condition *out)
{
	VEC(struct condition_word) words = {0};

	for (uint32_t i = 0; i < c->n; i++) {
		struct cmake_invocation one = *c;
		struct str_list values;

		one.first = c->first + i;
		one.n = 1;
		if (!expand_arguments(e, &one, args, &values))
			return false;
		for (size_t k = 0; k < values.n; k++)
			VEC_PUSH(e->scratch, &words,
				(struct condition_word){values.v[k],
					args[c->first + i].kind != ARGUMENT_UNQUOTED});
	}
	*out = (struct condition){words.v, words.n};
	return true;
}
