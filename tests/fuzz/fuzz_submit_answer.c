/* compat/submit_answer and xml_read: whatever a server says. */
#include "compat/dashboard/submit/submit_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct submit_answer answer =
		submit_answer_read(a, str_cut((const char *)data, size));

	INVARIANT(!answer.is_refused || !answer.has_build);
	INVARIANT(!answer.fault.text ||
		  (answer.fault.line >= 1 && answer.fault.line <= size + 1));
	arena_close(a);
	return 0;
}
