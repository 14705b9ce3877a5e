/* The readers of compat/coverage_*: the first byte says which one reads the rest. */
#include "compat/dashboard/coverage/coverage_mumps.h"
#include "tests/unit/coverage_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nothing is counted that no report can show. */
static void
check(const struct coverage *c)
{
	for (size_t i = 0; i < c->sources.n; i++) {
		const struct source_coverage *s = &c->sources.v[i];

		INVARIANT(s->counts.n <= s->lines);
		INVARIANT(s->counts.n <= s->limit);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char routine[] = "R ;\nEN ; x\n S X=1\n begin\n x;\n end;\n";
	const struct coverage_tool *tool;
	struct coverage_fixture f;
	struct str text;
	size_t half;

	if (size == 0)
		return 0;
	text = str_cut((const char *)data + 1, size - 1);
	tool = coverage_tool_of((char)data[0]);
	coverage_fixture_open(
		&f, tool ? tool->source : "R.m", data[0] == 'r' ? text : str_of(routine));
	half = str_find(text, '\f');
	if (data[0] == 'r')
		coverage_fixture_read(&f, coverage_tool_of('m'),
			STR("^ZZCOVERAGE(\"R\",\"EN\",1)=2\n"));
	else if (data[0] == 'B')
		(void)coverage_fixture_bullseye(&f, str_cut(text.p, half),
			str_from(text, half < text.n ? half + 1 : half));
	else if (tool)
		coverage_fixture_read(&f, tool, text);
	check(&f.c);
	coverage_fixture_close(&f);
	return 0;
}
