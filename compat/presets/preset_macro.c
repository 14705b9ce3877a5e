/*
 * Macros of presets, environments whose variables use each other, and conditions.
 *
 * $env{X} with a variable that the preset itself sets needs the value of that variable
 * first. A text is expanded up to such a macro, and continued later, with an explicit
 * stack, since the file decides how deep variables use each other.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "compat/presets/preset_set.h"
#include "runner/base/files.h"

/* ---- one macro ------------------------------------------------------------------- */

enum outcome { DID, WRONG, OF_VENDOR, NEEDS };

/* A text that is partly expanded. */
struct expansion {
	struct str in;
	size_t at;
	struct buf out;
	uint32_t variable; /* of the environment; MAP_NONE: another text */
};
enum variable_state { FRESH, UNDER_WAY, READY };
struct scope {
	struct preset_set *s;
	const struct preset_file *file;
	struct preset *preset; /* NULL: a text of include */
	/* The preset's environment while it is being expanded. */
	uint8_t *states;
	struct str *values;
	uint32_t needed; /* set with NEEDS */
	VEC(struct expansion) open;
};

static struct str
host_name(struct arena *a)
{
	struct utsname name;

	return uname(&name) == 0 ? str_dup(a, str_of(name.sysname)) : STR("");
}

/* The generator of a configure preset, or of the configure preset that another preset
 * uses. */
static struct str
generator(const struct scope *x)
{
	const struct preset *p = x->preset;
	const struct json_value *v;

	if (p->kind != PRESET_CONFIGURE) {
		v = p->fields[TEST_CONFIGURE_PRESET];
		p = v ? preset_find(x->s, PRESET_CONFIGURE, v->text) : NULL;
	}
	v = p ? p->fields[CONFIGURE_GENERATOR] : NULL;
	return v ? v->text : STR("");
}

static struct str
source_name(const struct scope *x)
{
	return path_name(x->s->directory);
}

static struct str
source_parent(const struct scope *x)
{
	return path_parent(x->s->directory);
}

static struct str
source_directory(const struct scope *x)
{
	return x->s->directory;
}

static struct str
file_directory(const struct scope *x)
{
	return x->file->directory;
}

static struct str
preset_name(const struct scope *x)
{
	return x->preset->name;
}

static struct str
host(const struct scope *x)
{
	return host_name(x->s->a);
}

static struct str
dollar(const struct scope *x)
{
	(void)x;
	return STR("$");
}

static struct str
separator(const struct scope *x)
{
	(void)x;
	return STR(":");
}

static const struct named_macro {
	const char *name;
	int since; /* first version of the format */
	bool is_of_preset; /* not in include */
	struct str (*value)(const struct scope *x);
} named_macros[] = {
	{"sourceDir", 1, false, source_directory},
	{"sourceParentDir", 1, false, source_parent},
	{"sourceDirName", 1, false, source_name},
	{"presetName", 1, true, preset_name},
	{"generator", 1, true, generator},
	{"dollar", 1, false, dollar},
	{"hostSystemName", 3, false, host},
	{"fileDir", 4, false, file_directory},
	{"pathListSep", 5, false, separator},
};

static enum outcome
expand_named(struct scope *x, struct str name, struct buf *out)
{
	for (size_t i = 0; i < sizeof named_macros / sizeof *named_macros; i++) {
		const struct named_macro *m = &named_macros[i];

		if (str_is(name, m->name) && x->file->version >= m->since &&
			(x->preset || !m->is_of_preset)) {
			buf_str(out, m->value(x));
			return DID;
		}
	}
	return WRONG;
}

static enum outcome
expand_outer(struct scope *x, struct str name, struct buf *out)
{
	if (!name.n)
		return WRONG;
	buf_str(out, str_of(getenv(str_z(x->s->a, name))));
	return DID;
}

static enum outcome
expand_variable(struct scope *x, struct str name, struct buf *out)
{
	uint32_t at = MAP_NONE;

	if (!x->preset)
		return WRONG;
	if (name.n)
		at = map_get(&x->preset->environment.names, name);
	if (at == MAP_NONE || json_is(x->preset->environment.v.v[at].value, JSON_NULL))
		return expand_outer(x, name, out);
	if (x->states[at] == UNDER_WAY)
		return WRONG;
	if (x->states[at] == FRESH) {
		x->needed = at;
		return NEEDS;
	}
	buf_str(out, x->values[at]);
	return DID;
}

/* In include, version 7 allows only $penv, and older versions nothing. */
static bool
is_allowed(const struct scope *x, bool is_outer)
{
	return x->preset || x->file->version >= 9 || (is_outer && x->file->version >= 7);
}

static enum outcome
expand_macro(struct scope *x, struct str space, struct str name, struct buf *out)
{
	if (!is_allowed(x, str_is(space, "penv")))
		return WRONG;
	if (space.n == 0)
		return expand_named(x, name, out);
	if (str_is(space, "env"))
		return expand_variable(x, name, out);
	if (str_is(space, "penv"))
		return expand_outer(x, name, out);
	return OF_VENDOR;
}

