/* CMakePresets.json from any bytes: presets that can be used, or what is wrong. */
#include "compat/presets/preset_options.h"
#include "compat/presets/preset_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
use(struct arena *a, const struct dialect *dialect, const struct preset *p)
{
	struct options o = {.schedule.parallel = 1, .run.repeat = {REPEAT_NEVER, 1}};
	options_messages messages = {0};
	struct option_parse parse = {
		.a = a, .dialect = dialect, .o = &o, .messages = &messages};

	INVARIANT(p->name.n > 0);
	if (!p->is_evaluated || p->is_hidden)
		return;
	preset_set_options(&parse, p, STR("/build"));
	INVARIANT(o.schedule.parallel >= 1 && o.run.repeat.count >= 1);
	INVARIANT(o.tree.overwrites.n >= 1);
}

static void
read_as(unsigned version, struct str text)
{
	struct arena *a = arena_open();
	struct dialect dialect = dialect_of(version);
	struct preset_source source = {
		.directory = STR("/nowhere/project"), .text = text};
	const struct preset_set *s = preset_set_read(a, &dialect, &source);
	struct preset_list list = preset_list(s, PRESET_TEST);

	for (size_t i = 0; !preset_set_fault(s) && i < list.n; i++)
		use(a, &dialect, list.v[i]);
	arena_close(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_cut((const char *)data, size);

	read_as(3025, text);
	read_as(4004, text);
	return 0;
}
