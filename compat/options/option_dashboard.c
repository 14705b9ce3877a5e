/* -D, -M, -T, -A, --extra-submit: which steps a dashboard runs. */
#include "compat/options/dashboard_options.h"

#include "compat/options/option_parse.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

static void
turn_on(struct option_parse *p, enum part part)
{
	p->o->dashboard.is_on = true;
	p->o->dashboard.parts |= 1U << part;
}

static bool
refuse_value(
	struct option_parse *p, const char *name, struct str value, const char *available)
{
	option_complain(p, false,
		str_fmt(p->a, "CTest %s called with incorrect option: %.*s\n", name,
			STR_ARG(value)));
	option_complain(p, false, str_fmt(p->a, "Available options are:\n%s", available));
	return false;
}

static void
set_model(struct option_parse *p, enum model model)
{
	p->o->dashboard.model = model;
	p->o->run.no_interactive_debug = true;
}

bool
option_set_model(struct option_parse *p, const struct option_use *use)
{
	enum model model = model_parse(use->value);

	if (model == MODELS)
		return refuse_value(p, "-M", use->value,
			"  ctest -M Continuous\n"
			"  ctest -M Experimental\n"
			"  ctest -M Nightly\n");
	set_model(p, model);
	if (p->dialect->has[DIALECT_MODEL_ALONE_IS_DASHBOARD])
		p->o->dashboard.is_on = true;
	return true;
}

bool
option_set_action(struct option_parse *p, const struct option_use *use)
{
	enum part part = part_parse(use->value);

	if (str_eq_nocase(use->value, STR("all")))
		for (int i = 0; i < PARTS; i++)
			turn_on(p, (enum part)i);
	else if (part != PARTS)
		turn_on(p, part);
	else
		return refuse_value(p, "-T", use->value,
			"  ctest -T all\n"
			"  ctest -T start\n"
			"  ctest -T update\n"
			"  ctest -T configure\n"
			"  ctest -T build\n"
			"  ctest -T test\n"
			"  ctest -T coverage\n"
			"  ctest -T memcheck\n"
			"  ctest -T notes\n"
			"  ctest -T submit\n");
	return true;
}

/* ---- -D -------------------------------------------------------------------------- */

#define BIT(part) (1U << PART_##part)

/* The steps of the name after the model; 0: no such name. */
static unsigned
steps_of(struct str rest, enum model model)
{
	enum part part = part_parse(rest);
	unsigned update = model == MODEL_EXPERIMENTAL ? 0 : BIT(UPDATE);

	if (rest.n == 0)
		return BIT(START) | update | BIT(CONFIGURE) | BIT(BUILD) | BIT(TEST) |
		       BIT(COVERAGE) | BIT(SUBMIT);
	if (str_is(rest, "MemoryCheck") && model == MODEL_NIGHTLY)
		return BIT(START) | update | BIT(CONFIGURE) | BIT(BUILD) | BIT(MEMCHECK) |
		       BIT(COVERAGE) | BIT(SUBMIT);
	if (str_is(rest, "Purify"))
		return BIT(MEMCHECK);
	return part <= PART_SUBMIT && str_is(rest, part_name(part)) ? 1U << part : 0;
}

static void
set_steps(struct option_parse *p, enum model model, unsigned steps)
{
	set_model(p, model);
	p->o->dashboard.is_on = true;
	p->o->dashboard.parts |= steps;
}

static bool
set_name(struct option_parse *p, struct str name)
{
	/* The only name without a model. */
	if (str_is(name, "MemoryCheck")) {
		set_steps(p, MODEL_EXPERIMENTAL,
			steps_of(name, MODEL_NIGHTLY) & ~BIT(UPDATE));
		return true;
	}
	for (int i = 0; i < MODELS; i++) {
		struct str head = str_of(model_name((enum model)i));
		unsigned steps = str_begins(name, head)
					 ? steps_of(str_from(name, head.n), (enum model)i)
					 : 0;

		if (!steps)
			continue;
		set_steps(p, (enum model)i, steps);
		return true;
	}
	return false;
}

