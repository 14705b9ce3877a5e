/* Variables, scopes, environment and functions of the evaluator, and how changes of them
 * are undone. */
#include "manifests/cmake/cmake_commands.h"

#include <stdlib.h>
#include <string.h>

struct evaluator_mark {
	size_t journal_n, functions_undo_n, envs_undo_n, warned_n, out_n, raises_n,
		policy_stack_n, policy_stack_floor;
	struct scope *scope;
	struct frame *frame;
	struct str directory;
	policy_set policies;
	unsigned depth;
	bool is_stopped, has_weak_policies;
};

/* The slot of a word, by its length and its last bytes. */
static struct str *
recent_place(struct evaluator *e, struct str s)
{
	uint64_t w = 0;
	size_t n = s.n < sizeof w ? s.n : sizeof w;

	memcpy(&w, s.p + s.n - n, n);
	w = (w ^ s.n) * UINT64_C(0x9E3779B97F4A7C15);
	return &e->recent[w >> 56];
}

struct str
keep(struct evaluator *e, struct str s)
{
	struct str *known;

	_Static_assert(RECENT == 1 << 8, "the upper 8 bits are an index");
	if (s.n == 0)
		return STR("");
	known = recent_place(e, s);
	if (!str_eq(*known, s))
		*known = str_dup(e->a, s);
	return *known;
}

const char *
path_seen(struct evaluator *e, struct str path)
{
	if (path.n && path.p[0] == '/')
		return str_z(e->scratch, path);
	return str_fmt_z(e->scratch, "%.*s/%.*s", STR_ARG(e->directory), STR_ARG(path));
}

/* ---- variables ------------------------------------------------------------------- */

struct str
variable_get(const struct evaluator *e, struct str name)
{
	uint32_t i = map_get(&e->names, name);

	return i == MAP_NONE ? STR_NONE : e->vars.v[i].value;
}

struct str
variable_or_empty(const struct evaluator *e, struct str name)
{
	struct str s = variable_get(e, name);

	return s.p ? s : STR("");
}

uint32_t
variable_index(struct evaluator *e, struct str name)
{
	uint32_t i = map_get(&e->names, name);

	if (i == MAP_NONE) {
		i = (uint32_t)e->vars.n;
		name = str_dup(e->a, name);
		map_set(&e->names, name, i);
		VEC_PUSH(e->a, &e->vars, (struct var){.name = name});
	}
	return i;
}

static struct var *
var_to_write(struct evaluator *e, struct str name)
{
	uint32_t i = variable_index(e, name);
	struct var *v = &e->vars.v[i];

	if (v->epoch != e->epoch) {
		VEC_PUSH(e->a, &e->journal,
			(struct var_undo){i, v->epoch, v->value, v->own, v->cap});
		v->epoch = e->epoch;
		v->own = NULL;
		v->cap = 0;
	}
	return v;
}

/* Text that is doubled again and again fills any memory; such large values are left to
 * cmake. */
static bool
has_room(struct evaluator *e, size_t n)
{
	enum { LARGEST = 1 << 26, BYTES_OF_A_STEP = 1024 };

	if (n > LARGEST)
		return leave_subset(e, "a value of %zu bytes", n);
	return spend(e, n / BYTES_OF_A_STEP);
}

/* Makes room for n bytes in the variable's own buffer; the bytes in it stay. */
static void
var_room(struct evaluator *e, struct var *v, size_t n)
{
	size_t cap = n < 16 ? 16 : n;
	char *p;

	if (v->own && v->cap >= n)
		return;
	if (v->own && cap < SIZE_MAX / 4)
		cap *= 2;
	p = arena_alloc(e->a, cap);
	v->own = p;
	v->cap = cap;
}

void
variable_set(struct evaluator *e, struct str name, struct str value)
{
	struct var *v = var_to_write(e, name);

	if (value.n == 0) {
		v->value = STR("");
		return;
	}
	if (!has_room(e, value.n))
		return;
	var_room(e, v, value.n);
	memmove(v->own, value.p, value.n);
	v->value = str_cut(v->own, value.n);
}

