/*
 * Options of cctr's own that the command line does not have: the environment says them,
 * then a profile of cctr.yaml, then what is outside of profiles, each time the build
 * tree's files before the user's. The strongest source of an option counts, and what
 * weaker ones say of it does not.
 *
 * Called as ctest, cctr does what ctest does: only the options of the engine count there,
 * and a profile that the command line names. See own_settings.h.
 */
#include "compat/command_line/own_settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compat/command_line/option_table.h"
#include "compat/settings/defaults.h"
#include "runner/base/nearest.h"

struct settling {
	struct option_parse *p;
	const struct default_files *files;
	bool is_called_ctest;
	struct diag *d;
};

/* ---- the rows -------------------------------------------------------------------- */

/* "--resource" of "-r, --resource", without its dashes. */
static struct str
key_of(const struct option_row *row)
{
	const char *name = row->names[1] ? row->names[1] : row->names[0];

	return str_from(str_of(name), strspn(name, "-"));
}

static bool
is_setting(const struct option_row *row)
{
	return row->forms & OWN && !(row->forms & ONCE) && row->summary;
}

struct str_list
own_setting_keys(struct arena *a)
{
	str_vec keys = {0};

	for (size_t i = 0; i < option_rows_n; i++)
		if (is_setting(&option_rows[i]))
			VEC_PUSH(a, &keys, key_of(&option_rows[i]));
	return str_vec_list(&keys);
}

/* "CCTR_SLOW_AFTER" */
static struct str
variable_of(struct arena *a, const struct option_row *row)
{
	struct buf name = {.arena = a};
	struct str key = key_of(row);

	buf_z(&name, "CCTR_");
	for (size_t i = 0; i < key.n; i++)
		buf_char(&name,
			key.p[i] == '-' ? '_' : (char)toupper((unsigned char)key.p[i]));
	return buf_as_str(&name);
}

/* ---- one option ------------------------------------------------------------------ */

/* The setter's own message, without its beginning and its newline. */
static bool
refuse_value(const struct settling *s, struct place at, const options_messages *said)
{
	struct str text = said->n ? said->v[said->n - 1].text : STR("invalid value\n");

	if (str_begins(text, STR("CMake Error: ")))
		text = str_from(text, strlen("CMake Error: "));
	return diag_error(s->d, at, "%.*s", STR_ARG(str_trim(text)));
}

/* Sets the option to one value. `true` and `false` switch what needs no value. */
static bool
set_value(const struct settling *s, const struct option_row *row, struct str value,
	struct place at)
{
	struct option_parse *p = s->p;
	options_messages *all = p->messages, said = {0};
	struct option_use use = {.row = row,
		.spelled = str_fmt(p->a, "--%.*s", STR_ARG(key_of(row))),
		.value = value,
		.has_value = true};
	bool is_right;

	if (row->arity != TAKES_ONE && str_is(value, "false"))
		return true;
	if (row->arity != TAKES_ONE && str_is(value, "true")) {
		use.has_value = false;
		use.value = STR("");
	} else if (row->arity == TAKES_NOTHING) {
		return diag_error(s->d, at, "'%.*s' given '%.*s', not true or false",
			STR_ARG(use.spelled), STR_ARG(value));
	} else if (!value.n) {
		return diag_error(
			s->d, at, "'%.*s' requires an argument", STR_ARG(use.spelled));
	}
	p->messages = &said;
	is_right = row->set(p, &use);
	p->messages = all;
	if (!is_right)
		return refuse_value(s, at, &said);
	VEC_PUSH_ALL(p->a, all, said);
	return true;
}

static void
add_setting(const struct settling *s, struct own_setting setting)
{
	VEC_PUSH(s->p->a, &s->p->o->own_settings, setting);
}

/* The values of the option in that section of a file. false: it has none. */
static bool
find_in_section(const struct settling *s, const struct option_row *row,
	const struct tree *section, const struct tree **found)
{
	struct str key = key_of(row);

	*found = section ? tree_member(section, str_z(s->p->a, key)) : NULL;
	return *found != NULL;
}

/* The first file that sets the option, at first in the profile. */
static const struct tree *
find_in_files(const struct settling *s, const struct option_row *row,
	const struct default_file **file, struct str *profile)
{
	const struct default_files *f = s->files;
	bool is_engine = defaults_is_engine_key(key_of(row));
	const struct tree *found;

	*profile = s->p->o->profile;
	for (*file = f->v; profile->n && *file < f->v + f->n; ++*file)
		if (find_in_section(
			    s, row, defaults_profile((*file)->root, *profile), &found))
			return found;
	*profile = STR_NONE;
	for (*file = f->v; *file < f->v + f->n; ++*file)
		if ((!s->is_called_ctest || is_engine) &&
			find_in_section(s, row, (*file)->root, &found))
			return found;
	return NULL;
}