/* The valid names, for the error message; the second list since 4.4. */
#define NAMES                                                                            \
	"  ctest -D Continuous\n"                                                        \
	"  ctest -D Continuous(Start|Update|Configure|Build)\n"                          \
	"  ctest -D Continuous(Test|Coverage|MemCheck|Submit)\n"                         \
	"  ctest -D Experimental\n"                                                      \
	"  ctest -D Experimental(Start|Update|Configure|Build)\n"                        \
	"  ctest -D Experimental(Test|Coverage|MemCheck|Submit)\n"                       \
	"  ctest -D Nightly\n"                                                           \
	"  ctest -D Nightly(Start|Update|Configure|Build)\n"                             \
	"  ctest -D Nightly(Test|Coverage|MemCheck|Submit)\n"                            \
	"  ctest -D NightlyMemoryCheck\n"
#define DEFINITIONS                                                                      \
	"  ctest -D CTEST_<VAR>=<value>\n"                                               \
	"  ctest -D <var>:<type>=<value>\n"

/* As in a cache entry, blanks at the end do not count, unless there is nothing else, and
 * single quotes keep them. */
static struct str
plain_value(struct str value)
{
	size_t n = value.n;

	while (n && str_has(STR("\r\t "), str_cut(value.p + n - 1, 1)))
		n--;
	if (n)
		value.n = n;
	if (value.n >= 2 && value.p[0] == '\'' && value.p[value.n - 1] == '\'')
		return str_cut(value.p + 1, value.n - 2);
	return value;
}

/* A name in quotes, which end it or are before its type, has none. */
static struct str
plain_name(struct str name)
{
	struct str rest = str_from(name, str_begins(name, STR("\"")));
	size_t n = str_find(rest, '"');
	struct str end = str_from(rest, n);

	if (rest.n < name.n && (str_is(end, "\"") || str_begins(end, STR("\":"))))
		return str_cut(rest.p, n);
	return str_cut(name.p, str_find(name, ':'));
}

/* Adds "NAME:TYPE=VALUE" as NAME and VALUE. */
static bool
add_definition(struct option_parse *p, struct str text)
{
	size_t equal = str_find(text, '=');

	if (equal == text.n)
		return false;
	VEC_PUSH(p->a, &p->o->script.definitions,
		(struct variable){plain_name(str_cut(text.p, equal)),
			plain_value(str_from(text, equal + 1))});
	return true;
}

bool
option_set_dashboard(struct option_parse *p, const struct option_use *use)
{
	if (!use->is_glued && set_name(p, use->value))
		return true;
	if (add_definition(p, use->value))
		return true;
	return use->is_glued ||
	       refuse_value(p, "-D", use->value,
		       p->dialect->has[DIALECT_DIRECTORY_OPTIONS] ? NAMES DEFINITIONS
								  : NAMES);
}

/* ---- files ----------------------------------------------------------------------- */

static bool
is_there(struct option_parse *p, struct str file)
{
	if (path_exists(str_z(p->a, file)))
		return true;
	option_complain(p, false,
		str_fmt(p->a, "Cannot find extra file: %.*s to submit.\n",
			STR_ARG(file)));
	return false;
}

/* The last -A counts. */
bool
option_set_notes(struct option_parse *p, const struct option_use *use)
{
	struct str_list files = cmake_list_split(p->a, use->value, false);

	turn_on(p, PART_NOTES);
	p->o->dashboard.notes.n = 0;
	VEC_PUSH_ALL(p->a, &p->o->dashboard.notes, files);
	return true;
}

/* Until ctest 3.31 a missing file ends the program, but not as an error. */
bool
option_set_extra_submit(struct option_parse *p, const struct option_use *use)
{
	struct str_list files = cmake_list_split(p->a, use->value, false);

	turn_on(p, PART_SUBMIT);
	for (size_t i = 0; i < files.n; i++) {
		if (!is_there(p, files.v[i])) {
			p->o->help = HELP_USAGE;
			return !p->dialect->has[DIALECT_OPTION_EQUALS_VALUE];
		}
		VEC_PUSH(p->a, &p->o->dashboard.extra_files, files.v[i]);
	}
	return true;
}
