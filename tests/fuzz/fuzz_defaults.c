/* cctr.yaml from any bytes: options that fit together, or refused with a reason. */
#include "compat/settings/defaults.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct engine_options e;
	struct str text = str_cut((const char *)data, size);
	bool right = defaults_parse(a, text, STR("cctr.yaml"), &e, &d);

	INVARIANT(right == (d.errors == 0));
	if (right) {
		INVARIANT(!e.has_engine || !e.nodes.n);
		INVARIANT(!e.launcher.n || str_list_has(e.launcher, STR("{agent}")));
	}
	arena_close(a);
	return 0;
}
