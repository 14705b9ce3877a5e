/* A manifest is a foreign file: any bytes give declarations, or errors, or both. */
#include "manifests/json_manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct declarations out = {0};
	struct str text = str_cut((const char *)data, size);
	bool right = json_manifest_parse(a, text, STR("fuzz"), &out, &d);

	INVARIANT(right == (d.errors == 0));
	for (size_t i = 0; i < out.list.n; i++) {
		const struct declaration *from = &out.list.v[i];

		INVARIANT(from->place && from->words.n >= 2);
		INVARIANT(i > 0 || from->kind == DECLARE_TEST);
	}
	arena_close(a);
	return 0;
}