/* The values of the command line. false: it has none. */
static bool
take_uses(const struct settling *s, const struct option_row *row)
{
	const struct options *o = s->p->o;
	str_vec values = {0};

	for (size_t i = 0; i < o->own_uses.n; i++)
		if (strcmp(o->own_uses.v[i].name, row->names[0]) == 0)
			VEC_PUSH(s->p->a, &values,
				o->own_uses.v[i].has_value ? o->own_uses.v[i].value
							   : STR("true"));
	if (values.n)
		add_setting(s, (struct own_setting){.name = key_of(row),
				       .values = str_vec_list(&values),
				       .source = "command line",
				       .place = str_fmt(
					       s->p->a, "--%.*s", STR_ARG(key_of(row)))});
	return values.n > 0;
}

/* *is_set: the environment has a value. false after diag_error. */
static bool
take_variable(const struct settling *s, const struct option_row *row, bool *is_set)
{
	struct arena *a = s->p->a;
	struct str name = variable_of(a, row), *value = NEW_ARRAY(a, struct str, 1);
	bool is_engine = defaults_is_engine_key(key_of(row));

	*value = str_of(getenv(str_z(a, name)));
	/* What reads CCTR_ENGINE is command_line.c; the others are read here alone. */
	*is_set = value->n && !s->is_called_ctest &&
		  (!is_engine || str_is(name, "CCTR_ENGINE"));
	if (!*is_set)
		return true;
	add_setting(s, (struct own_setting){.name = key_of(row),
			       .values = {value, 1},
			       .source = "environment",
			       .place = name});
	return is_engine || set_value(s, row, *value, (struct place){.file = name});
}

struct str
own_setting_place(struct arena *a, struct str file, unsigned line)
{
	return line ? str_fmt(a, "%.*s:%u", STR_ARG(file), line) : file;
}

static bool
take_node(const struct settling *s, const struct option_row *row, const struct tree *node,
	const struct default_file *file, struct str profile)
{
	struct arena *a = s->p->a;
	str_vec values = {0};
	bool is_right = true, is_list = node->kind == TREE_LIST;

	for (const struct tree *m = is_list ? node->first : node; m;
		m = is_list ? m->next : NULL) {
		struct place at = {.file = file->path, .line = m->line};

		VEC_PUSH(a, &values, m->text);
		/* compat/run sets those of the engine, for each build tree. */
		if (!defaults_is_engine_key(key_of(row)))
			is_right = set_value(s, row, m->text, at) && is_right;
	}
	add_setting(s, (struct own_setting){.name = key_of(row),
			       .values = str_vec_list(&values),
			       .source = file->is_users ? "user" : "tree",
			       .place = own_setting_place(a, file->path, node->line),
			       .profile = profile});
	return is_right;
}

static bool
take_option(const struct settling *s, const struct option_row *row)
{
	const struct default_file *file;
	const struct tree *node;
	struct str profile;
	bool is_set;

	if (take_uses(s, row))
		return true;
	if (!take_variable(s, row, &is_set))
		return false;
	if (is_set)
		return true;
	node = find_in_files(s, row, &file, &profile);
	if (node)
		return take_node(s, row, node, file, profile);
	add_setting(s, (struct own_setting){.name = key_of(row), .source = "default"});
	return true;
}

/* ---- the profile ----------------------------------------------------------------- */

static bool
take_profile(const struct settling *s)
{
	struct options *o = s->p->o;
	const char *variable = getenv("CCTR_PROFILE");
	str_vec names = {0};
	bool is_there = false;

	if (!o->profile.n && variable && !s->is_called_ctest)
		o->profile = str_of(variable);
	for (size_t i = 0; i < s->files->n; i++) {
		const struct tree *root = s->files->v[i].root;

		is_there = is_there || defaults_profile(root, o->profile);
		defaults_add_profiles(s->p->a, root, &names);
	}
	if (!o->profile.n || is_there)
		return true;
	if (!names.n)
		return diag_error(s->d, NO_PLACE,
			"there is no profile '%.*s': no cctr.yaml that is read has "
			"profiles",
			STR_ARG(o->profile));
	return diag_error(s->d, NO_PLACE, "there is no profile '%.*s'; %.*s",
		STR_ARG(o->profile),
		STR_ARG(nearest_hint(
			s->p->a, o->profile, str_vec_list(&names), "the profiles are ")));
}

bool
own_settings_take(struct option_parse *p, const struct default_files *files,
	bool is_ctest, struct diag *d)
{
	const struct settling s = {
		.p = p, .files = files, .is_called_ctest = is_ctest, .d = d};
	bool is_right = take_profile(&s);

	for (size_t i = 0; i < option_rows_n && is_right; i++)
		if (is_setting(&option_rows[i]))
			is_right = take_option(&s, &option_rows[i]);
	return is_right;
}
