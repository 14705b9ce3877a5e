/*
 * From documents to presets. See preset_set.h.
 *
 * A field is the preset's own or that of the first parent that has it. Objects such as
 * output are merged member by member, except those that are inherited as a whole. Maps
 * are merged by name. Presets are visited in the order of their names.
 *
 * "condition": null keeps a preset from inheriting a condition. ctest visits a preset
 * again for each preset that inherits it, and then the null is lost. So this code visits
 * a preset as often as a visit changes something, which is twice.
 */
#include "compat/presets/preset_set.h"

#include "compat/format/regex.h"
#include "runner/base/sort.h"

struct group {
	struct map names; /* index into v */
	VEC(struct preset *) v; /* in the order of the files */
	struct preset **by_name;
};
struct preset_set {
	struct preset_faults faults;
	struct str directory;
	const struct preset_files *files;
	struct group kinds[PRESET_KINDS];
	struct buf noise;
};

/* ---- presets of files ------------------------------------------------------------ */

static bool
add_preset(struct preset_set *s, struct preset *p)
{
	struct preset_faults *f = &s->faults;
	struct group *group = &s->kinds[p->kind];
	bool is_aged = p->kind == PRESET_CONFIGURE &&
		       f->dialect->has[DIALECT_PRESET_AGE_BEFORE_DUPLICATE];
	uint32_t *at = map_at(&group->names, p->name);

	if (is_aged && !preset_age_check(f, p->kind, p->json, p->file->version))
		return false;
	if (*at != MAP_NONE)
		return preset_wrong(f, "Duplicate presets", NOWHERE,
			"Duplicate preset: \"%.*s\"", STR_ARG(p->name));
	*at = (uint32_t)group->v.n;
	VEC_PUSH(f->a, &group->v, p);
	return is_aged || preset_age_check(f, p->kind, p->json, p->file->version);
}

static bool
add_kind(struct preset_set *s, const struct preset_file *file, enum preset_kind kind)
{
	const struct json_value *array =
		json_member(file->document.root, preset_words[kind].member);

	for (const struct json_value *v = json_first(array); v; v = v->next)
		if (!preset_pre_expand(&s->faults, file, kind, v) ||
			!add_preset(s, preset_new(s->faults.a, kind, file, v)))
			return false;
	return true;
}

static bool
add_file(void *taker, const struct preset_file *file)
{
	for (int kind = 0; kind < PRESET_KINDS; kind++)
		if (!add_kind(taker, file, (enum preset_kind)kind))
			return false;
	return true;
}

SORT_POINTERS_BY(sort_by_name, struct preset, TEXTUAL(name))

static void
sort_presets(struct preset_set *s)
{
	for (int k = 0; k < PRESET_KINDS; k++) {
		struct group *g = &s->kinds[k];

		g->by_name = NEW_ARRAY(s->faults.a, struct preset *, g->v.n);
		if (!g->v.n)
			continue;
		memcpy(g->by_name, g->v.v, g->v.n * sizeof *g->by_name);
		sort_by_name(g->by_name, g->v.n);
	}
}

struct preset *
preset_find(const struct preset_set *s, enum preset_kind kind, struct str name)
{
	uint32_t at = map_get(&s->kinds[kind].names, name);

	return at == MAP_NONE ? NULL : s->kinds[kind].v.v[at];
}

/* ---- what a preset must have ----------------------------------------------------- */

/* In newer releases the message has the kind and the reason. */
static bool
refuse_preset(struct preset_set *s, const struct preset *p, const char *why)
{
	bool has_why = *why && s->faults.dialect->has[DIALECT_PRESET_ERROR_KINDS];

	return preset_wrong(&s->faults, "Invalid preset", NOWHERE,
		"Invalid %spreset: \"%.*s\"%s%s",
		preset_kind_text(s->faults.dialect, p->kind), STR_ARG(p->name),
		has_why ? ": " : "", has_why ? why : "");
}

static bool
refuse_missing(struct preset_set *s, const struct preset *p, const char *field)
{
	return preset_wrong(&s->faults, "Invalid preset", NOWHERE,
		"Preset \"%.*s\" missing field \"%s\"\nInvalid %spreset: \"%.*s\"",
		STR_ARG(p->name), field, preset_kind_text(s->faults.dialect, p->kind),
		STR_ARG(p->name));
}