void
variable_unset(struct evaluator *e, struct str name)
{
	if (variable_get(e, name).p)
		var_to_write(e, name)->value = STR_NONE;
}

void
variable_append(
	struct evaluator *e, struct str name, struct str separator, struct str value)
{
	struct var *v = var_to_write(e, name);
	struct str old = v->value;
	size_t n = old.n + separator.n + value.n;

	if (!has_room(e, n))
		return;
	var_room(e, v, n ? n : 1);
	if (old.n && old.p != v->own)
		memmove(v->own, old.p, old.n);
	if (separator.n)
		memcpy(v->own + old.n, separator.p, separator.n);
	if (value.n)
		memmove(v->own + old.n + separator.n, value.p, value.n);
	v->value = str_cut(v->own, n);
}

static void
undo_variables(struct evaluator *e, size_t to)
{
	while (e->journal.n > to) {
		const struct var_undo *u = &e->journal.v[--e->journal.n];
		struct var *v = &e->vars.v[u->var];

		v->epoch = u->epoch;
		v->value = u->value;
		v->own = u->own;
		v->cap = u->cap;
	}
}

/* ---- scopes ---------------------------------------------------------------------- */

void
scope_push(struct evaluator *e, struct scope *s)
{
	*s = (struct scope){
		.outer = e->scope, .journal_n = e->journal.n, .epoch = e->epoch};
	e->epoch = ++e->newest_epoch;
	e->scope = s;
}

void
scope_pop(struct evaluator *e)
{
	struct scope *s = e->scope;

	INVARIANT(s);
	undo_variables(e, s->journal_n);
	e->epoch = s->epoch;
	e->scope = s->outer;
	for (size_t i = 0; i < s->raises.n; i++)
		if (s->raises.v[i].value.p)
			variable_set(e, s->raises.v[i].name, s->raises.v[i].value);
		else
			variable_unset(e, s->raises.v[i].name);
}

bool
variable_raise(struct evaluator *e, struct str name, struct str value)
{
	if (!e->scope)
		return false;
	VEC_PUSH(e->a, &e->scope->raises,
		(struct raise){keep(e, name), value.p ? keep(e, value) : value});
	return true;
}

/* ---- environment ----------------------------------------------------------------- */

struct str
env_get(struct evaluator *e, struct str name)
{
	uint32_t i = map_get(&e->env_names, name);
	const struct env *v;

	if (i == MAP_NONE)
		return str_of(getenv(str_z(e->scratch, name)));
	v = &e->envs.v[i];
	return v->is_set ? v->value : STR_NONE;
}

void
env_set(struct evaluator *e, struct str name, struct str value)
{
	uint32_t i = map_get(&e->env_names, name);
	bool is_new = i == MAP_NONE;
	struct str words[2];

	if (is_new) {
		i = (uint32_t)e->envs.n;
		name = str_dup(e->a, name);
		map_set(&e->env_names, name, i);
		VEC_PUSH(e->a, &e->envs, (struct env){.name = name});
	}
	VEC_PUSH(e->a, &e->envs_undo, (struct env_undo){i, e->envs.v[i], is_new});
	e->envs.v[i].is_set = value.p != NULL;
	e->envs.v[i].value = value.p ? keep(e, value) : value;
	e->has_depth_text = false;
	words[0] = name;
	words[1] = value;
	declare(e, DECLARE_ENVIRONMENT, (struct str_list){words, value.p ? 2 : 1});
}

static void
undo_environment(struct evaluator *e, size_t to)
{
	e->has_depth_text = false;
	while (e->envs_undo.n > to) {
		const struct env_undo *u = &e->envs_undo.v[--e->envs_undo.n];

		e->envs.v[u->env] = u->old;
		if (u->is_new) {
			const char *now = getenv(str_z(e->a, u->old.name));

			e->envs.v[u->env].is_set = now;
			e->envs.v[u->env].value = str_of(now);
		}
	}
}

/* ---- functions ------------------------------------------------------------------- */

