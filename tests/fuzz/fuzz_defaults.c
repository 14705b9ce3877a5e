/* cctr.yaml from any bytes: options that fit together, or refused with a reason. Every
 * option of cctr's own may be in it, and so may profiles. */
#include "compat/command_line/config.h"
#include "compat/command_line/option_table.h"
#include "compat/command_line/own_settings.h"
#include "compat/settings/defaults.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_engine(struct arena *a, const struct tree *section, struct str_list keys)
{
	struct diag d = diag_in(a);
	struct engine_options e;

	INVARIANT(defaults_section(a, section, STR("cctr.yaml"), keys, &e, &d));
	INVARIANT(!e.has_engine || !e.nodes.n);
	INVARIANT(!e.launcher.n || str_list_has(e.launcher, STR("{agent}")));
}

/* Each option has a value from the file or none, whichever name cctr is called by. */
static void
check_options(struct arena *a, const struct default_files *files, struct str profile,
	bool is_called_ctest)
{
	struct dialect dialect = dialect_of(3025);
	struct options o = {.profile = profile};
	options_messages messages = {0};
	struct option_parse p = {
		.a = a, .dialect = &dialect, .o = &o, .messages = &messages};
	struct diag d = diag_in(a);
	bool right = own_settings_take(&p, files, is_called_ctest, &d);

	INVARIANT(right == (d.errors == 0));
	INVARIANT(!right || o.own_settings.n == own_setting_keys(a).n);
	INVARIANT(config_text(a, &o).n > 0 || !right);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct str_list keys = own_setting_keys(a);
	struct default_files files = {.v = {{.path = STR("cctr.yaml")}}, .n = 1};
	const struct tree **root = &files.v[0].root;
	bool right = defaults_document(a, str_cut((const char *)data, size),
			     STR("cctr.yaml"), root, &d) &&
		     (!*root || defaults_check(a, *root, STR("cctr.yaml"), keys, &d));
	str_vec profiles = {0};

	INVARIANT(right == (d.errors == 0));
	if (right && *root) {
		defaults_add_profiles(a, *root, &profiles);
		check_engine(a, *root, keys);
		for (size_t i = 0; i < profiles.n; i++) {
			check_engine(a, defaults_profile(*root, profiles.v[i]), keys);
			check_options(a, &files, profiles.v[i], i % 2 == 0);
		}
		check_options(a, &files, STR_NONE, false);
		check_options(a, &files, STR_NONE, true);
	}
	arena_close(a);
	return 0;
}