/* true: a diagnostic is off as a warning and on as an error. */
static bool
has_contradiction(const struct preset *p)
{
	for (int i = 0; i < DIAGNOSTICS; i++)
		if (json_is(p->fields[CONFIGURE_WARNINGS + i], JSON_FALSE) &&
			json_is(p->fields[CONFIGURE_ERRORS + i], JSON_TRUE))
			return true;
	return false;
}

static bool
check_configure(struct preset_set *s, const struct preset *p)
{
	if (p->is_hidden)
		return true;
	if (p->file->version < 3 && !p->fields[CONFIGURE_GENERATOR])
		return refuse_missing(s, p, "generator");
	if (p->file->version < 3 && !p->fields[CONFIGURE_BINARY_DIRECTORY])
		return refuse_missing(s, p, "binaryDir");
	if (has_contradiction(p))
		return refuse_preset(s, p, "");
	return !map_has(&p->variables.names, STR("")) ||
	       refuse_preset(s, p, "Empty cache variable names are not allowed");
}

static bool
check_whole(struct preset_set *s, const struct preset *p)
{
	if (p->kind == PRESET_CONFIGURE)
		return check_configure(s, p);
	if (p->is_hidden || p->fields[TEST_CONFIGURE_PRESET])
		return true;
	return refuse_preset(s, p,
		str_fmt_z(s->faults.a,
			"%s presets must either be hidden or have an associated "
			"configure preset",
			preset_words[p->kind].title));
}

/* ---- inheriting ------------------------------------------------------------------ */

struct visit {
	struct preset *preset;
	const struct json_value *next; /* name of the next parent */
	struct preset *parent; /* the parent that is being visited */
};
struct visits {
	struct preset_set *s;
	const struct group *group;
	struct visit_state {
		unsigned n;
		bool is_open;
	} * states; /* by index into the group */
	VEC(struct visit) open;
};

static struct visit_state *
state_of(const struct visits *v, const struct preset *p)
{
	return &v->states[map_get(&v->group->names, p->name)];
}

static const struct json_value *
first_parent(const struct preset *p)
{
	const struct json_value *inherits = json_member(p->json, "inherits");

	return json_is(inherits, JSON_ARRAY) ? inherits->first : inherits;
}

/* An element of an array has next siblings. "inherits" itself also has them, but they are
 * not parents. */
static const struct json_value *
next_parent(const struct preset *p, const struct json_value *name)
{
	return json_is(json_member(p->json, "inherits"), JSON_ARRAY) ? name->next : NULL;
}

static bool
begin_visit(struct visits *v, struct preset *p)
{
	struct preset_faults *f = &v->s->faults;
	struct visit_state *state = state_of(v, p);

	if (state->is_open)
		return preset_wrong(f, "Cyclic preset inheritance", NOWHERE,
			"Cyclic preset inheritance for %spreset \"%.*s\"",
			preset_kind_text(f->dialect, p->kind), STR_ARG(p->name));
	if (state->n >= 2)
		return true;
	state->n++;
	state->is_open = true;
	VEC_PUSH(f->a, &v->open, (struct visit){p, first_parent(p), NULL});
	return !map_has(&p->environment.names, STR("")) ||
	       refuse_preset(v->s, p, "Empty environment variable names are not allowed");
}

static bool
find_parent(struct visits *v, struct visit *at)
{
	struct preset_set *s = v->s;
	struct preset_faults *f = &s->faults;
	struct preset *child = at->preset, *parent;
	struct str name = at->next->text;

	at->next = next_parent(child, at->next);
	at->parent = parent = preset_find(s, child->kind, name);
	if (!parent)
		return refuse_preset(s, child,
			str_fmt_z(f->a, "Could not find inherited preset \"%.*s\"",
				STR_ARG(name)));
	if (!preset_files_reach(s->files, child->file, parent->file))
		return preset_wrong(f,
			"Inherited preset is unreachable from preset's file", NOWHERE,
			"Inherited %spreset \"%.*s\" is unreachable from preset's file",
			preset_kind_text(f->dialect, child->kind), STR_ARG(child->name));
	return begin_visit(v, parent);
}

