/*
 * The preset options of a command line. They are read before anything else, wherever they
 * are. Until 3.31 the first --preset counts, and its value is the next word, whatever it
 * is; since 4.0 the last one counts, in the forms that all options have.
 */
#include "compat/presets/presets.h"

#include <ctype.h>

static bool
take(int argc, char *const *argv, int i, const char *name, struct str *value)
{
	struct str word = str_of(argv[i]), key = str_of(name);

	if (str_eq(word, key)) {
		*value = i + 1 < argc ? str_of(argv[i + 1]) : STR_NONE;
		return true;
	}
	if (!str_begins(word, key) || word.p[key.n] != '=')
		return false;
	*value = str_from(word, key.n + 1);
	return true;
}

static struct preset_request
request_of_old(int argc, char *const *argv)
{
	struct preset_request r = {.name = STR_NONE, .file = STR_NONE};

	for (int i = 1; i < argc; i++)
		if (str_is(str_of(argv[i]), "--list-presets"))
			r.is_list = true;
		else if (!r.has_name && take(argc, argv, i, "--preset", &r.name))
			r.has_name = true;
	return r;
}

/* --name VALUE, --name=VALUE or "--name VALUE". STR_NONE: no value; an option, or nothing
 * after '=', is not a value. */
static bool
take_new(int argc, char *const *argv, int *i, const char *name, struct str *value)
{
	struct str word = str_of(argv[*i]), key = str_of(name), v;
	const char *next = *i + 1 < argc ? argv[*i + 1] : "-";

	if (!str_begins(word, key))
		return false;
	if (word.n == key.n) {
		bool is_value = next[0] != '-' || isdigit((unsigned char)next[1]);

		*value = is_value ? str_of(argv[++*i]) : STR_NONE;
		return true;
	}
	if (word.p[key.n] != '=' && word.p[key.n] != ' ')
		return false;
	v = str_from(word, word.p[key.n] == '=' ? key.n + 1 : key.n);
	*value = v.n ? str_from(v, *v.p == ' ') : STR_NONE;
	return true;
}

/* Stops at the first option without a value. Words after "--" are for the tests. */
static struct preset_request
request_of_new(const struct dialect *dialect, int argc, char *const *argv)
{
	struct preset_request r = {.name = STR_NONE, .file = STR_NONE};
	bool has_file = dialect->has[DIALECT_DIRECTORY_OPTIONS];

	for (int i = 1; i < argc; i++) {
		if (has_file && str_is(str_of(argv[i]), "--"))
			break;
		if (str_is(str_of(argv[i]), "--list-presets"))
			r.is_list = true;
		else if (take_new(argc, argv, &i, "--preset", &r.name))
			r.has_name = true;
		else if (has_file && take_new(argc, argv, &i, "--presets-file", &r.file))
			r.has_file = true;
		if ((r.has_name && !r.name.p) || (r.has_file && !r.file.p))
			break;
	}
	if (r.name.p && !r.name.n)
		r.has_name = false;
	return r;
}

struct preset_request
preset_request_of(const struct dialect *dialect, int argc, char *const *argv)
{
	return dialect->has[DIALECT_OPTION_EQUALS_VALUE]
		       ? request_of_new(dialect, argc, argv)
		       : request_of_old(argc, argv);
}

bool
presets_obey(struct option_parse *p, int argc, char *const *argv)
{
	struct preset_request r = preset_request_of(p->dialect, argc, argv);

	if (r.has_file && !r.file.p)
		return option_error(p, "'--presets-file' requires an argument");
	if (r.has_name && !r.name.p &&
		(!r.is_list || p->dialect->has[DIALECT_OPTION_EQUALS_VALUE]))
		return option_error(p, "'--preset' requires an argument");
	return (!r.is_list && !r.has_name) || presets_apply(p, &r);
}
