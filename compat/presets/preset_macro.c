/*
 * Macros of presets. See preset_macro.h.
 *
 * $env{X} with a variable that the preset itself sets needs the value of that variable
 * first. A text is expanded up to such a macro, and continued later, with an explicit
 * stack, since the file decides how deep variables use each other.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "compat/presets/preset_macro.h"
#include "runner/base/files.h"
#include "runner/base/sort.h"

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
	const struct preset_macros *m;
	uint8_t *states; /* of the environment while it is expanded; else NULL */
	uint32_t needed; /* set with NEEDS */
	VEC(struct expansion) open;
};

static bool
is_of_include(const struct preset_macros *m)
{
	return !m->preset_name.p;
}

static struct str
host_name(struct arena *a)
{
	struct utsname name;

	return uname(&name) == 0 ? str_dup(a, str_of(name.sysname)) : STR("");
}

static enum outcome
expand_named(const struct preset_macros *m, struct str name, struct buf *out)
{
	bool is_host = str_is(name, "hostSystemName");
	const struct {
		const char *name;
		int since; /* first version of the format */
		bool is_of_preset; /* not in include */
		struct str value;
	} macros[] = {
		{"sourceDir", 1, false, m->source_directory},
		{"sourceParentDir", 1, false, path_parent(m->source_directory)},
		{"sourceDirName", 1, false, path_name(m->source_directory)},
		{"presetName", 1, true, m->preset_name},
		{"generator", 1, true, m->generator},
		{"dollar", 1, false, STR("$")},
		{"hostSystemName", 3, false, is_host ? host_name(m->a) : STR("")},
		{"fileDir", 4, false, m->file_directory},
		{"pathListSep", 5, false, STR(":")},
	};

	for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
		if (str_is(name, macros[i].name) && m->version >= macros[i].since &&
			!(macros[i].is_of_preset && is_of_include(m))) {
			buf_str(out, macros[i].value);
			return DID;
		}
	return WRONG;
}

static enum outcome
expand_outer(const struct preset_macros *m, struct str name, struct buf *out)
{
	if (!name.n)
		return WRONG;
	buf_str(out, str_of(getenv(str_z(m->a, name))));
	return DID;
}

static enum outcome
expand_variable(struct scope *x, struct str name, struct buf *out)
{
	const struct preset_pairs *environment = x->m->environment;
	uint32_t at = MAP_NONE;

	if (is_of_include(x->m))
		return WRONG;
	if (name.n)
		at = map_get(&environment->names, name);
	if (at == MAP_NONE || json_is(environment->v.v[at].value, JSON_NULL))
		return expand_outer(x->m, name, out);
	if (x->states && x->states[at] == UNDER_WAY)
		return WRONG;
	if (x->states && x->states[at] == FRESH) {
		x->needed = at;
		return NEEDS;
	}
	buf_str(out, x->m->values[at]);
	return DID;
}

/* In include, version 7 allows only $penv, and older versions nothing. */
static bool
is_allowed(const struct preset_macros *m, bool is_outer)
{
	return !is_of_include(m) || m->version >= 9 || (is_outer && m->version >= 7);
}

static enum outcome
expand_macro(struct scope *x, struct str space, struct str name, struct buf *out)
{
	if (!is_allowed(x->m, str_is(space, "penv")))
		return WRONG;
	if (space.n == 0)
		return expand_named(x->m, name, out);
	if (str_is(space, "env"))
		return expand_variable(x, name, out);
	if (str_is(space, "penv"))
		return expand_outer(x->m, name, out);
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
expand_some(struct scope *x, struct expansion *e)
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
preset_pre_expand_text(const struct preset_macros *m, struct str text, struct str *out)
{
	struct buf b = {.arena = m->a};
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
		if (space.n || m->version < 12 ||
			!str_is(str_cut(rest.p, end), "fileDir"))
			return true;
		buf_str(&b, m->file_directory);
		at += end + 1;
	}
	*out = buf_as_str(&b);
	return true;
}