const struct function *
function_get(struct evaluator *e, struct str lower)
{
	uint32_t i = map_get(&e->functions_by_name, lower);

	return i == MAP_NONE ? NULL : e->functions.v[i];
}

void
function_define(struct evaluator *e, struct str lower, const struct function *f)
{
	struct str key = str_dup(e->a, lower);
	uint32_t *at = map_at(&e->functions_by_name, key);

	INVARIANT(f && lower.n);
	VEC_PUSH(e->a, &e->functions_undo, (struct function_undo){key, *at});
	*at = (uint32_t)e->functions.n;
	VEC_PUSH(e->a, &e->functions, f);
}

static void
undo_functions(struct evaluator *e, size_t to)
{
	while (e->functions_undo.n > to) {
		const struct function_undo *u =
			&e->functions_undo.v[--e->functions_undo.n];

		map_set(&e->functions_by_name, u->key, u->old);
	}
}

/* ---- marks ----------------------------------------------------------------------- */

struct evaluator_mark *
evaluator_mark(struct evaluator *e)
{
	struct evaluator_mark *m = NEW(e->a, struct evaluator_mark);

	INVARIANT(e);
	*m = (struct evaluator_mark){.journal_n = e->journal.n,
		.functions_undo_n = e->functions_undo.n,
		.envs_undo_n = e->envs_undo.n,
		.warned_n = e->warned.n,
		.out_n = e->out->n,
		.raises_n = e->scope ? e->scope->raises.n : 0,
		.policy_stack_n = e->policy_stack.n,
		.scope = e->scope,
		.frame = e->frame,
		.directory = e->directory,
		.policies = e->policies,
		.policy_stack_floor = e->policy_stack_floor,
		.has_weak_policies = e->has_weak_policies,
		.depth = e->depth,
		.is_stopped = e->is_stopped};
	e->epoch = ++e->newest_epoch;
	return m;
}

void
evaluator_rewind(struct evaluator *e, struct evaluator_mark *m)
{
	INVARIANT(e->scope == m->scope && e->frame == m->frame && e->depth == m->depth);
	undo_variables(e, m->journal_n);
	undo_functions(e, m->functions_undo_n);
	undo_environment(e, m->envs_undo_n);
	while (e->warned.n > m->warned_n)
		map_set(&e->warned_macros, e->warned.v[--e->warned.n], MAP_NONE);
	e->out->n = m->out_n;
	if (e->scope)
		e->scope->raises.n = m->raises_n;
	e->policy_stack.n = m->policy_stack_n;
	e->directory = m->directory;
	e->policy_stack_floor = m->policy_stack_floor;
	e->has_weak_policies = m->has_weak_policies;
	e->policies = m->policies;
	e->is_stopped = m->is_stopped;
	e->outside = (struct eval_outside){0};
	e->flow = FLOW_ON;
	e->epoch = ++e->newest_epoch;
}

/* ---- seen from outside ----------------------------------------------------------- */

struct str
evaluator_get(const struct evaluator *e, struct str variable)
{
	return variable_get(e, variable);
}

void
evaluator_set(struct evaluator *e, struct str variable, struct str value)
{
	if (value.p)
		variable_set(e, variable, value);
	else
		variable_unset(e, variable);
}

void
evaluator_set_environment(struct evaluator *e, struct str name, struct str value)
{
	env_set(e, name, value);
}

struct variable *
evaluator_variables(const struct evaluator *e, struct arena *a, size_t *n)
{
	struct variable *v = NEW_ARRAY(a, struct variable, e->vars.n);

	INVARIANT(n);
	*n = 0;
	for (size_t i = 0; i < e->vars.n; i++)
		if (e->vars.v[i].value.p)
			v[(*n)++] =
				(struct variable){e->vars.v[i].name, e->vars.v[i].value};
	return v;
}

int
evaluator_read_error(const struct evaluator *e)
{
	return e->read_error;
}

struct eval_outside
evaluator_outside(const struct evaluator *e)
{
	return e->outside;
}

bool
evaluator_stopped(const struct evaluator *e)
{
	return e->is_stopped;
}