static bool
end_visit(struct visits *v)
{
	struct preset *p = v->open.v[--v->open.n].preset;

	state_of(v, p)->is_open = false;
	if (json_is(p->condition, JSON_NULL))
		p->condition = NULL;
	return check_whole(v->s, p);
}

static bool
visit_preset(struct visits *v, struct preset *p)
{
	if (!begin_visit(v, p))
		return false;
	while (v->open.n) {
		struct visit *at = &v->open.v[v->open.n - 1];

		if (at->parent) {
			preset_inherit(v->s->faults.a, at->preset, at->parent);
			at->parent = NULL;
		} else if (!(at->next ? find_parent(v, at) : end_visit(v))) {
			return false;
		}
	}
	return true;
}

static bool
inherit_all(struct preset_set *s)
{
	for (int kind = PRESET_CONFIGURE; kind < PRESET_WORKFLOW; kind++) {
		const struct group *g = &s->kinds[kind];
		struct visits v = {.s = s,
			.group = g,
			.states = NEW_ARRAY(s->faults.a, struct visit_state, g->v.n)};

		for (size_t i = 0; i < g->v.n; i++)
			if (!visit_preset(&v, g->by_name[i]))
				return false;
	}
	return true;
}

/* ---- evaluation ------------------------------------------------------------------ */

/* Takes over the environment of the configure preset that p uses. */
static bool
use_configure(struct preset_set *s, struct preset *p)
{
	const struct json_value *name = p->fields[TEST_CONFIGURE_PRESET];
	const struct preset *configure;

	if (p->is_hidden || p->kind == PRESET_CONFIGURE)
		return true;
	configure = preset_find(s, PRESET_CONFIGURE, name->text);
	if (!configure)
		return preset_wrong(&s->faults, "Invalid \"configurePreset\" field",
			NOWHERE, "Invalid \"configurePreset\": \"%.*s\"",
			STR_ARG(p->name));
	if (!preset_files_reach(s->files, p->file, configure->file))
		return preset_wrong(&s->faults,
			"Configure preset is unreachable from preset's file", NOWHERE,
			"Configure preset \"%.*s\" is unreachable from preset's file",
			STR_ARG(p->name));
	if (!json_is(p->fields[TEST_INHERIT_ENVIRONMENT], JSON_FALSE))
		preset_pairs_join(s->faults.a, &p->environment, &configure->environment);
	return true;
}

/* The generator of a configure preset, or of the configure preset that another preset
 * uses. */
static struct str
generator_of(const struct preset_set *s, const struct preset *p)
{
	const struct json_value *v;

	if (p->kind != PRESET_CONFIGURE) {
		v = p->fields[TEST_CONFIGURE_PRESET];
		p = v ? preset_find(s, PRESET_CONFIGURE, v->text) : NULL;
	}
	v = p ? p->fields[CONFIGURE_GENERATOR] : NULL;
	return v ? v->text : STR("");
}

static bool
evaluate_all(struct preset_set *s, struct match_set *patterns)
{
	struct preset_surroundings around = {.faults = &s->faults,
		.directory = s->directory,
		.patterns = patterns,
		.noise = &s->noise};

	for (int kind = PRESET_CONFIGURE; kind < PRESET_WORKFLOW; kind++)
		for (size_t i = 0; i < s->kinds[kind].v.n; i++) {
			struct preset *p = s->kinds[kind].by_name[i];

			around.generator = generator_of(s, p);
			if (!use_configure(s, p) || !preset_evaluate(&around, p))
				return false;
		}
	return true;
}

/* ---- workflows ------------------------------------------------------------------- */

static bool
wrong_step(struct preset_set *s, struct str step, const char *newer, const char *rest)
{
	return preset_wrong(&s->faults, "Invalid workflow steps", NOWHERE,
		"%s \"%.*s\"%s", newer, STR_ARG(step), rest);
}