/* ---- one text -------------------------------------------------------------------- */

static bool
is_prefix_of_space(struct str text)
{
	return str_begins(STR("env"), text) || str_begins(STR("penv"), text) ||
	       str_begins(STR("vendor"), text);
}

static bool
is_space(struct str text)
{
	return text.n == 0 || str_is(text, "env") || str_is(text, "penv") ||
	       str_is(text, "vendor");
}

/* The position of the next macro's dollar sign, or the end. A dollar sign that begins no
 * macro is literal, together with the bytes up to the one that shows it. */
static size_t
literal_end(struct str in, size_t at, struct str *space)
{
	while (at < in.n) {
		size_t dollar_at = at + str_find(str_from(in, at), '$');

		if (dollar_at == in.n)
			return in.n;
		*space = str_cut(in.p + dollar_at + 1, 0);
		at = dollar_at + 1;
		while (at < in.n && in.p[at] != '{' &&
			is_prefix_of_space(str_cut(space->p, space->n + 1))) {
			space->n++;
			at++;
		}
		if (at < in.n && in.p[at] == '{' && is_space(*space))
			return dollar_at;
		if (at < in.n)
			at++;
	}
	return in.n;
}

/* Expands as much as possible. After NEEDS the next call continues with the same
 * macro. */
static enum outcome
advance(struct scope *x, struct expansion *e)
{
	while (e->at < e->in.n) {
		struct str space = STR(""), name, rest;
		size_t macro = literal_end(e->in, e->at, &space), end;
		enum outcome o;

		buf_add(&e->out, e->in.p + e->at, macro - e->at);
		e->at = macro;
		if (macro == e->in.n)
			break;
		rest = str_from(e->in, macro + 1 + space.n + 1);
		end = str_find(rest, '}');
		if (end == rest.n)
			return WRONG;
		name = str_cut(rest.p, end);
		o = expand_macro(x, space, name, &e->out);
		if (o != DID)
			return o;
		e->at = macro + 1 + space.n + 1 + end + 1;
	}
	return DID;
}

bool
preset_pre_expand_text(struct preset_set *s, const struct preset_file *file,
	struct str text, struct str *out)
{
	struct buf b = {.arena = s->a};
	size_t at = 0;

	*out = text;
	while (at < text.n) {
		struct str space = STR(""), rest;
		size_t macro = literal_end(text, at, &space), end;

		buf_add(&b, text.p + at, macro - at);
		if (macro == text.n)
			break;
		at = macro + 1 + space.n + 1;
		rest = str_from(text, at);
		end = str_find(rest, '}');
		if (end == rest.n)
			return false;
		if (space.n || file->version < 12 ||
			!str_is(str_cut(rest.p, end), "fileDir"))
			return true;
		buf_str(&b, file->directory);
		at += end + 1;
	}
	*out = buf_as_str(&b);
	return true;
}

static void
push(struct scope *x, struct str in, uint32_t variable)
{
	struct expansion e = {.in = in, .out = {.arena = x->s->a}, .variable = variable};

	VEC_PUSH(x->s->a, &x->open, e);
	if (variable != MAP_NONE)
		x->states[variable] = UNDER_WAY;
}

static void
pop(struct scope *x)
{
	struct expansion *e = &x->open.v[--x->open.n];

	if (e->variable != MAP_NONE) {
		x->states[e->variable] = READY;
		x->values[e->variable] = str_dup(x->s->a, buf_as_str(&e->out));
	}
}

/* Expands the last of the open texts, and all that it needs. */
static enum macro_result
run(struct scope *x)
{
	while (x->open.n) {
		enum outcome o = advance(x, &x->open.v[x->open.n - 1]);

		if (o == WRONG)
			return MACRO_WRONG;
		if (o == OF_VENDOR)
			return MACRO_OF_VENDOR;
		if (o == DID)
			pop(x);
		else
			push(x, x->preset->environment.v.v[x->needed].value->text,
				x->needed);
	}
	return MACRO_OK;
}

static enum macro_result
expand_text(struct scope *x, struct str text, struct str *out)
{
	enum macro_result r;

	push(x, text, MAP_NONE);
	r = run(x);
	/* After pop the text is still in place. */
	*out = r == MACRO_OK ? str_dup(x->s->a, buf_as_str(&x->open.v[0].out)) : STR("");
	return r;
}

/* ---- environments ---------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
	const struct preset_pair *x = a, *y = b;

	return str_order(x->name, y->name);
}

/* Pairs sorted by name, the order in which ctest visits them. */
struct preset_pair *
preset_pairs_sorted(struct arena *a, const struct preset_pairs *pairs)
{
	struct preset_pair *v = NEW_ARRAY(a, struct preset_pair, pairs->v.n);

	if (pairs->v.n) {
		memcpy(v, pairs->v.v, pairs->v.n * sizeof *v);
		qsort(v, pairs->v.n, sizeof *v, by_name);
	}
	return v;
}