static void
push_text(struct scope *x, struct str in, uint32_t variable)
{
	struct expansion e = {.in = in, .out = {.arena = x->m->a}, .variable = variable};

	VEC_PUSH(x->m->a, &x->open, e);
	if (variable != MAP_NONE)
		x->states[variable] = UNDER_WAY;
}

static void
pop_text(struct scope *x)
{
	struct expansion *e = &x->open.v[--x->open.n];

	if (e->variable != MAP_NONE) {
		x->states[e->variable] = READY;
		x->m->values[e->variable] = str_dup(x->m->a, buf_as_str(&e->out));
	}
}

/* Expands the last of the open texts, and all that it needs. */
static enum macro_result
expand_open(struct scope *x)
{
	while (x->open.n) {
		enum outcome o = expand_some(x, &x->open.v[x->open.n - 1]);

		if (o == WRONG)
			return MACRO_WRONG;
		if (o == OF_VENDOR)
			return MACRO_OF_VENDOR;
		if (o == DID)
			pop_text(x);
		else
			push_text(x, x->m->environment->v.v[x->needed].value->text,
				x->needed);
	}
	return MACRO_OK;
}

enum macro_result
preset_expand(const struct preset_macros *m, struct str text, struct str *out)
{
	struct scope x = {.m = m};
	enum macro_result r;

	INVARIANT(out);
	push_text(&x, text, MAP_NONE);
	r = expand_open(&x);
	/* After pop the text is still in place. */
	*out = r == MACRO_OK ? str_dup(m->a, buf_as_str(&x.open.v[0].out)) : STR("");
	return r;
}

/* ---- environments ---------------------------------------------------------------- */

struct preset_pairs
preset_pairs_of(struct arena *a, const struct json_value *object)
{
	struct preset_pairs pairs = {.names = map_in(a)};

	for (const struct json_value *m = json_first(object); m; m = m->next) {
		map_set(&pairs.names, m->name, (uint32_t)pairs.v.n);
		VEC_PUSH(a, &pairs.v, (struct preset_pair){m->name, m});
	}
	return pairs;
}

void
preset_pairs_join(
	struct arena *a, struct preset_pairs *to, const struct preset_pairs *from)
{
	INVARIANT(to != from);
	for (size_t i = 0; i < from->v.n; i++) {
		uint32_t *at = map_at(&to->names, from->v.v[i].name);

		if (*at != MAP_NONE)
			continue;
		*at = (uint32_t)to->v.n;
		VEC_PUSH(a, &to->v, from->v.v[i]);
	}
}

SORT_BY(sort_pairs, struct preset_pair, TEXTUAL(name))

struct preset_pair *
preset_pairs_sorted(struct arena *a, const struct preset_pairs *pairs)
{
	struct preset_pair *v = NEW_ARRAY(a, struct preset_pair, pairs->v.n);

	if (pairs->v.n) {
		memcpy(v, pairs->v.v, pairs->v.n * sizeof *v);
		sort_pairs(v, pairs->v.n);
	}
	return v;
}

enum macro_result
preset_expand_environment(struct preset_macros *m)
{
	size_t n = m->environment->v.n;
	struct preset_pair *v = preset_pairs_sorted(m->a, m->environment);
	struct scope x = {.m = m, .states = NEW_ARRAY(m->a, uint8_t, n)};
	enum macro_result r = MACRO_OK;

	m->values = NEW_ARRAY(m->a, struct str, n);
	for (size_t i = 0; r == MACRO_OK && i < n; i++) {
		uint32_t at = map_get(&m->environment->names, v[i].name);

		if (json_is(v[i].value, JSON_NULL) || x.states[at] == READY)
			continue;
		push_text(&x, v[i].value->text, at);
		r = expand_open(&x);
	}
	return r;
}