static enum preset_kind
kind_of_step(const struct json_value *type)
{
	int kind = PRESET_CONFIGURE;

	while (kind < PRESET_KINDS &&
		!str_is(type->text, preset_words[(enum preset_kind)kind].name))
		kind++;
	return (enum preset_kind)kind;
}

/* Every step uses the configure preset of the first. */
static bool
check_step(struct preset_set *s, const struct preset *w, const struct json_value *step,
	const struct preset **first)
{
	enum preset_kind kind = kind_of_step(json_member(step, "type"));
	struct str name = json_member(step, "name")->text;
	const struct preset *p = preset_find(s, kind, name);
	const struct json_value *uses;

	if (*first && kind == PRESET_CONFIGURE)
		return wrong_step(
			s, name, "Configure workflow step", " must be the first step");
	if (!*first && kind != PRESET_CONFIGURE)
		return wrong_step(
			s, name, "First workflow step", " must be a configure step");
	if (!p)
		return wrong_step(s, name, "Invalid workflow step", "");
	if (!preset_files_reach(s->files, w->file, p->file))
		return preset_wrong(&s->faults,
			"Workflow step is unreachable from preset's file", NOWHERE,
			"Workflow step \"%.*s\" is unreachable from preset's file",
			STR_ARG(name));
	if (!*first) {
		*first = p;
		return true;
	}
	uses = p->fields[TEST_CONFIGURE_PRESET];
	return (uses && str_eq((*first)->name, uses->text)) ||
	       wrong_step(s, (*first)->name, "Invalid workflow step", "");
}

static bool
check_workflows(struct preset_set *s)
{
	for (size_t i = 0; i < s->kinds[PRESET_WORKFLOW].v.n; i++) {
		const struct preset *w = s->kinds[PRESET_WORKFLOW].by_name[i];
		const struct preset *first = NULL;
		const struct json_value *steps = json_member(w->json, "steps"), *step;

		for (step = json_first(steps); step; step = step->next)
			if (!check_step(s, w, step, &first))
				return false;
		if (!first)
			return preset_wrong(&s->faults, "Invalid workflow steps", NOWHERE,
				"No workflow steps specified for \"%.*s\"",
				STR_ARG(w->name));
	}
	return true;
}

/* ---- all ------------------------------------------------------------------------- */

/* Stops at the first step that finds errors. */
static void
make_presets(struct preset_set *s, bool is_read)
{
	struct match_set *patterns;
	bool is_right;

	INVARIANT(is_read == (s->faults.n == 0));
	if (!is_read)
		return;
	sort_presets(s);
	patterns = match_set_open(s->faults.a, regex_parse);
	is_right = inherit_all(s) && evaluate_all(s, patterns) && check_workflows(s);
	INVARIANT(is_right == (s->faults.n == 0));
	match_set_close(patterns);
}

const struct preset_set *
preset_set_read(struct arena *a, const struct dialect *dialect,
	const struct preset_source *source)
{
	struct preset_set *s = NEW(a, struct preset_set);
	struct preset_files_request request = {.faults = &s->faults,
		.directory = source->directory,
		.named = source->named,
		.text = source->text,
		.earlier = source->earlier ? source->earlier->files : NULL,
		.take = add_file,
		.taker = s};
	bool is_read;

	*s = (struct preset_set){
		.faults = {.a = a, .dialect = dialect, .text = {.arena = a}},
		.directory = source->directory,
		.noise = {.arena = a}};
	for (int kind = 0; kind < PRESET_KINDS; kind++)
		s->kinds[kind].names = map_in(a);
	s->files = preset_files_read(&request, &is_read);
	make_presets(s, is_read);
	return s;
}

struct str
preset_set_directory(const struct preset_set *s)
{
	return s->directory;
}

const char *
preset_set_fault(const struct preset_set *s)
{
	return s->faults.n ? s->faults.text.p : NULL;
}

struct str
preset_set_noise(const struct preset_set *s)
{
	return buf_as_str(&s->noise);
}

struct preset_list
preset_list(const struct preset_set *s, enum preset_kind kind)
{
	return (struct preset_list){s->kinds[kind].v.v, s->kinds[kind].v.n};
}