static struct scope
scope_of(struct preset_set *s, struct preset *p)
{
	return (struct scope){.s = s,
		.file = p->file,
		.preset = p,
		.states = p->states,
		.values = p->values};
}

enum macro_result
preset_expand_environment(struct preset_set *s, struct preset *p)
{
	struct preset_pair *v = preset_pairs_sorted(s->a, &p->environment);
	size_t n = p->environment.v.n;
	struct scope x;

	p->states = NEW_ARRAY(s->a, uint8_t, n);
	p->values = NEW_ARRAY(s->a, struct str, n);
	x = scope_of(s, p);
	for (size_t i = 0; i < n; i++) {
		uint32_t at = map_get(&p->environment.names, v[i].name);
		enum macro_result r;

		if (json_is(v[i].value, JSON_NULL) || p->states[at] == READY)
			continue;
		push(&x, v[i].value->text, at);
		r = run(&x);
		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

enum macro_result
preset_expand(struct preset_set *s, struct preset *p, struct str text, struct str *out)
{
	struct scope x = scope_of(s, p);

	return expand_text(&x, text, out);
}

/* A text without macros is its own value. */
enum macro_result
preset_expand_include(struct preset_set *s, const struct preset_file *file,
	struct str text, struct str *out)
{
	struct scope x = {.s = s, .file = file};

	if (file->version < 7) {
		*out = text;
		return MACRO_OK;
	}
	return expand_text(&x, text, out);
}

/* ---- conditions ------------------------------------------------------------------ */

struct question {
	struct preset_set *s;
	struct preset *preset;
	enum macro_result result;
};

static bool
ask_text(struct question *q, const struct json_value *v, struct str *text)
{
	q->result = preset_expand(q->s, q->preset, v->text, text);
	return q->result == MACRO_OK;
}

static bool
ask_two(struct question *q, const struct json_value *c, const char *const names[2],
	struct str v[2])
{
	return ask_text(q, json_member(c, names[0]), &v[0]) &&
	       ask_text(q, json_member(c, names[1]), &v[1]);
}

static bool
is_equal(struct question *q, const struct json_value *c)
{
	struct str v[2] = {STR(""), STR("")};

	return ask_two(q, c, (const char *const[]){"lhs", "rhs"}, v) &&
	       str_eq(v[0], v[1]);
}

static bool
is_in_list(struct question *q, const struct json_value *c)
{
	struct str wanted, element;
	const struct json_value *list = json_member(c, "list"), *m;

	if (!ask_text(q, json_member(c, "string"), &wanted))
		return false;
	for (m = json_first(list); m; m = m->next) {
		if (!ask_text(q, m, &element))
			return false;
		if (str_eq(wanted, element))
			return true;
	}
	return false;
}

/* A pattern that does not compile is an error like a wrong macro. */
static bool
is_match(struct question *q, const struct json_value *c)
{
	struct str v[2] = {STR(""), STR("")}, why = STR_NONE;
	const struct pattern *p;

	if (!ask_two(q, c, (const char *const[]){"string", "regex"}, v))
		return false;
	p = match_set_get(q->s->patterns, v[1], &why);
	if (!p->matcher) {
		buf_str(&q->s->noise, why);
		q->result = MACRO_WRONG;
	}
	return match_has(p->matcher, v[0]);
}

static bool is_true(struct question *q, const struct json_value *c);

/* Evaluates the conditions until one has the wanted result. */
static bool
is_any(struct question *q, const struct json_value *c, bool wanted)
{
	const struct json_value *conditions = json_member(c, "conditions"), *m;

	for (m = json_first(conditions); m; m = m->next) {
		if (is_true(q, m) == wanted && q->result == MACRO_OK)
			return true;
		if (q->result != MACRO_OK)
			return false;
	}
	return false;
}

/* Recursive, at most as deep as JSON nests. */
static bool
is_true(struct question *q, const struct json_value *c)
{
	const struct json_value *t = json_member(c, "type");
	struct str type = t ? t->text : STR("");

	if (json_is_bool(c))
		return json_is(c, JSON_TRUE);
	if (str_is(type, "const"))
		return json_is(json_member(c, "value"), JSON_TRUE);
	if (str_is(type, "equals") || str_is(type, "notEquals"))
		return is_equal(q, c) == str_is(type, "equals");
	if (str_is(type, "inList") || str_is(type, "notInList"))
		return is_in_list(q, c) == str_is(type, "inList");
	if (str_is(type, "matches") || str_is(type, "notMatches"))
		return is_match(q, c) == str_is(type, "matches");
	if (str_is(type, "anyOf"))
		return is_any(q, c, true);
	if (str_is(type, "allOf"))
		return !is_any(q, c, false);
	return !is_true(q, json_member(c, "condition"));
}

enum macro_result
preset_condition(struct preset_set *s, struct preset *p,
	const struct json_value *condition, bool *holds)
{
	struct question q = {s, p, MACRO_OK};

	*holds = !condition || is_true(&q, condition);
	return q.result;
}
