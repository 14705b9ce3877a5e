/*
 * What a command line asks of presets. They are looked for before anything else is read,
 * wherever they stand; the first --preset counts.
 */
#include "compat/presets.h"

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

struct preset_request
preset_request_of(const struct dialect *dialect, int argc, char *const *argv)
{
	struct preset_request r = {.name = STR_NONE, .file = STR_NONE};
	bool has_file = dialect->has[DIALECT_PASS_THROUGH];

	for (int i = 1; i < argc; i++) {
		if (has_file && str_is(str_of(argv[i]), "--"))
			break;
		if (str_is(str_of(argv[i]), "--list-presets"))
			r.is_list = true;
		else if (!r.has_name && take(argc, argv, i, "--preset", &r.name))
			r.has_name = true;
		else if (has_file && take(argc, argv, i, "--presets-file", &r.file))
			r.has_file = true;
	}
	return r;
}

static bool
is_missing(const struct dialect *dialect, struct str value)
{
	return !value.p || (!value.n && dialect->has[DIALECT_OPTION_TABLE]);
}

bool
presets_obey(struct option_parse *p, int argc, char *const *argv)
{
	struct preset_request r = preset_request_of(p->dialect, argc, argv);

	if (r.has_file && is_missing(p->dialect, r.file))
		return option_error(p, "'--presets-file' requires an argument");
	if (!r.is_list && r.has_name && is_missing(p->dialect, r.name))
		return option_error(p, "'--preset' requires an argument");
	return (!r.is_list && !r.has_name) || presets_apply(p, &r);
}
